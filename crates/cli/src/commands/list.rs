//! `aforesaid list`

use std::num::NonZeroUsize;

use aforesaid::wire::{InNamespace, Listing};
use clap::{Args, ValueEnum};

use super::print_json;
use crate::{
    failure::Failure,
    render::list,
    scope::ScopeArgs,
    settings::{Output, Settings},
    values::at_least_one,
};

#[derive(Debug, Args)]
#[command(after_help = "The latest come first; what has no time comes last.")]
pub(crate) struct List {
    /// What to list.
    #[arg(value_enum, default_value_t = What::Conversations)]
    what: What,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Maximum number of entries.
    #[arg(long, default_value = "20", value_parser = at_least_one)]
    limit: NonZeroUsize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// Conversations.
    Conversations,
    /// Sessions.
    Sessions,
    /// Speakers, with how many turns each has.
    Speakers,
    /// The latest turns and notes.
    Recent,
}

impl List {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (memory, scope) = (settings.open_plain()?, self.scope.scope(settings)?);
        let (namespace, limit) = (&settings.namespace, self.limit.get());
        let listing = match self.what {
            What::Conversations => Listing::conversations(memory.conversations(namespace, &scope)?, limit),
            What::Sessions => Listing::sessions(memory.sessions(namespace, &scope)?, limit),
            What::Speakers => Listing::speakers(memory.speakers(namespace, &scope)?, limit),
            What::Recent => {
                let total = memory.count(namespace, &aforesaid::Target::Within(scope.clone()))?;
                Listing::recent(memory.recent(namespace, &scope, limit)?, total)
            }
        };
        match settings.output {
            Output::Programs => print_json(&InNamespace { namespace, result: listing }),
            Output::People => list::listing(&listing),
        }
    }
}
