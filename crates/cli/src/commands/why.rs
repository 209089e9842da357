//! `aforesaid why`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation,
    types::{MemoryId, Query, SortBy, Tail, Unit},
};
use clap::Args;

use super::print_json;
use crate::{
    args::{ScopeArgs, at_least_one},
    failure::Failure,
    opening::Effort,
    render,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// Id of the turn or note; with --unit session, name of the session.
    id: String,
    /// The question that should find it, or should not.
    #[arg(long, short)]
    query: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only what came before this turn or note, as if asked at that moment.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What is to be found: turn or session.
    #[arg(long, default_value_t = Unit::Turn)]
    unit: Unit,
    /// How many hits the search would give at the most.
    #[arg(short, default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
}

impl Why {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open(&settings.namespace, Creation::Forbidden, Effort::Find)?;
        let query = Query {
            min_confidence: 0.0,
            text: self.query.clone(),
            namespace: settings.namespace.clone(),
            scope: self.scope.scope(),
            before: self.before.clone(),
            unit: self.unit,
            k: self.k,
            sort_by: SortBy::Relevance,
            tail: Tail::Matched,
        };
        let why = memory.why(&query, &settings.preset, &self.id)?;
        match settings.output {
            Output::Programs => print_json(&why),
            Output::People => render::why(&why),
        }
    }
}
