//! `aforesaid search`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation, Explanations,
    types::{Granularity, MemoryId, Query, SortBy, Unmatched},
};
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    llm::LlmArgs,
    render,
    rerank::RerankArgs,
    scope::ScopeArgs,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
    values::{at_least_one, probability},
};

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question.
    query: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only turns and notes before this one, as if asked at that moment.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What to return: turn or session.
    #[arg(long, default_value_t = Granularity::Turn)]
    unit: Granularity,
    /// Maximum number of hits.
    #[arg(short, default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// Sort hits by relevance, importance or recency.
    #[arg(long, default_value = "relevance")]
    sort_by: SortBy,
    /// Return no hits if the confidence in the first is below this, from 0 to 1 [default: 0].
    #[arg(long, value_name = "P", env = "AFORESAID_MIN_CONFIDENCE", value_parser = probability)]
    min_confidence: Option<f64>,
    /// Explain each score and the confidence.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    rerank: RerankArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Search {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let unasked = (!self.rerank.asks_model()).then(|| unused(LLM, "no language model is asked; add --rerank llm"));
        unasked.into_iter().chain(no_vectors_in(&settings.pipeline)).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let scope = self.scope.scope(settings)?;
        let model = self.rerank.connect(&self.llm, settings)?;
        let reranker = self.rerank.load(settings, model.as_ref())?;
        let memory = settings.open(Creation::Forbidden)?;
        let query = Query {
            text: self.query.clone(),
            namespace: settings.namespace.clone(),
            scope,
            before: self.before.clone(),
            now: Some(settings.clock.now),
            zone: settings.clock.zone.clone(),
            unit: self.unit,
            k: self.k,
            sort_by: self.sort_by,
            unmatched: Unmatched::Exclude,
            min_confidence: self.min_confidence.or(settings.min_confidence).unwrap_or(0.0),
        };
        let explanations = if self.explain { Explanations::Include } else { Explanations::Omit };
        let answer = match &reranker {
            Some(reranker) => {
                let reranking = self.rerank.reranking(reranker.as_ref());
                memory.search_reranked(&query, &settings.pipeline, explanations, reranking)?
            }
            None => memory.search(&query, &settings.pipeline, explanations)?,
        };
        match settings.output {
            Output::Programs => print_json(&answer),
            Output::People => render::answer(&answer),
        }
    }
}
