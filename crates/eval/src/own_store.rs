//! One's own store, measured through the search that it is asked by.
//!
//! Queries are one JSON object a line:
//!
//! | field | |
//! |---|---|
//! | `query` | required: the question |
//! | `gold_ids` | required: ids of the turns and notes that answer it |
//! | `id` | its name; where there is none, the number of its line |
//! | `category` | any word |
//! | `conversation` | only this conversation is searched, and the gold is of it |
//! | `before` | asked as if this memory and all later ones did not exist |
//! | `now` | the moment of asking in ISO 8601, in the zone of its offset: "last week" is the one before, and only what was said until then is searched |
//!
//! Nothing is written to the store, and the report holds no text of it: ids, measures and checksums.

mod catalogue;
mod queries;

use std::{collections::HashMap, num::NonZeroUsize};

use aforesaid::{
    Memory, Pipeline, Ranking, Reranking,
    types::{Granularity, Namespace, Query, Scope, Unmatched},
};
use sha2::{Digest, Sha256};

use self::catalogue::Catalogue;
pub use self::queries::{LabelledQuery, read_queries};
use crate::{
    EvalError,
    datasets::{Benchmark, Excluded, Group, Ledger, Question, Unresolved},
    experiments::{ExperimentError, Observer, Step, Trial},
    measures::{Measure, Run, evaluate},
    recipe::{Outcome, something_to_measure},
    reports::{Origin, Report, reranked_by},
};

const NO_GOLD: &str = "no gold";
const NOT_STORED: &str = "gold not in the history";

/// The name of questions whose gold is in no conversation, as a group.
const NO_CONVERSATION: &str = "notes";

/// Labelled queries to a namespace, and what answers them.
#[derive(Clone, Copy)]
pub struct OwnStore<'a> {
    /// The store.
    pub memory: &'a Memory,
    /// The namespace.
    pub namespace: &'a Namespace,
    /// What is asked.
    pub queries: &'a [LabelledQuery],
    /// What answers, under a name.
    pub system: (&'a str, &'a Pipeline),
    /// What reranks the best hits, if anything does.
    pub reranking: Option<Reranking<'a>>,
    /// What is measured.
    pub measures: &'a [Measure],
}

