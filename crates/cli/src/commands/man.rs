//! `aforesaid man`

use std::{io::Write, path::PathBuf};

use clap::{Args, ValueHint};
use clap_mangen::generate_to;
use serde_json::json;

use super::print_json;
use crate::{args, failure::Failure, settings::Output};

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write a page for the program and one for each command into this folder.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.output {
            None => {
                // The page is made in memory, so that what fails is the writing.
                let mut page = Vec::new();
                clap_mangen::Man::new(described(args::command()))
                    .render(&mut page)
                    .map_err(Failure::io("manual page"))?;
                match output {
                    Output::Programs => print_json(&json!({"page": String::from_utf8_lossy(&page)})),
                    Output::People => std::io::stdout().write_all(&page).map_err(Failure::io("standard output")),
                }
            }
            Some(folder) => {
                let failed = Failure::io(format!("folder {}: could not be written", folder.display()));
                generate_to(described(args::command()), folder).map_err(failed)?;
                match output {
                    Output::Programs => print_json(&json!({"folder": folder})),
                    Output::People => Ok(()),
                }
            }
        }
    }
}

/// The same with every option described: a page leaves out what the short help does.
fn described(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(described)
}
