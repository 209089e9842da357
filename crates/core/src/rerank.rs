//! Rerankers: the best candidates of a search in another order.

mod candidate_score;
mod english;
mod evidence;
mod pair_form;
mod superseded;
mod unusable;

pub use candidate_score::{CandidateScore, Logits};
pub use english::in_english;
pub use evidence::{EvidenceReranker, FORBIDDEN_FIELDS, standardised};
pub use pair_form::{PairForm, Passage};
pub use unusable::UnusableReranker;

use std::{num::NonZeroUsize, sync::Arc};

use crate::{
    encoder::{Locality, PairScorer},
    pipeline::Legs,
    types::Timestamp,
};

/// Scores the best candidates of a search, given all of them.
///
/// A reranker only scores. [`order`] makes the order of the scores, and is the one place that checks them: the candidates
/// stay the same set, and what comes after them stays as it is.
pub trait Reranker: Send + Sync {
    /// Its name, for reports and messages.
    fn name(&self) -> String;

    /// Whether texts stay on this machine. A remote reranker is never shown a sensitive memory.
    fn locality(&self) -> Locality;

    /// How many of the best candidates it is shown, where nobody says.
    fn default_depth(&self) -> NonZeroUsize;

    /// How many turns before and after each candidate it is shown, at most.
    fn neighbours(&self) -> u32 {
        0
    }

    /// Whether the confidence in its first hit can be told by its scores, as
    /// [`Confidence::reranked`](crate::pipeline::confidence::Confidence::reranked) does. Otherwise a search keeps the confidence
    /// in the first hit of the order before.
    fn is_calibrated(&self) -> bool {
        false
    }

    /// Refuses settings that make no sense, before anything is searched.
    ///
    /// # Errors
    /// [`RerankError::Settings`].
    fn check(&self) -> Result<(), RerankError> {
        Ok(())
    }

    /// A score for each candidate, in order; more is better. `None` leaves a candidate unscored: it comes after those
    /// with a score.
    ///
    /// # Errors
    /// [`RerankError::Failed`] keeps the order of the search, and a warning says why.
    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError>;

    /// The same with what confidence goes by, which only a reranker says that [`Reranker::is_calibrated`].
    ///
    /// # Errors
    /// As [`Reranker::score`].
    fn score_candidates(
        &self,
        query: &str,
        candidates: &[RerankCandidate],
    ) -> Result<Vec<CandidateScore>, RerankError> {
        let scores = self.score(query, candidates)?;
        Ok(scores.into_iter().map(|score| CandidateScore { score, ..CandidateScore::default() }).collect())
    }

    /// Scores a session by its turns that have a score, and by the session's own score in the first stage, in standard
    /// deviations of the sessions that are reordered. By default it has the score of its best turn.
    fn score_session(&self, turns: &[CandidateScore], _first_stage: f64) -> CandidateScore {
        CandidateScore::best_of(turns)
    }
}

/// A turn or note that a reranker is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RerankCandidate {
    /// Its id, for messages.
    pub id: String,
    /// The text as it is indexed, with its speaker and image caption.
    pub text: String,
    /// When it was said.
    pub said_at: Option<Timestamp>,
    /// Score of the first stage; comparable within one search only.
    pub score: f64,
    /// Its signals: where it stands in each leg.
    pub legs: Legs,
    /// Its place in the history, from 1; what was said later has a larger one.
    pub position: u64,
    /// How new it is, from 0 to 1, where the question asks for what holds now
    /// ([`Times::asks_for_now`](crate::time::Times::asks_for_now)); `None` elsewhere.
    pub recency: Option<f64>,
    /// Names of the fields of its metadata, whose values no reranker sees.
    pub fields: Vec<String>,
    /// Up to [`Reranker::neighbours`] turns before it in its session, the last one nearest, as they are indexed.
    pub before: Vec<String>,
    /// The turns after it, the first one nearest.
    pub after: Vec<String>,
}

/// A reranker gave no scores.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankError {
    /// Its settings make no sense.
    #[error("{0}")]
    Settings(String),
    /// It failed, or its scores cannot be used.
    #[error("{0}")]
    Failed(String),
}

/// The order of candidates by their scores, as places: best first, equals as they stand, unscored ones last and as they
/// stand.
///
/// # Errors
/// When there are more or fewer scores than candidates, or one is not a number.
pub fn order(scores: &[Option<f64>], candidates: usize) -> Result<Vec<usize>, RerankError> {
    require_one_each(scores.len(), candidates)?;
    if let Some(place) = scores.iter().position(|score| score.is_some_and(f64::is_nan)) {
        return Err(RerankError::Failed(format!("the score of candidate {place} is not a number")));
    }
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|&a, &b| match (scores[a], scores[b]) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    Ok(places)
}

/// Refuses more or fewer scores than candidates.
fn require_one_each(found: usize, expected: usize) -> Result<(), RerankError> {
    if found == expected {
        return Ok(());
    }
    Err(RerankError::Failed(format!("found {found} scores, expected {expected}, one a candidate")))
}

/// A cross-encoder as a reranker: each candidate is read together with the query.
#[derive(Clone)]
pub struct CrossEncoderReranker {
    scorer: Arc<dyn PairScorer>,
}

impl CrossEncoderReranker {
    /// The protected prefix of the evidence reranker (cascade paper, section 3).
    pub const DEPTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

    /// Scores are the model's logits.
    pub fn new(scorer: Arc<dyn PairScorer>) -> Self {
        Self { scorer }
    }
}

impl Reranker for CrossEncoderReranker {
    fn name(&self) -> String {
        self.scorer.id().to_string()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        Self::DEPTH
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        let texts: Vec<&str> = candidates.iter().map(|candidate| candidate.text.as_str()).collect();
        let scores = self.scorer.score(query, &texts).map_err(|error| RerankError::Failed(error.to_string()))?;
        Ok(scores.into_iter().map(|score| Some(f64::from(score))).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_best_come_first_and_unscored_ones_keep_their_order() {
        let scores = [None, Some(0.1), Some(0.9), None, Some(0.1)];
        assert_eq!(order(&scores, 5).unwrap(), [2, 1, 4, 0, 3]);
    }

    #[test]
    fn scores_that_cannot_be_used_are_refused() {
        assert!(order(&[Some(1.0)], 2).unwrap_err().to_string().contains("found 1 scores, expected 2"));
        assert!(order(&[Some(1.0), Some(f64::NAN)], 2).unwrap_err().to_string().contains("candidate 1"));
    }

    proptest! {
        #[test]
        fn the_candidates_stay_the_same_set(scores in prop::collection::vec(prop::option::of(-9.0f64..9.0), 0..30)) {
            let mut places = order(&scores, scores.len()).unwrap();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..scores.len()));
        }
    }
}
