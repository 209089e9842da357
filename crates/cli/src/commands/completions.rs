//! `aforesaid completions`

use std::io::Write;

use clap::Args;
use clap_complete::{Shell, generate};

use super::print_json;
use crate::{args, failure::Failure, settings::Output};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        // The generator panics where it cannot write; memory always takes it.
        let mut script = Vec::new();
        generate(self.shell, &mut args::command(), "aforesaid", &mut script);
        match output {
            Output::Programs => {
                let script = String::from_utf8_lossy(&script);
                print_json(&serde_json::json!({"shell": self.shell.to_string(), "script": script}))
            }
            Output::People => std::io::stdout().write_all(&script).map_err(Failure::io("standard output")),
        }
    }
}
