//! A cross-encoder as a [`PairScorer`].

use aforesaid_core::{EncodeError, PairScorer, types::EncoderId};

use crate::{
    ModelError, ModelFiles, ModelKind, Runtime,
    architecture::PairHead,
    bert::ScoreHead,
    inference::{Inference, arithmetic},
};

/// A model that reads a question and a passage together and says how well the one answers the other.
///
/// A pair longer than the model reads is cut on its longer side. Pairs run in batches by length; the score of
/// one is the same, bit for bit, alone and in any batch.
pub struct CrossEncoder {
    id: EncoderId,
    inference: Inference,
    head: PairHead,
}

impl CrossEncoder {
    /// Reads weights, head, tokenizer and configuration.
    ///
    /// The checksums were compared when `files` was made; here they are not.
    ///
    /// # Errors
    /// When the model is no reranker, its head has several labels, or a file is missing, damaged, or of a model
    /// this crate cannot run.
    pub fn load(files: &ModelFiles, runtime: Runtime) -> Result<Self, ModelError> {
        let id = files.id_of(ModelKind::Reranker, runtime.precision)?;
        let head = PairHead::load(files, arithmetic(runtime)?)?;
        Ok(Self { id, inference: Inference::load(files, runtime)?, head })
    }

    /// A model with a head that was learned for it.
    pub(crate) fn with_head(id: EncoderId, inference: Inference, head: ScoreHead) -> Self {
        Self { id, inference, head: PairHead::Bert(head) }
    }
}

impl PairScorer for CrossEncoder {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        let width = self.inference.dim();
        let scores = self.inference.run(
            passages,
            self.head.pooling(),
            |tokenizer, passage| tokenizer.pair(query, passage),
            |tokens| self.head.score(tokens, width),
        );
        let finite = scores.and_then(|scores| match scores.iter().position(|score| !score.is_finite()) {
            None => Ok(scores),
            Some(i) => Err(format!(
                "passage {i} has the score {}, expected a number; \
                 the weights may be damaged: verify the checksums of the model's files",
                scores[i]
            )),
        });
        finite.map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }

    fn reads(&self, query: &str, passage: &str) -> Result<usize, EncodeError> {
        let read = self.inference.reading().reads(query, passage);
        read.map_err(|message| EncodeError { encoder: self.id.clone(), message })
    }
}
