//! Boosts: signals added to the fused scores, in standard deviations of these.

use std::sync::Arc;

use super::leg::Leg;

/// Legs whose scores are added to the fused ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Boost {
    /// The word it is written with, such as `cue_boost`.
    pub word: &'static str,
    /// How the scores of its legs are measured.
    pub measure: BoostMeasure,
    /// Its legs, each with what it adds at a measure of 1, in standard deviations of the fused scores; not negative.
    pub legs: Vec<(Arc<dyn Leg>, f64)>,
}

/// What a boosted score is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoostMeasure {
    /// Its distance from the mean, in its own standard deviations; nothing is added where all candidates are alike.
    ZScore,
    /// Itself, as for a score in [0, 1].
    Plain,
    /// Its place among the best so far: 1 for the highest score, 0 for the lowest, the half without a score. It counts
    /// whole for the best, and the less the further behind the best a candidate is.
    AmongBest,
}

impl Boost {
    /// The word and the weights, as they stand in front of a pipeline: `cue_boost(0.2:0.5`.
    pub(super) fn form(&self) -> String {
        let weights: Vec<String> = self.legs.iter().map(|(_, weight)| weight.to_string()).collect();
        format!("{}({}", self.word, weights.join(":"))
    }

    /// Whether one of its legs counts.
    pub(super) fn is_used(&self) -> bool {
        self.legs.iter().any(|(_, weight)| *weight > 0.0)
    }
}
