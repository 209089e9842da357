//! What turns text into vectors.

use std::ops::Range;

use crate::types::{EncoderId, Vectors};

/// Where an encoder's arithmetic happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locality {
    /// On this machine: text does not leave it.
    Local,
    /// Behind a network: never shown a sensitive memory.
    Remote,
}

/// A text could not be encoded.
#[derive(Debug, thiserror::Error)]
#[error("encoder {encoder}: {message}")]
pub struct EncodeError {
    /// The encoder that failed.
    pub encoder: EncoderId,
    /// What happened and what to do.
    pub message: String,
}

/// What an encoder needs could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLoaded {
    /// What went wrong, for programs.
    pub code: &'static str,
    /// What went wrong and what to do.
    pub message: String,
}

/// Says how well passages answer a question, reading each together with it.
pub trait PairScorer: Send + Sync {
    /// What made the scores: model, revision and precision.
    fn id(&self) -> &EncoderId;

    /// A score for each passage, in order; more is better.
    ///
    /// It is the model's raw logit, any finite number: scores of one model can be compared, also between
    /// questions, those of two models cannot.
    ///
    /// # Errors
    /// When the model cannot take a text or cannot be reached.
    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, EncodeError>;

    /// The same with what else the model says of each pair.
    ///
    /// # Errors
    /// As [`PairScorer::score`].
    fn score_pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<PairScore>, EncodeError> {
        let whole = |(score, passage): (f32, &&str)| PairScore { score, answers: None, bytes_read: passage.len() };
        Ok(self.score(query, passages)?.into_iter().zip(passages).map(whole).collect())
    }
}

/// What a [`PairScorer`] says of a question and a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScore {
    /// The score, as [`PairScorer::score`] gives it.
    pub score: f32,
    /// The logit that the passage answers the question, from a model that learned to tell it.
    pub answers: Option<f32>,
    /// How many bytes of the passage were read, from its beginning: fewer than it has where the model cannot read the whole.
    pub bytes_read: usize,
}

/// Maps texts to unit-length vectors whose dot product is their similarity.
pub trait Encoder: Send + Sync {
    /// What made the vectors: model, revision and precision.
    fn id(&self) -> &EncoderId;

    /// Components of a vector.
    fn dim(&self) -> usize;

    /// Whether text stays on this machine.
    fn locality(&self) -> Locality;

    /// Whether its vocabulary has a word as a whole, in lower case: then it is no misspelling of another. `None` where its
    /// vocabulary is not known.
    fn has_word(&self, _word: &str) -> Option<bool> {
        None
    }

    /// The windows of a passage, as its bytes: the parts that are encoded one by one where the model does not read the whole.
    /// They hold all of it, in order; a passage that the model reads whole, or of which that is not known, is one. See
    /// [`crate::windows`].
    ///
    /// # Errors
    /// When the model cannot take the passage.
    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        Ok(std::iter::once(0..passage.len()).collect())
    }

    /// Encodes questions, one row each, with the model's own query prefix.
    ///
    /// # Errors
    /// When the model cannot take a text or cannot be reached.
    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError>;

    /// Loads what reads queries with the query adapter of that name, or, without a name, what reads passages and queries as they
    /// are. An encoder that loads everything at once has nothing to do.
    ///
    /// # Errors
    /// Why it cannot be loaded, every time.
    fn prepare(&self, _query_adapter: Option<&str>) -> Result<(), NotLoaded> {
        Ok(())
    }

    /// The checksum of the query adapter of a name; `None` where the encoder has none.
    fn query_adapter(&self, _name: &str) -> Option<&str> {
        None
    }

    /// Encodes questions, one row each, to be compared with the same vectors of passages: as the query adapter of that name
    /// reads them, where the encoder has one, and otherwise as [`Encoder::encode_queries`] does.
    ///
    /// # Errors
    /// When the model cannot take a text or cannot be reached.
    fn encode_adapted_queries(&self, _adapter: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }

    /// Encodes what may be found, one row each, with the model's own passage prefix.
    ///
    /// # Errors
    /// When the model cannot take a text or cannot be reached.
    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError>;
}
