//! What was measured, as far as a receipt states it.

use std::collections::BTreeMap;

use crate::{
    measures::Measure,
    recipe::{Equipment, Outcome, Recipe},
};

/// The figures of one run, and what they stand on.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// SHA-256 of the data, in lower-case hex.
    pub data_sha256: String,
    /// Id of the encoder; `None` where the system has no dense leg.
    pub encoder: Option<String>,
    /// Id of the reranker; `None` where nothing was reranked.
    pub reranker: Option<String>,
    /// SHA-256 of the cue questions; `None` where there are none.
    pub cues_sha256: Option<String>,
    /// Questions measured.
    pub n: usize,
    /// Means over all questions.
    pub measures: BTreeMap<Measure, f64>,
}

impl Figures {
    /// The figures of a recipe carried out with this equipment on data of this sha256.
    pub fn of(recipe: &Recipe, equipment: &Equipment, data_sha256: String, outcome: &Outcome) -> Self {
        let evaluation = &outcome.trial.evaluation;
        let mean = |measure| Some((measure, evaluation.mean(measure)?));
        Self {
            data_sha256,
            encoder: if recipe.system.pipeline.compares_vectors() { equipment.encoder_id().ok() } else { None },
            reranker: equipment
                .reranker
                .as_ref()
                .filter(|_| recipe.rerank_depth.is_some())
                .map(|reranker| reranker.name()),
            cues_sha256: outcome.cues_sha256.clone(),
            n: evaluation.n(),
            measures: evaluation.measures().filter_map(mean).collect(),
        }
    }
}
