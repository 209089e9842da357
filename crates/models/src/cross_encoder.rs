//! A cross-encoder as a [`PairScorer`].

use std::sync::atomic::{AtomicUsize, Ordering};

use aforesaid_core::{EncodeError, PairScore, PairScorer, types::EncoderId};

use crate::{
    ModelError, ModelFiles, ModelKind, Runtime,
    architecture::PairHead,
    bert::{PairLogits, ScoreHead, Sequence},
    inference::{Inference, arithmetic},
    tokenizer::TextTokenizer,
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
        Ok(Self { id, inference: Inference::load_scorer(files, runtime)?, head })
    }

    /// A model with a head that was learned for it.
    pub(crate) fn with_head(id: EncoderId, inference: Inference, head: ScoreHead) -> Self {
        Self { id, inference, head: PairHead::Bert(head) }
    }
}

impl CrossEncoder {
    /// The logits of what `read` makes pairs of.
    fn run<T: Sync>(
        &self,
        items: &[T],
        read: impl Fn(&TextTokenizer, &T) -> Result<Sequence, String> + Sync + Send,
    ) -> Result<Vec<PairLogits>, String> {
        let width = self.inference.dim();
        let scores = self.inference.run(items, self.head.pooling(), read, |tokens| self.head.logits(tokens, width))?;
        let unusable = |of: &PairLogits| [Some(of.score), of.answers].into_iter().flatten().find(|it| !it.is_finite());
        match scores.iter().enumerate().find_map(|(i, of)| Some((i, unusable(of)?))) {
            None => Ok(scores),
            Some((i, found)) => Err(format!(
                "passage {i} has the score {found}, expected a number; \
                 the weights may be damaged: verify the checksums of the model's files"
            )),
        }
    }
}

impl PairScorer for CrossEncoder {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError> {
        let scores = self.run(passages, |tokenizer, passage| tokenizer.pair(query, passage));
        let scores = scores.map_err(|message| EncodeError { encoder: self.id.clone(), message })?;
        Ok(scores.into_iter().map(|of| of.score).collect())
    }

    fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
        let read: Vec<(&str, AtomicUsize)> = passages.iter().map(|passage| (*passage, AtomicUsize::new(0))).collect();
        let scores = self.run(&read, |tokenizer, (passage, read)| {
            let (sequence, bytes) = tokenizer.pair_and_read(query, passage)?;
            read.store(bytes, Ordering::Relaxed);
            Ok(sequence)
        });
        let scores = scores.map_err(|message| EncodeError { encoder: self.id.clone(), message })?;
        let pair = |(of, (_, bytes)): (PairLogits, (&str, AtomicUsize))| PairScore {
            score: of.score,
            answers: of.answers,
            bytes_read: bytes.into_inner(),
        };
        Ok(scores.into_iter().zip(read).map(pair).collect())
    }
}
