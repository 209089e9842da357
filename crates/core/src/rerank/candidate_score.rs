//! What a reranker says of one candidate.

/// What a reranker says of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CandidateScore {
    /// Its score, as [`Reranker::score`](super::Reranker::score) gives it.
    pub score: Option<f64>,
    /// What its model makes of it, from one that learned to tell both.
    pub logits: Option<Logits>,
}

/// What the model of an evidence reranker makes of a candidate, without the first stage's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logits {
    /// How well it fits the question, beside the other candidates: a logit that means nothing alone.
    pub fits: f64,
    /// Whether it answers the question: log odds.
    pub answers: f64,
}
