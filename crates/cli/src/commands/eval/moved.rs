//! Commands that `aforesaid-studies` has now.

use std::ffi::OsString;

use clap::Args;

use crate::failure::Failure;

/// Any options: the message says where the command is, whatever it is given.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct Moved {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _given: Vec<OsString>,
}

impl Moved {
    pub(super) fn refuse(&self, command: &str) -> Result<(), Failure> {
        let now = match command {
            "study" => "aforesaid-studies NAME",
            "reproduce" => "aforesaid-studies reproduce",
            _ => "aforesaid-studies tables",
        };
        Err(Failure::Usage(format!(
            "eval {command}: studies and receipts are in a program of their own; run `{now}` (`cargo run --release -p \
             aforesaid-studies` in the repository)"
        )))
    }
}
