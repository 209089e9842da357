//! Gradients of LambdaMART (Burges 2010, "From RankNet to LambdaRank to LambdaMART", section 7).

use super::examples::Example;

/// The first and second derivative of the loss by the score of each candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Gradient {
    pub(super) first: f64,
    pub(super) second: f64,
}

/// Adds up what each pair of a gold candidate and another one, of which one is among the first `cut` by score, wants of
/// their scores: the more, the more nDCG at `cut` changes when the two change places. The sums of a question are brought to
/// a common size.
pub(super) fn lambdas(example: &Example, scores: &[f64], cut: usize, gradients: &mut [Gradient]) {
    gradients.fill(Gradient::default());
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let golds = example.gold.iter().filter(|gold| **gold).count();
    let best: f64 = (0..golds.min(cut)).map(discount).sum();
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return };
    if best == 0.0 {
        return;
    }
    let spread = scores[first] != scores[last];
    let mut sum = 0.0;
    for (i, &upper) in order.iter().enumerate().take(cut) {
        for (j, &lower) in order.iter().enumerate().skip(i + 1) {
            if example.gold[upper] == example.gold[lower] {
                continue;
            }
            let (gold, other) = if example.gold[upper] { (upper, lower) } else { (lower, upper) };
            let ahead = scores[gold] - scores[other];
            let mut change = (discount(i) - discount(j)) / best;
            if spread {
                // Far ones are not to take the part of close ones.
                change /= 0.01 + ahead.abs();
            }
            let wrong = 1.0 / (1.0 + ahead.exp());
            let (push, curve) = (wrong * change, wrong * (1.0 - wrong) * change);
            gradients[gold].first -= push;
            gradients[other].first += push;
            gradients[gold].second += curve;
            gradients[other].second += curve;
            sum += 2.0 * push;
        }
    }
    if sum > 0.0 {
        let scale = (1.0 + sum).log2() / sum;
        for gradient in gradients {
            gradient.first *= scale;
            gradient.second *= scale;
        }
    }
}

/// Of a place from 0, in nDCG.
fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(gold: &[bool]) -> Example {
        let base = vec![0.0; gold.len()];
        Example { group: 0, golds: 1, base, values: Vec::new(), gold: gold.to_vec() }
    }

    #[test]
    fn one_pair_by_hand() {
        let (example, mut found) = (example(&[false, true]), [Gradient::default(); 2]);
        lambdas(&example, &[1.0, 0.0], 10, &mut found);
        // The swap is worth 1 - 1/log2(3) of an ideal 1, over 0.01 + 1; the gold one is behind by 1.
        let change = (1.0 - 1.0 / 3f64.log2()) / 1.01;
        let wrong = 1.0 / (1.0 + (-1f64).exp());
        let push = wrong * change;
        let scale = (1.0 + 2.0 * push).log2() / (2.0 * push);
        assert!((found[1].first + push * scale).abs() < 1e-12 && (found[0].first - push * scale).abs() < 1e-12);
        assert!((found[0].second - wrong * (1.0 - wrong) * change * scale).abs() < 1e-12);
    }

    #[test]
    fn pushes_cancel_and_pairs_below_the_cut_want_nothing() {
        let (example, mut found) = (example(&[false, false, true, false]), [Gradient::default(); 4]);
        lambdas(&example, &[4.0, 3.0, 2.0, 1.0], 1, &mut found);
        assert!(found.iter().map(|gradient| gradient.first).sum::<f64>().abs() < 1e-12);
        assert!(found[0].first > 0.0 && found[2].first < 0.0);
        assert_eq!([found[1], found[3]], [Gradient::default(); 2]);
    }
}
