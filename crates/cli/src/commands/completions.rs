//! `aforesaid completions`

use std::io::Write;

use clap::Args;
use clap_complete::{Shell, generate};

use crate::{args, failure::Failure};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        // The generator panics where it cannot write; memory always takes it.
        let mut script = Vec::new();
        generate(self.shell, &mut args::command(), "aforesaid", &mut script);
        std::io::stdout().write_all(&script).map_err(Failure::io("standard output"))
    }
}
