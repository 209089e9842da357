//! `aforesaid why`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation, Error, Explanations, Memory, Warning,
    store::MemoryRef,
    types::{Granularity, MemoryId, Query, SortBy, Unmatched},
};
use clap::Args;
use serde::Serialize;

use super::print_json;
use crate::{
    failure::Failure,
    llm::LlmArgs,
    render,
    rerank::{self, RerankArgs},
    scope::ScopeArgs,
    searched::Searched,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
    values::{at_least_one, probability},
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
    /// Only turns and notes that were stored before this one, as if it and all later ones were not there; --to goes by time.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What is ranked: turn or session.
    #[arg(long, default_value_t = Granularity::Turn)]
    unit: Granularity,
    /// Maximum number of hits of the search.
    #[arg(short, default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// The confidence in the first below which the search returns no hits, from 0 to 1 [default: 0].
    #[arg(long, value_name = "P", env = "AFORESAID_MIN_CONFIDENCE", value_parser = probability)]
    min_confidence: Option<f64>,
    #[command(flatten)]
    rerank: RerankArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

/// Why something stands where it does before a reranker, and where it stands in the search.
#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    why: &'a aforesaid::Why,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'a Searched>,
}

impl Why {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let rerank = self.rerank.or_configured(settings);
        let unasked = (!rerank.asks_model()).then(|| unused(LLM, "no language model is asked; add --rerank llm"));
        let no_vectors = no_vectors_in(&settings.pipeline).into_iter().filter(|_| !rerank.runs_model());
        unasked.into_iter().chain(no_vectors).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let scope = self.scope.scope(settings)?;
        let rerank = self.rerank.or_configured(settings);
        let model = rerank.connect(&self.llm, settings)?;
        let reranker = rerank.load(settings, model.as_ref())?;
        let memory = settings.open(Creation::Forbidden)?;
        let query = Query {
            min_confidence: self.min_confidence.or(settings.min_confidence).unwrap_or(0.0),
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
        let reranking = reranker.as_ref().map(|reranker| rerank.reranking(reranker.as_ref()));
        let searched = match why.report {
            // It is not searched.
            None => None,
            Some(_) => {
                // All that the reranker reads has a place, and the first are the hits of the search.
                let k = reranking.map_or(self.k, |reranking| self.k.max(reranking.depth));
                let query = Query { k, ..query };
                let found = rerank::search(&memory, &query, &settings.pipeline, Explanations::Omit, reranking)?;
                if settings.output == Output::People {
                    let is_skip = |warning: &&Warning| matches!(warning, Warning::RerankSkipped { .. });
                    render::warnings(&found.warnings.iter().filter(is_skip).cloned().collect::<Vec<_>>());
                }
                Some(Searched::new(&found, &why, reranker.as_ref().map(|reranker| reranker.name())))
            }
        };
        match settings.output {
            Output::Programs => print_json(&Report { why: &why, search: searched.as_ref() }),
            Output::People => render::why(&why, searched.as_ref()),
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
