//! Values of features, candidate by candidate.

use super::catalogue::{FEATURE_COUNT, FEATURES};
use crate::fusion::mean_and_deviation;

/// The features of the best candidates of one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FeatureTable {
    /// Text positions, in the order of the first stage.
    pub candidates: Vec<u32>,
    /// Scores of the first stage above their mean, in their standard deviations.
    pub base: Vec<f64>,
    /// A row a candidate of [`FEATURE_COUNT`] values; NaN where a feature has none.
    pub values: Vec<f32>,
}

impl FeatureTable {
    /// The features of each candidate, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(FEATURE_COUNT)
    }
}

/// Columns on their way into a table, in the order of [`FEATURES`].
pub(super) struct Columns {
    rows: usize,
    next: usize,
    values: Vec<f32>,
}

impl Columns {
    pub(super) fn of(rows: usize) -> Self {
        Self { rows, next: 0, values: vec![f32::NAN; rows * FEATURE_COUNT] }
    }

    /// The next feature, which must be the one of this name; `None` leaves it without values.
    pub(super) fn put(&mut self, name: &str, values: Option<impl IntoIterator<Item = f64>>) {
        debug_assert_eq!(FEATURES[self.next].name, name);
        if let Some(values) = values {
            let slots = self.values.iter_mut().skip(self.next).step_by(FEATURE_COUNT);
            slots.zip(values).for_each(|(slot, value)| *slot = value as f32);
        }
        self.next += 1;
    }

    /// One value for all candidates.
    pub(super) fn put_same(&mut self, name: &str, value: f64) {
        self.put(name, Some(std::iter::repeat_n(value, self.rows)));
    }

    /// A score, and how it compares with those of the other candidates.
    pub(super) fn put_compared(&mut self, name: &str, scores: Option<&[f64]>) {
        debug_assert_eq!(FEATURES[self.next].name, name);
        let Some(scores) = scores else {
            self.next += 4;
            return;
        };
        let (mean, deviation) = mean_and_deviation(scores);
        let over = deviation.unwrap_or(1.0);
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        let rank = |score: f64| (1.0 + sorted.partition_point(|other| *other > score) as f64).ln();
        for place in [0, 1, 2, 3] {
            let value = |&score: &f64| match place {
                0 => score,
                1 => rank(score),
                2 => (best - score) / over,
                _ => (score - mean) / over,
            };
            let name = FEATURES[self.next].name;
            self.put(name, Some(scores.iter().map(value)));
        }
    }

    pub(super) fn into_values(self) -> Vec<f32> {
        debug_assert_eq!(self.next, FEATURE_COUNT);
        self.values
    }
}
