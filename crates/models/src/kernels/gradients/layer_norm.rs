//! Layer normalisation with what its derivative needs.

use crate::kernels::{
    LayerNorm,
    simd::{Family, Kernel, Simd, fma},
    sums::{dot, sum},
};

/// Rows of mean 0 and variance 1, and what each was divided by.
#[derive(Default)]
pub(crate) struct Normalised {
    /// `[rows, width]`
    pub(crate) rows: Vec<f32>,
    /// The inverse of each row's deviation.
    pub(crate) inverses: Vec<f32>,
}

/// Normalises each row of `norm`'s width in place, and tells how.
pub(crate) fn normalise(family: Family, norm: &LayerNorm, rows: &mut [f32]) -> Normalised {
    family.run(Forward { norm, rows })
}

/// Turns the derivatives by what a normalisation gave into those by what it was given, in place.
pub(crate) fn through_norm(family: Family, norm: &LayerNorm, of: &Normalised, derivatives: &mut [f32]) {
    family.run(Backward { norm, of, derivatives });
}

struct Forward<'a> {
    norm: &'a LayerNorm,
    rows: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Output = Normalised;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Normalised {
        let width = self.norm.scale.len();
        let mut found = Normalised { rows: vec![0.0; self.rows.len()], inverses: Vec::new() };
        for (row, normal) in self.rows.chunks_exact_mut(width).zip(found.rows.chunks_exact_mut(width)) {
            let mean = sum(row, |x| x) / width as f32;
            let variance = sum(row, |x| (x - mean) * (x - mean)) / width as f32;
            let inverse = 1.0 / (variance + self.norm.epsilon).sqrt();
            found.inverses.push(inverse);
            let parts = row.iter_mut().zip(normal).zip(self.norm.scale.iter().zip(&self.norm.shift));
            for ((x, normal), (scale, shift)) in parts {
                *normal = (*x - mean) * inverse;
                *x = fma::<S>(*normal, *scale, *shift);
            }
        }
        found
    }
}

struct Backward<'a> {
    norm: &'a LayerNorm,
    of: &'a Normalised,
    derivatives: &'a mut [f32],
}

impl Kernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let width = self.norm.scale.len();
        let rows = self.derivatives.chunks_exact_mut(width).zip(self.of.rows.chunks_exact(width));
        for ((row, normal), inverse) in rows.zip(&self.of.inverses) {
            row.iter_mut().zip(&self.norm.scale).for_each(|(x, scale)| *x *= scale);
            let mean = sum(row, |x| x) / width as f32;
            let along = dot(row, normal) / width as f32;
            for (x, normal) in row.iter_mut().zip(normal) {
                *x = (*x - fma::<S>(along, *normal, mean)) * inverse;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::families;

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let norm = LayerNorm {
            scale: (0..5).map(|i| 1.0 + i as f32 * 0.3).collect(),
            shift: (0..5).map(|i| i as f32 * 0.1).collect(),
            epsilon: 1e-12,
        };
        let input = [0.3f32, -1.2, 0.7, 2.0, -0.4];
        let weights = [0.5f32, -0.2, 0.9, 0.1, -0.7];
        for family in families() {
            let loss = |input: [f32; 5]| {
                let mut rows = input;
                normalise(family, &norm, &mut rows);
                rows.iter().zip(weights).map(|(x, w)| f64::from(x * w)).sum::<f64>()
            };
            let mut rows = input;
            let of = normalise(family, &norm, &mut rows);
            let mut found = weights;
            through_norm(family, &norm, &of, &mut found);
            for i in 0..5 {
                let moved = |step: f32| {
                    let mut moved = input;
                    moved[i] += step;
                    loss(moved)
                };
                let expected = (moved(0.01) - moved(-0.01)) / 0.02;
                assert!((f64::from(found[i]) - expected).abs() < 2e-3, "{i}: {} {expected}", found[i]);
            }
        }
    }
}
