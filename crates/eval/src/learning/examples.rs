//! What is learned from.

use aforesaid::{CandidateFeatures, pipeline::candidate::FEATURE_COUNT};

/// The candidates of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The history it is about, unique in all data.
    pub group: usize,
    /// Gold units, whether they are candidates or not.
    pub golds: usize,
    /// Scores of the first stage, in its standard deviations, best first.
    pub base: Vec<f64>,
    /// A row a candidate of [`FEATURE_COUNT`] values.
    pub values: Vec<f32>,
    /// Whether each candidate is gold.
    pub gold: Vec<bool>,
}

impl Example {
    /// The best `depth` candidates of a question; `None` where there is no candidate.
    pub fn of(found: &CandidateFeatures, gold: &[String], group: usize, depth: usize) -> Option<Self> {
        let count = found.ids.len().min(depth);
        (count > 0).then(|| Self {
            group,
            golds: gold.len(),
            base: found.table.base[..count].to_vec(),
            values: found.table.values[..count * FEATURE_COUNT].to_vec(),
            gold: found.ids[..count].iter().map(|id| gold.contains(id)).collect(),
        })
    }

    /// Values of each candidate.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(FEATURE_COUNT)
    }

    /// Whether there is anything to learn from: a candidate that is gold, and one that is not.
    pub fn teaches(&self) -> bool {
        self.gold.contains(&true) && self.gold.contains(&false)
    }

    /// Recall in the first ten and the reciprocal rank of the first gold candidate, under scores.
    pub fn measures(&self, scores: &[f64]) -> [f64; 2] {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let found = order.iter().take(10).filter(|&&row| self.gold[row]).count();
        let first = order.iter().position(|&row| self.gold[row]);
        [found as f64 / self.golds.max(1) as f64, first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0))]
    }
}
