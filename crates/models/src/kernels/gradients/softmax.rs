//! Softmax with its derivative.

use crate::kernels::{
    exp::exp,
    simd::{Family, Kernel, Simd},
    sums::{dot, sum},
};

/// Turns each row of `width` scores into shares of 1.
pub(crate) fn softmax(family: Family, rows: &mut [f32], width: usize) {
    family.run(Forward { rows, width });
}

/// Turns the derivatives by shares into those by scores, in place; both are rows of `width`.
pub(crate) fn through_softmax(family: Family, shares: &[f32], derivatives: &mut [f32], width: usize) {
    family.run(Backward { shares, derivatives, width });
}

struct Forward<'a> {
    rows: &'a mut [f32],
    width: usize,
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for row in self.rows.chunks_exact_mut(self.width) {
            let most = row.iter().fold(f32::NEG_INFINITY, |most, x| if *x > most { *x } else { most });
            row.iter_mut().for_each(|x| *x = exp::<S>(*x - most));
            let inverse = 1.0 / sum(row, |x| x);
            row.iter_mut().for_each(|x| *x *= inverse);
        }
    }
}

struct Backward<'a> {
    shares: &'a [f32],
    derivatives: &'a mut [f32],
    width: usize,
}

impl Kernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let rows = self.derivatives.chunks_exact_mut(self.width);
        for (row, shares) in rows.zip(self.shares.chunks_exact(self.width)) {
            let mean = dot(row, shares);
            row.iter_mut().zip(shares).for_each(|(x, share)| *x = (*x - mean) * share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::families;

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let (input, weights) = ([0.3f32, -1.2, 0.7, 2.0], [0.5f32, -0.2, 0.9, 0.1]);
        for family in families() {
            let loss = |input: [f32; 4]| {
                let mut row = input;
                softmax(family, &mut row, 4);
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                row.iter().zip(weights).map(|(x, w)| f64::from(x * w)).sum::<f64>()
            };
            let (mut shares, mut found) = (input, weights);
            softmax(family, &mut shares, 4);
            through_softmax(family, &shares, &mut found, 4);
            for i in 0..4 {
                let moved = |step: f32| {
                    let mut moved = input;
                    moved[i] += step;
                    loss(moved)
                };
                let expected = (moved(0.01) - moved(-0.01)) / 0.02;
                assert!((f64::from(found[i]) - expected).abs() < 1e-3, "{i}: {} {expected}", found[i]);
            }
        }
    }
}
