//! `aforesaid store`

use aforesaid::{Distribution, Layout, Memory, RowSecurity};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::print_json;
use crate::{
    failure::Failure,
    render::{printable, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct StoreCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make the store ahead of its use, or bring it to this version.
    #[command(
        after_help = "Whoever runs it needs the right to make a schema; who uses the store afterwards does not. It can be run again, \
        and has to be after an update of aforesaid that adds tables to a store with one of the options."
    )]
    Init(Init),
}

#[derive(Debug, Args)]
struct Init {
    /// Spread the tables over the servers of a Citus cluster, all rows of a namespace on one.
    #[arg(long)]
    distributed: bool,
    /// Have PostgreSQL itself keep namespaces apart, too, by policies on a setting of each transaction.
    #[arg(long)]
    row_level_security: bool,
}

/// A store that was made, as programs read it.
#[derive(Debug, Serialize)]
struct Report {
    store: String,
    distributed: bool,
    row_level_security: bool,
}

impl StoreCommand {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let Action::Init(init) = &self.action;
        init.run(settings)
    }
}

impl Init {
    fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let distribution = if self.distributed { Distribution::ByTenant } else { Distribution::AsItIs };
        let row_security = if self.row_level_security { RowSecurity::On } else { RowSecurity::AsItIs };
        let store = Memory::make_store(&settings.store, Layout { distribution, row_security })?;
        let Self { distributed, row_level_security } = *self;
        match settings.output {
            Output::Programs => print_json(&Report { store, distributed, row_level_security }),
            Output::People => say!("{}: ready", printable(&store)),
        }
    }
}