impl OwnStore<'_> {
    /// Asks every query as a search does, at full depth, and measures the rankings.
    ///
    /// # Errors
    /// When a query names what is not there or is ambiguous, nothing can be measured, or a search fails.
    pub fn run(&self, unit: Granularity, observe: &Observer<'_>) -> Result<Outcome, EvalError> {
        let catalogue = Catalogue::of(self.memory, self.namespace).map_err(|source| engine("the namespace", source))?;
        let cues = self.memory.cue_stats(self.namespace).map_err(|source| engine("the namespace", source))?;
        let mut benchmark = self.labelled(&catalogue, unit)?;
        something_to_measure(&benchmark)?;
        let total = benchmark.questions().count();
        let mut run = Run::new(self.system.0)?;
        let mut warnings: Vec<String> = Vec::new();
        let mut clusters = Vec::with_capacity(total);
        let queries: HashMap<&str, &LabelledQuery> =
            self.queries.iter().map(|query| (query.id.as_str(), query)).collect();
        for (group, of) in benchmark.groups.iter().enumerate() {
            for question in &of.questions {
                let name = question.id.strip_prefix(&format!("{}::", of.id));
                let Some(query) = name.and_then(|name| queries.get(name).copied()) else { continue };
                let ranking = self.rank(query, unit).map_err(|source| engine(&query.place, source))?;
                for warning in ranking.warnings.iter().map(ToString::to_string) {
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                // A reranker's order is not that of the scores.
                let places = (0..ranking.hits.len()).rev().map(|place| place as f64);
                let hits = ranking.hits.into_iter().zip(places);
                let hits =
                    hits.map(|(hit, place)| (catalogue.unit(hit.memory, unit).unwrap_or(&hit.id).to_owned(), place));
                run.rank(&question.id, hits.collect::<Vec<_>>())?;
                clusters.push(group);
                observe(Step { work: "searching", done: clusters.len(), total });
            }
        }
        if cues.questions > 0 {
            let told = format!("{} of {} memories", cues.questions, cues.memories);
            benchmark.ledger.remarks.insert("cue questions of the store are searched, too", vec![told]);
        }
        if !warnings.is_empty() {
            benchmark.ledger.remarks.insert("the search is less than it could be", warnings);
        }
        let evaluation = evaluate(&run, &benchmark.qrels()?, self.measures)?;
        let pipelines = vec![self.system.1.clone(); benchmark.groups.len()];
        let trial = Trial { run, evaluation, pipelines, chosen: None };
        let report = Report::new(self.origin(&catalogue)?, &benchmark, &trial, &clusters)?;
        Ok(Outcome { benchmark, trial, report, cues_sha256: None })
    }

    fn rank(&self, query: &LabelledQuery, unit: Granularity) -> Result<Ranking, aforesaid::Error> {
        let query = self.query(query, unit);
        match self.reranking {
            Some(reranking) => self.memory.rank_reranked(&query, self.system.1, reranking),
            None => self.memory.rank(&query, self.system.1),
        }
    }

    fn query(&self, query: &LabelledQuery, unit: Granularity) -> Query {
        Query {
            scope: Scope { conversation: query.conversation.clone(), to: query.now, ..Scope::default() },
            before: query.before.clone(),
            now: query.now,
            zone: query.zone.clone(),
            unit,
            k: NonZeroUsize::MAX,
            unmatched: Unmatched::Include,
            ..Query::new(self.namespace.clone(), &query.text)
        }
    }

    /// The queries with their gold as the units of a ranking, by the conversation that the first of it is of.
    fn labelled(&self, catalogue: &Catalogue, unit: Granularity) -> Result<Benchmark, EvalError> {
        let dataset = format!("namespace {}", self.namespace);
        let mut benchmark = Benchmark { dataset, unit, groups: Vec::new(), ledger: Ledger::default() };
        for query in self.queries {
            catalogue.must_have_conversation(query)?;
            let (mut gold, mut group, mut lost) = (Vec::new(), None, Vec::new());
            for id in &query.gold_ids {
                let found = catalogue.find(id, query)?;
                let units = found.as_ref().and_then(|found| catalogue.unit(found.seq, unit));
                match (found, units) {
                    (Some(found), Some(unit)) => {
                        group.get_or_insert_with(|| found.conversation.clone());
                        if !gold.iter().any(|known| known == unit) {
                            gold.push(unit.to_owned());
                        }
                    }
                    _ => lost.push(id.to_string()),
                }
            }
            let group = group.flatten().map_or_else(|| NO_CONVERSATION.to_owned(), String::from);
            let id = format!("{group}::{}", query.id);
            benchmark
                .ledger
                .unresolved
                .extend(lost.into_iter().map(|evidence| Unresolved { question: id.clone(), evidence }));
            let now = query.now.map(|now| now.to_string());
            if gold.is_empty() {
                let reason = if query.gold_ids.is_empty() { NO_GOLD } else { NOT_STORED };
                let (text, before) = (query.text.clone(), query.before.clone());
                let excluded = Excluded { question: id, text, group, before, now };
                benchmark.ledger.excluded.entry(reason).or_default().push(excluded);
                continue;
            }
            let question = Question {
                id,
                text: query.text.clone(),
                gold,
                category: query.category.clone(),
                before: query.before.clone(),
                now,
                answer: None,
            };
            match benchmark.groups.iter_mut().find(|known| known.id == group) {
                Some(known) => known.questions.push(question),
                None => benchmark.groups.push(Group { id: group, memories: Vec::new(), questions: vec![question] }),
            }
        }
        Ok(benchmark)
    }

    /// Checksums of what was asked and of what was searched, and nothing of either.
    fn origin(&self, catalogue: &Catalogue) -> Result<Origin, EvalError> {
        let mut data = Sha256::new();
        data.update(catalogue.sha256());
        for query in self.queries {
            // Where the file lies is no part of what was asked.
            data.update(format!("{:?}\n", LabelledQuery { place: String::new(), ..query.clone() }));
        }
        let active = self.memory.active_encoder(self.namespace).map_err(|source| engine("the namespace", source))?;
        let encoder = match self.system.1.compares_vectors() {
            true => active.map(|id| id.to_string()).ok_or_else(|| "the namespace has no vectors".to_owned()),
            false => Err("the system does not use one".to_owned()),
        };
        Ok(Origin {
            system: reranked_by(self.system.0, self.reranking),
            data: hex(&data.finalize()),
            encoder,
            cues: None,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn engine(place: &str, source: aforesaid::Error) -> EvalError {
    ExperimentError::Engine { place: place.to_owned(), source: Box::new(source) }.into()
}
