//! The arm without text: place, first-stage score and time alone, weighed by what the dev side says.

use std::num::NonZeroUsize;

use aforesaid::{
    Locality,
    rerank::{CrossEncoderReranker, RerankCandidate, RerankError, Reranker, standardised},
};

const FEATURES: usize = 3;
const STEPS: usize = 400;
const RATE: f64 = 0.5;

/// A weighted sum of a candidate's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Scalars([f64; FEATURES]);

/// Of each candidate: its score in standard deviations, the inverse of its rank, and how late it is beside the latest.
fn features(candidates: &[RerankCandidate]) -> Vec<[f64; FEATURES]> {
    let scores: Vec<f64> = candidates.iter().map(|candidate| candidate.score).collect();
    let latest = candidates.iter().map(|candidate| candidate.position).max().unwrap_or(1).max(1) as f64;
    let rows = standardised(&scores).into_iter().zip(candidates).enumerate();
    rows.map(|(rank, (score, of))| [score, 1.0 / (rank as f64 + 1.0), of.position as f64 / latest]).collect()
}

impl Scalars {
    /// Learns the weights by the listwise cross-entropy of lists that have gold.
    pub(super) fn learn(lists: &[(&[RerankCandidate], Vec<bool>)]) -> Self {
        let taught: Vec<(Vec<[f64; FEATURES]>, &Vec<bool>)> = lists
            .iter()
            .filter(|(_, gold)| gold.contains(&true) && gold.contains(&false))
            .map(|(candidates, gold)| (features(candidates), gold))
            .collect();
        let mut found = Self::default();
        for _ in 0..STEPS {
            let mut slope = [0.0; FEATURES];
            for (rows, gold) in &taught {
                let scores: Vec<f64> = rows.iter().map(|row| found.of(row)).collect();
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
                let total: f64 = shares.iter().sum();
                let golds = gold.iter().filter(|gold| **gold).count() as f64;
                for ((row, share), gold) in rows.iter().zip(shares).zip(*gold) {
                    let wanted = if *gold { 1.0 / golds } else { 0.0 };
                    slope.iter_mut().zip(row).for_each(|(sum, x)| *sum += (share / total - wanted) * x);
                }
            }
            let count = taught.len().max(1) as f64;
            found.0.iter_mut().zip(slope).for_each(|(weight, slope)| *weight -= RATE * slope / count);
        }
        found
    }

    fn of(&self, row: &[f64; FEATURES]) -> f64 {
        self.0.iter().zip(row).map(|(weight, x)| weight * x).sum()
    }
}

impl Reranker for Scalars {
    fn name(&self) -> String {
        "scalar_only".to_owned()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        CrossEncoderReranker::DEPTH
    }

    fn score(&self, _: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Ok(features(candidates).iter().map(|row| Some(self.of(row))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_which_number_tells_gold() {
        let candidate = |position, score| RerankCandidate { position, score, ..RerankCandidate::default() };
        // The latest is gold, whatever its score.
        let lists: Vec<Vec<RerankCandidate>> = (0..20)
            .map(|i| {
                vec![candidate(3, 9.0 - f64::from(i % 3)), candidate(9, 5.0), candidate(1, 1.0 + f64::from(i % 2))]
            })
            .collect();
        let taught: Vec<(&[RerankCandidate], Vec<bool>)> =
            lists.iter().map(|list| (list.as_slice(), vec![false, true, false])).collect();
        let learned = Scalars::learn(&taught);
        let scores = learned.score("", &lists[0]).unwrap();
        assert!(scores[1] > scores[0] && scores[1] > scores[2], "{scores:?} {learned:?}");
    }
}
