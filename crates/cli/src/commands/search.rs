//! `aforesaid search`

use std::num::NonZeroUsize;

use aforesaid::{
    Creation, Explanations,
    types::{MemoryId, Query, SortBy, Tail, Unit},
};
use clap::Args;

use super::print_json;
use crate::{
    args::{ScopeArgs, at_least_one, probability},
    failure::Failure,
    llm::{JudgeArgs, LlmArgs},
    opening::Effort,
    render,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
};

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question.
    query: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only what came before this turn or note, as if asked at that moment.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What to find: turn or session.
    #[arg(long, default_value_t = Unit::Turn)]
    unit: Unit,
    /// How many hits at the most.
    #[arg(short, default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// Order of the hits: relevance, importance or recency.
    #[arg(long, default_value = "relevance")]
    sort_by: SortBy,
    /// Give no hits where the first is less likely to answer the question than this, from 0 to 1 [default: 0].
    #[arg(long, value_name = "P", env = "AFORESAID_MIN_CONFIDENCE", value_parser = probability)]
    min_confidence: Option<f64>,
    /// Show how each score, and the confidence, came about.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Search {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let unasked = (!self.judge.is_given()).then(|| unused(LLM, "no language model is asked; add --judge"));
        unasked.into_iter().chain(no_vectors_in(&settings.preset)).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let model = self.judge.is_given().then(|| self.llm.connect_promptly(settings)).transpose()?;
        let memory = settings.open(&settings.namespace, Creation::Forbidden, Effort::Find)?;
        let query = Query {
            text: self.query.clone(),
            namespace: settings.namespace.clone(),
            scope: self.scope.scope(),
            before: self.before.clone(),
            unit: self.unit,
            k: self.k,
            sort_by: self.sort_by,
            tail: Tail::Matched,
            min_confidence: self.min_confidence.or(settings.min_confidence).unwrap_or(0.0),
        };
        let explanations = if self.explain { Explanations::Include } else { Explanations::Omit };
        let judging = model.as_ref().and_then(|model| self.judge.judging(&model.chat));
        let answer = match &judging {
            Some(judging) => memory.search_judged(&query, &settings.preset, explanations, judging)?,
            None => memory.search(&query, &settings.preset, explanations)?,
        };
        match settings.output {
            Output::Programs => print_json(&answer),
            Output::People => render::answer(&answer),
        }
    }
}
