//! `aforesaid why`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation, Error, Memory,
    store::MemoryRef,
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
    /// Id of the turn or note, or the beginning of it; with --unit session, name of the session.
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
        let id = match self.unit {
            Granularity::Turn => self.memory_id(&memory, settings)?,
            Granularity::Session => self.id.clone(),
        };
        let why = memory.why(&query, &settings.pipeline, &id)?;
        match settings.output {
            Output::Programs => print_json(&why),
            Output::People => render::why(&why),
        }
    }

    /// The id that was meant. One that stands in another conversation than was asked for has a reason not to be found,
    /// too; what is nobody's stays as it is, and the search says so.
    fn memory_id(&self, memory: &Memory, settings: &Settings) -> Result<String, Failure> {
        let id: MemoryId = self.id.parse().map_err(aforesaid::Error::from)?;
        let resolve = |conversation| {
            let name = MemoryRef { id: id.clone(), conversation };
            memory.resolve(&settings.namespace, &name)
        };
        let found = match (resolve(self.scope.conversation.clone()), &self.scope.conversation) {
            (Err(Error::UnknownMemory { .. }), Some(_)) => resolve(None),
            (found, _) => found,
        };
        match found {
            Ok(found) => Ok(found.id.into()),
            Err(Error::UnknownMemory { .. } | Error::AmbiguousMemory { .. }) => Ok(self.id.clone()),
            Err(error) => Err(error.into()),
        }
    }
}
