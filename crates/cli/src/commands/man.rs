//! `aforesaid man`

use std::{io::Write, path::PathBuf};

use clap::{Args, ValueHint};
use clap_mangen::generate_to;

use crate::{args, failure::Failure};

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write a page for the program and one for each command into this folder.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.output {
            None => {
                // The page is made in memory, so that what fails is the writing.
                let mut page = Vec::new();
                clap_mangen::Man::new(described(args::command()))
                    .render(&mut page)
                    .map_err(Failure::io("manual page"))?;
                std::io::stdout().write_all(&page).map_err(Failure::io("standard output"))
            }
            Some(folder) => generate_to(described(args::command()), folder)
                .map_err(Failure::io(format!("folder {}: could not be written", folder.display()))),
        }
    }
}

/// The same with every option described: a page leaves out what the short help does.
fn described(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(described)
}
