//! The softmax of attention scores.

use pulp::{Arch, Simd, WithSimd};

use super::{
    exp::exp,
    sums::{largest, sum},
};

/// Turns each row of `width` scores into weights that sum to 1, after multiplying the scores by `factor` > 0.
pub(crate) fn softmax(rows: &mut [f32], width: usize, factor: f32) {
    Arch::new().dispatch(Softmax { rows, width, factor });
}

struct Softmax<'a> {
    rows: &'a mut [f32],
    width: usize,
    factor: f32,
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for row in self.rows.chunks_exact_mut(self.width) {
            // The largest exponent becomes 0, so that no exponential overflows.
            let top = largest(row);
            for x in row.iter_mut() {
                *x = exp((*x - top) * self.factor);
            }
            let inverse = 1.0 / sum(row, |x| x);
            for x in row.iter_mut() {
                *x *= inverse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::softmax;

    #[test]
    fn equals_the_definition_in_f64() {
        for width in [1, 2, 15, 16, 17, 256] {
            let scores: Vec<f32> = (0..width * 3).map(|i| ((i * 29) % 23) as f32 * 4.0 - 30.0).collect();
            let mut found = scores.clone();
            softmax(&mut found, width, 0.25);
            for (scores, found) in scores.chunks(width).zip(found.chunks(width)) {
                let total: f64 = scores.iter().map(|x| (f64::from(*x) * 0.25).exp()).sum();
                for (x, found) in scores.iter().zip(found) {
                    let expected = (f64::from(*x) * 0.25).exp() / total;
                    assert!((f64::from(*found) - expected).abs() < 1e-6, "{width}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn large_scores_do_not_overflow_and_a_nan_stays_visible() {
        let mut scores = [1e30, 0.0, 5.0, f32::NAN];
        softmax(&mut scores, 2, 1.0);
        assert_eq!(scores[..2], [1.0, scores[1]]);
        assert!(scores[1] < 1e-30 && scores[3].is_nan());
    }
}
