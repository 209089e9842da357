//! The one place that sorts and breaks ties.

use std::cmp::Ordering;

/// A score that is not a number reached a ranking.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("candidate {candidate}: its score is not a number; this is a defect of the stage that scored it")]
pub struct NotANumber {
    /// Position of the candidate in unit order.
    pub candidate: usize,
}

/// A candidate, by its position in unit order, and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Position in unit order (order of arrival).
    pub candidate: u32,
    /// Higher is better; never NaN inside a [`Ranking`].
    pub score: f64,
}

/// Candidates from best to worst; equal scores stand in unit order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking(Vec<Scored>);

fn best_first(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate))
}

impl Ranking {
    /// Sorts candidates and keeps the first `depth`.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn top(mut candidates: Vec<Scored>, depth: usize) -> Result<Self, NotANumber> {
        for scored in &mut candidates {
            if scored.score.is_nan() {
                return Err(NotANumber { candidate: scored.candidate as usize });
            }
            scored.score += 0.0; // -0.0 becomes 0.0, so that the two tie
        }
        if depth < candidates.len() {
            if depth == 0 {
                return Ok(Self::default());
            }
            candidates.select_nth_unstable_by(depth - 1, best_first);
            candidates.truncate(depth);
        }
        candidates.sort_unstable_by(best_first);
        Ok(Self(candidates))
    }

    /// Sorts all candidates; `scores[i]` belongs to candidate `i`.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn of_scores(scores: &[f64]) -> Result<Self, NotANumber> {
        let candidates = (0u32..).zip(scores).map(|(candidate, &score)| Scored { candidate, score }).collect();
        Self::top(candidates, scores.len())
    }

    /// Best first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Scored> {
        self.0.iter()
    }

    /// Keeps the best `depth`.
    pub fn truncate(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// How many are ranked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is ranked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Places of the best `n` scores, ascending; of equals the first. What is no number is among the best, and is found out.
///
/// `scores` come by place, ascending. Memory is 2 `n` entries, and nearly every score of a long history costs one
/// comparison.
pub(crate) fn best_places(scores: impl Iterator<Item = (usize, f64)>, n: usize) -> Vec<usize> {
    let best_first = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut best = Vec::new();
    let mut least = f64::NEG_INFINITY;
    for (place, score) in scores {
        // An equal one that comes later is no better, and one that is no number is not worse either.
        if score <= least && best.len() >= n {
            continue;
        }
        best.push((place, score));
        if n > 0 && best.len() == 2 * n {
            least = best.select_nth_unstable_by(n - 1, best_first).1.1;
            best.truncate(n);
        }
    }
    if best.len() > n {
        best.select_nth_unstable_by(n, best_first);
        best.truncate(n);
    }
    let mut places: Vec<usize> = best.into_iter().map(|(place, _)| place).collect();
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(scores: &[f64]) -> Vec<u32> {
        Ranking::of_scores(scores).unwrap().iter().map(|s| s.candidate).collect()
    }

    #[test]
    fn ties_stand_in_unit_order() {
        assert_eq!(order(&[1.0, 2.0, 1.0, 2.0]), [1, 3, 0, 2]);
        assert_eq!(order(&[0.0, -0.0, 0.0]), [0, 1, 2]);
    }

    #[test]
    fn a_score_that_is_not_a_number_is_refused() {
        assert_eq!(Ranking::of_scores(&[0.0, f64::NAN]).unwrap_err().candidate, 1);
    }

    proptest! {
        #[test]
        fn best_places_are_those_of_the_full_ranking(
            scores in prop::collection::vec(-9i8..9, 0..80), n in 0usize..90,
        ) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let full = Ranking::of_scores(&scores).unwrap();
            let mut head: Vec<usize> = full.iter().take(n).map(|scored| scored.candidate as usize).collect();
            head.sort_unstable();
            prop_assert_eq!(best_places(scores.into_iter().enumerate(), n), head);
        }

        #[test]
        fn a_shallow_ranking_is_the_head_of_the_full_one(
            scores in prop::collection::vec(-3i8..3, 0..60), depth in 0usize..70,
        ) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let candidates = (0u32..).zip(&scores).map(|(candidate, &score)| Scored { candidate, score }).collect();
            let shallow = Ranking::top(candidates, depth).unwrap();
            let full = Ranking::of_scores(&scores).unwrap();
            let head: Vec<_> = full.iter().take(depth).copied().collect();
            prop_assert_eq!(shallow.iter().copied().collect::<Vec<_>>(), head);
        }
    }
}
