//! Evidence rerankers: a low-rank update of a registered encoder and a head of its own, in a file of a few megabytes.

mod file;

use std::sync::Arc;

use aforesaid_core::{
    encoder::PairScorer,
    rerank::{EvidenceReranker, PairForm},
    types::EncoderId,
};
use serde::{Deserialize, Serialize};

use crate::{
    Adapter, CrossEncoder, ModelEntry, ModelError, ModelFiles, Runtime, bert::ScoreHead, inference::Inference,
};

/// What turns an encoder into a cross-encoder that orders the best candidates of a search.
///
/// Two are equal if their files are.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceModel {
    record: EvidenceRecord,
    adapter: Adapter,
    pub(crate) head: EvidenceHead,
}

/// The head: a dense layer with tanh over the first token, and a row of weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct EvidenceHead {
    /// `[hidden, hidden]`, a row an output.
    pub(crate) dense: Vec<f32>,
    /// `[hidden]`
    pub(crate) bias: Vec<f32>,
    /// `[hidden]`
    pub(crate) row: Vec<f32>,
    /// The row and the bias of the logit that a candidate answers, where that was learned.
    pub(crate) answers: Option<(Vec<f32>, f32)>,
}

/// What a file says of its reranker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// The model that it belongs to, with its revision, as in `all-MiniLM-L6-v2@1110a243fdf4`.
    pub base: String,
    /// How a question and a candidate are written.
    #[serde(with = "form")]
    pub form: PairForm,
    /// Most tokens of a pair, the special ones included.
    pub max_tokens: usize,
    /// What a candidate's first-stage score counts beside its logit, in standard deviations of the candidates' scores.
    pub first_stage_weight: f64,
    /// The first stage whose candidates it learned from.
    pub first_stage: String,
    /// The data that it learned from.
    pub trained_on: Vec<String>,
    /// Questions that it learned from.
    pub questions: usize,
    /// What the draws of its training depended on.
    pub seed: u64,
    /// Whether it is shown other languages word for word in English ([`in_english`](aforesaid_core::rerank::in_english)).
    #[serde(default)]
    pub reads_english: bool,
}

impl EvidenceRecord {
    /// The reranker of a scorer, which is shown what it learned from.
    pub fn reranker(&self, scorer: Arc<dyn PairScorer>) -> EvidenceReranker {
        let reranker = EvidenceReranker::new(scorer, self.form, self.first_stage_weight);
        if self.reads_english { reranker.reading_english() } else { reranker }
    }
}

/// A form of pairs as its word.
mod form {
    use aforesaid_core::rerank::PairForm;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(form: &PairForm, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(form)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PairForm, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Learned from conversations and histories that may be learned from: `docs/decisions/0024-evidence-reranker.md`.
const SHIPPED: &[u8] = include_bytes!("shipped.safetensors");

impl EvidenceModel {
    /// The evidence reranker that is part of this crate, an update of all-MiniLM-L6-v2.
    ///
    /// # Errors
    /// Never where the crate's own tests pass.
    pub fn shipped() -> Result<Self, ModelError> {
        let expected = "the evidence reranker that is part of the program".to_owned();
        let mut shipped = Self::from_bytes(SHIPPED).map_err(|found| ModelError::Adapter { found, expected })?;
        // Its file is older than the field. Shown so, it orders texts in other languages better (docs/decisions/0029).
        shipped.record.reads_english = true;
        Ok(shipped)
    }

    /// What its file says of it.
    pub fn record(&self) -> &EvidenceRecord {
        &self.record
    }

    /// Checksum of its file, in hex.
    pub fn sha256(&self) -> &str {
        self.adapter.sha256()
    }

    /// The updates of its maps.
    pub(crate) fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Numbers that were learned.
    pub fn parameters(&self) -> usize {
        let EvidenceHead { dense, bias, row, answers } = &self.head;
        let of_answers = answers.as_ref().map_or(0, |(row, _)| row.len() + 1);
        self.adapter.parameters() + dense.len() + bias.len() + row.len() + of_answers
    }

    /// The registered model that it belongs to.
    ///
    /// # Errors
    /// When none is registered in that revision.
    pub fn entry(&self) -> Result<&'static ModelEntry, ModelError> {
        self.adapter.entry()
    }

    /// Loads its model, merged with the update, as a scorer of pairs. `name` tells it apart for people, as in
    /// `all-MiniLM-L6-v2+mine@1110a243fdf4+53aa51172d14/bf16`.
    ///
    /// # Errors
    /// When `files` are another model's, have token vectors of another length, or are damaged.
    pub fn load(&self, files: ModelFiles, name: &str, runtime: Runtime) -> Result<CrossEncoder, ModelError> {
        let mut files = files.with_adapter(name, self.adapter.clone())?;
        files.recipe.max_tokens = files.recipe.max_tokens.min(self.record.max_tokens);
        let id = EncoderId::new(format!("{}/{}", files.pinned, runtime.precision))?;
        let inference = Inference::load_scorer(&files, runtime)?;
        if inference.dim() != self.head.row.len() {
            return Err(ModelError::Adapter {
                found: format!("token vectors of {} numbers", self.head.row.len()),
                expected: format!("{} of {}", inference.dim(), self.record.base),
            });
        }
        Ok(CrossEncoder::with_head(id, inference, ScoreHead::learned(self.head.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_ships_is_read_and_belongs_to_a_registered_model() {
        let shipped = EvidenceModel::shipped().unwrap();
        assert_eq!(shipped.entry().unwrap().name, "all-MiniLM-L6-v2");
        assert_eq!((shipped.record().form, shipped.record().max_tokens), (PairForm::Excerpt, 128));
        assert!(shipped.head.answers.is_some(), "confidence goes by it");
    }
}
