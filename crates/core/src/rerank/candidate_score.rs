//! What a reranker says of one candidate.

/// What a reranker says of a candidate, or of a session.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CandidateScore {
    /// Its score, as [`Reranker::score`](super::Reranker::score) gives it.
    pub score: Option<f64>,
    /// What of that score the candidate's standing in the first stage adds.
    pub first_stage: f64,
    /// What of that score is for what a request to an assistant must heed.
    pub heeded: f64,
    /// What that score lost to newer candidates that supersede it, where the question asks for what holds now; not negative.
    pub superseded: f64,
    /// What its model makes of it, from one that learned to tell both.
    pub logits: Option<Logits>,
}

impl CandidateScore {
    /// Whether it comes before the other only because it is newer, and is as likely as not to answer, where that is known.
    pub fn supersedes(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.score, other.score) else { return false };
        if self.logits.is_some_and(|logits| logits.answers < 0.0) {
            return false;
        }
        own >= others && own + self.superseded < others + other.superseded
    }

    /// The one with the highest score; of equal ones the first.
    pub fn best_of(scored: &[Self]) -> Self {
        let better = |best: Self, of: &Self| if of.score > best.score { *of } else { best };
        scored.iter().fold(Self::default(), better)
    }
}

/// What the model of an evidence reranker makes of a candidate, without the first stage's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logits {
    /// How well it fits the question, beside the other candidates: a logit that means nothing alone.
    pub fits: f64,
    /// Whether it answers the question: log odds.
    pub answers: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hit about something else was said to supersede the right one.
    #[test]
    fn what_hardly_answers_supersedes_nothing() {
        let scored = |score: f64, superseded: f64, answers: Option<f64>| {
            let logits = answers.map(|answers| Logits { fits: 0.0, answers });
            CandidateScore { score: Some(score), superseded, logits, ..CandidateScore::default() }
        };
        // It stands first only since it is newer: without that the other one has 4.
        let older = scored(1.0, 3.0, Some(2.0));
        let supersedes = [None, Some(0.5), Some(-0.5)].map(|answers| scored(2.0, 0.0, answers).supersedes(&older));
        assert_eq!(supersedes, [true, true, false]);
        assert!(!scored(5.0, 0.0, Some(0.5)).supersedes(&older), "it would stand first anyway");
    }
}
