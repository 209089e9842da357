//! The importance prior (decision record: a multiplier after fusion, not a leg).

/// Share of a fused score that importance 0 leaves.
const BASE: f64 = 0.7;
/// Share that importance 1 adds.
const RANGE: f64 = 0.3;

/// What a fused score is multiplied by; `importance` in [0, 1], result in [0.7, 1].
pub fn factor(importance: f64) -> f64 {
    BASE + RANGE * importance
}

/// Multiplies each fused score by its candidate's [`factor`].
///
/// Fused z-scores can be negative, and a factor below 1 would raise those; so
/// the least score is taken as zero first. Where all candidates are equally
/// important nothing changes, not even the scale.
///
/// Returns what was taken as zero; `None` where nothing changed.
pub fn apply(scores: &mut [f64], importance: impl Fn(usize) -> f64) -> Option<f64> {
    let first = (!scores.is_empty()).then(|| importance(0))?;
    if (1..scores.len()).all(|i| importance(i) == first) {
        return None;
    }
    let least = scores.iter().copied().fold(0.0, f64::min);
    for (i, score) in scores.iter_mut().enumerate() {
        *score = (*score - least) * factor(importance(i));
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_of_the_record() {
        assert!((factor(0.0) - 0.7).abs() < 1e-15 && (factor(1.0) - 1.0).abs() < 1e-15);
        let mut scores = [2.0, 2.0, 1.0];
        assert_eq!(apply(&mut scores, |i| [0.5, 1.0, 0.5][i]), Some(0.0));
        assert_eq!(scores, [2.0 * 0.85, 2.0, 0.85]);
    }

    #[test]
    fn importance_never_lowers_a_negative_score_below_its_peers() {
        let mut scores = [-1.0, -1.0, 0.5];
        assert_eq!(apply(&mut scores, |i| [1.0, 0.0, 0.0][i]), Some(-1.0));
        assert!(scores[0] >= scores[1] && scores[2] > scores[0], "{scores:?}");
    }

    #[test]
    fn equal_importance_changes_nothing() {
        let mut scores = [-1.0, 3.0];
        assert_eq!(apply(&mut scores, |_| 0.5), None);
        assert_eq!(scores, [-1.0, 3.0]);
        assert_eq!(apply(&mut [], |_| 0.5), None);
    }
}
