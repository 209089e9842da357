//! `aforesaid why`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation,
    types::{Granularity, MemoryId, Query, SortBy, Unmatched},
};
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    render,
    scope::ScopeArgs,
    settings::{Output, Settings},
    values::at_least_one,
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
    /// Only turns and notes before this one, as if asked at that moment.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What is ranked: turn or session.
    #[arg(long, default_value_t = Granularity::Turn)]
    unit: Granularity,
    /// Maximum number of hits of the search.
    #[arg(short, default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
}

impl Why {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let scope = self.scope.scope(settings)?;
        let memory = settings.open(Creation::Forbidden)?;
        let query = Query {
            min_confidence: 0.0,
            text: self.query.clone(),
            namespace: settings.namespace.clone(),
            scope,
            before: self.before.clone(),
            now: Some(settings.clock.now),
            zone: settings.clock.zone.clone(),
            unit: self.unit,
            k: self.k,
            sort_by: SortBy::Relevance,
            unmatched: Unmatched::Exclude,
        };
        let why = memory.why(&query, &settings.pipeline, &self.id)?;
        match settings.output {
            Output::Programs => print_json(&why),
            Output::People => render::why(&why),
        }
    }
}
