//! `aforesaid search`

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use aforesaid::{
    Creation, Explanations, Memory, SearchResponse,
    rerank::Reranker,
    types::{Granularity, MemoryId, Query, SortBy, Unmatched},
};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    failure::Failure,
    llm::LlmArgs,
    page::{Page, Paging},
    question,
    render::{self, Extent, Layout, STRONG},
    rerank::{self, RerankArgs},
    scope::ScopeArgs,
    screen::Screen,
    settings::{Output, Settings},
    unused::{LLM, Unused, no_vectors_in, unused},
    values::{at_least_one, probability},
};

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question, with or without quotes; - reads it from standard input.
    #[arg(value_name = "QUESTION", required_unless_present = "batch", conflicts_with = "batch")]
    words: Vec<String>,
    /// Ask every line of this file, or of standard input (-), in one process; with --json, one object a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    batch: Option<PathBuf>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only turns and notes that were stored before this one, as if it and all later ones were not there; --to goes by time.
    #[arg(long, value_name = "ID")]
    before: Option<MemoryId>,
    /// What to return: turn or session.
    #[arg(long, default_value_t = Granularity::Turn)]
    unit: Granularity,
    /// Maximum number of hits.
    #[arg(short, long = "limit", value_name = "N", default_value = "10", value_parser = at_least_one)]
    k: NonZeroUsize,
    /// Turns to show before and after each hit.
    #[arg(long, short = 'C', value_name = "N", alias = "context", default_value_t = 0)]
    around: u32,
    /// Show whole texts and ids, and where each leg put a hit.
    #[arg(long, conflicts_with = "json")]
    full: bool,
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

/// What each question is asked of.
struct Asked<'a> {
    memory: Memory,
    rerank: RerankArgs,
    reranker: Option<Arc<dyn Reranker + 'a>>,
    settings: &'a Settings,
}

impl Search {
    pub(crate) fn unused(&self, settings: &Settings) -> Vec<Unused> {
        let rerank = self.rerank.or_configured(settings);
        let unasked = (!rerank.asks_model()).then(|| unused(LLM, "no language model is asked; add --rerank llm"));
        let of_session = (self.unit == Granularity::Session)
            .then(|| unused(&["around"], "--unit session shows the best turns of each session"));
        let no_vectors = no_vectors_in(&settings.pipeline).into_iter().filter(|_| !rerank.runs_model());
        unasked.into_iter().chain(of_session).chain(no_vectors).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let rerank = self.rerank.or_configured(settings);
        let model = rerank.connect(&self.llm, settings)?;
        let reranker = rerank.load(settings, model.as_ref())?;
        let asked = Asked { memory: settings.open(Creation::Forbidden)?, rerank, reranker, settings };
        match &self.batch {
            None => {
                let answer = self.ask(&asked, question::of_words(&self.words)?)?;
                self.print(&answer, &asked, settings.paging)
            }
            Some(file) => question::each_line(file, &mut |line| {
                // What is asked through a pipe is answered before the next question comes.
                let answer = self.ask(&asked, line.to_owned())?;
                self.print(&answer, &asked, Paging::Never)
            }),
        }
    }

    fn ask(&self, asked: &Asked<'_>, text: String) -> Result<SearchResponse, Failure> {
        let Asked { memory, rerank, reranker, settings } = asked;
        let query = Query {
            text,
            namespace: settings.namespace.clone(),
            scope: self.scope.scope(settings)?,
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
        let reranking = reranker.as_ref().map(|reranker| rerank.reranking(reranker.as_ref()));
        let mut answer = rerank::search(memory, &query, &settings.pipeline, explanations, reranking)?;
        memory.surround(&mut answer, &query, self.around)?;
        Ok(answer)
    }

    fn print(&self, answer: &SearchResponse, asked: &Asked<'_>, paging: Paging) -> Result<(), Failure> {
        let settings = asked.settings;
        if settings.output == Output::Programs {
            return print_json(answer);
        }
        render::warnings(&answer.warnings);
        let mut page = Page::default();
        if self.batch.is_some() {
            page.line(format_args!("{STRONG}? {}{STRONG:#}", render::printable(&answer.query)));
        }
        let extent = if self.full { Extent::Full } else { Extent::Snippets };
        let others = render::alike(&asked.memory, &settings.namespace, render::ids_of(answer), extent);
        render::answer(&mut page, answer, &others, Layout { width: Screen::of_output().width, extent });
        if self.batch.is_some() {
            page.line(format_args!(""));
        }
        page.print(paging)
    }
}
