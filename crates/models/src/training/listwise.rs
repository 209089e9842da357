//! The loss of a list: gold candidates shall have the largest shares of the softmax.

/// Cross-entropy between the gold of a list, normalised, and the softmax of its scores, in nats (ConvMemory v2,
/// section 5.1); `slopes` becomes its derivatives by the scores.
///
/// A list without gold has loss 0 and no slope: there is nothing to learn from it.
pub(super) fn listwise(scores: &[f32], gold: &[bool], slopes: &mut Vec<f32>) -> f64 {
    slopes.clear();
    let golds = gold.iter().filter(|gold| **gold).count();
    if golds == 0 {
        slopes.resize(scores.len(), 0.0);
        return 0.0;
    }
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f64 = scores.iter().map(|score| f64::from(score - most).exp()).sum();
    let share = 1.0 / golds as f64;
    let mut loss = 0.0;
    for (score, gold) in scores.iter().zip(gold) {
        let log = f64::from(score - most) - total.ln();
        let wanted = if *gold { share } else { 0.0 };
        loss -= wanted * log;
        slopes.push((log.exp() - wanted) as f32);
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut slopes = Vec::new();
        // Equal scores: each share is a third.
        let loss = listwise(&[1.0, 1.0, 1.0], &[true, false, false], &mut slopes);
        assert!((loss - 3f64.ln()).abs() < 1e-6, "{loss}");
        assert!((slopes[0] + 2.0 / 3.0).abs() < 1e-6 && (slopes[1] - 1.0 / 3.0).abs() < 1e-6, "{slopes:?}");
        // Two of three are gold, each with half: ln 3 again.
        let loss = listwise(&[1.0, 1.0, 1.0], &[true, false, true], &mut slopes);
        assert!((loss - 3f64.ln()).abs() < 1e-6 && (slopes[0] + 1.0 / 6.0).abs() < 1e-6, "{loss} {slopes:?}");
    }

    #[test]
    fn a_list_without_gold_teaches_nothing() {
        let mut slopes = vec![9.0];
        assert_eq!(listwise(&[3.0, 1.0], &[false, false], &mut slopes), 0.0);
        assert_eq!(slopes, [0.0, 0.0]);
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let (scores, gold) = ([0.3f32, -1.2, 2.0, 0.7], [false, true, true, false]);
        let (mut slopes, mut unused) = (Vec::new(), Vec::new());
        listwise(&scores, &gold, &mut slopes);
        for i in 0..4 {
            let mut at = |step: f32| {
                let mut moved = scores;
                moved[i] += step;
                listwise(&moved, &gold, &mut unused)
            };
            let expected = (at(0.01) - at(-0.01)) / 0.02;
            assert!((f64::from(slopes[i]) - expected).abs() < 1e-3, "{i}: {} {expected}", slopes[i]);
        }
    }
}
