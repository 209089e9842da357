//! `aforesaid completions`

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::{args::Cli, failure::Failure};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        generate(self.shell, &mut Cli::command(), "aforesaid", &mut std::io::stdout());
        Ok(())
    }
}
