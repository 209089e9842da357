//! The candidates of questions, written as the model reads them.

use std::num::NonZeroUsize;

use aforesaid::{
    Pipeline,
    models::training::EvidenceList,
    rerank::{PairForm, RerankCandidate, in_english, standardised},
};

use crate::{
    datasets::Question,
    experiments::{Bench, ExperimentError, Observer},
};

/// The best candidates of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceExample {
    /// The history it is about, unique in all data.
    pub group: usize,
    /// What is read.
    pub list: EvidenceList,
}

impl EvidenceExample {
    /// The candidates of a question in a form, read in English as the reranker will be shown them.
    pub fn of(question: &Question, candidates: &[RerankCandidate], group: usize, form: PairForm) -> Self {
        let scores: Vec<f64> = candidates.iter().map(|candidate| candidate.score).collect();
        let glossed = in_english(&question.text, candidates);
        let (query, shown) =
            glossed.as_ref().map_or((question.text.as_str(), candidates), |(query, shown)| (query, shown));
        let list = EvidenceList {
            query: form.query(query, shown),
            passages: form.passages(query, shown).into_iter().map(|passage| passage.text).collect(),
            first_stage: standardised(&scores),
            gold: candidates.iter().map(|candidate| question.gold.contains(&candidate.id)).collect(),
        };
        Self { group, list }
    }
}

/// The best candidates, as many as asked for, of every question of a bench whose group has a pipeline; groups are numbered from
/// `first`.
///
/// # Errors
/// When a search fails.
pub fn evidence_examples<'p>(
    bench: &Bench<'_>,
    pipeline: impl Fn(usize) -> Option<&'p Pipeline> + Sync,
    (form, depth): (PairForm, NonZeroUsize),
    first: usize,
    observe: &Observer<'_>,
) -> Result<Vec<EvidenceExample>, ExperimentError> {
    let found = bench.rerank_candidates(pipeline, (depth, form.neighbours()), observe)?;
    let asked = bench.benchmark().questions().zip(bench.clusters()).zip(&found);
    let example = |((question, group), candidates): ((&Question, usize), &Vec<RerankCandidate>)| {
        (!candidates.is_empty()).then(|| EvidenceExample::of(question, candidates, first + group, form))
    };
    Ok(asked.filter_map(example).collect())
}
