//! Layer normalisation, and what it leaves as the next product's left-hand side.

use super::{
    Activations,
    dot::{Dot, Product},
    simd::{Simd, fma},
    sums::sum,
};

/// Scale and shift of a layer normalisation, `hidden` components each.
pub(crate) struct LayerNorm {
    /// What each normalised component is multiplied with.
    pub(crate) scale: Vec<f32>,
    /// What is added to it then.
    pub(crate) shift: Vec<f32>,
    /// What keeps the variance above zero.
    pub(crate) epsilon: f32,
}

/// Normalises each row of `hidden` components to mean 0 and variance 1, scales and shifts it,
/// and takes it while it is in the first-level cache.
pub(super) struct Normalise<'a> {
    pub(super) rows: &'a mut [f32],
    pub(super) norm: &'a LayerNorm,
    pub(super) into: &'a mut Activations,
}

impl Product for Normalise<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        let width = self.norm.scale.len();
        let count = self.rows.len() / width;
        self.into.fill(dot, count, width, |i, encoder| {
            let row = &mut self.rows[i * width..][..width];
            normalise::<D::Simd>(row, self.norm);
            encoder.encode(row);
        });
    }
}

#[inline(always)]
fn normalise<S: Simd>(row: &mut [f32], norm: &LayerNorm) {
    let width = row.len() as f32;
    let mean = sum(row, |x| x) / width;
    let variance = sum(row, |x| (x - mean) * (x - mean)) / width;
    let inverse = 1.0 / (variance + norm.epsilon).sqrt();
    for ((x, scale), shift) in row.iter_mut().zip(&norm.scale).zip(&norm.shift) {
        *x = fma::<S>((*x - mean) * inverse, *scale, *shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::arithmetics;

    #[test]
    fn equals_the_definition_in_f64() {
        for arithmetic in arithmetics() {
            let width = 37;
            let mut rows: Vec<f32> = (0..2 * width).map(|i| ((i * 31) % 17) as f32 * 0.7 - 3.0).collect();
            let norm = LayerNorm {
                scale: (0..width).map(|i| 1.0 + i as f32 * 0.01).collect(),
                shift: (0..width).map(|i| i as f32 * 0.1).collect(),
                epsilon: 1e-12,
            };
            let before = rows.clone();
            arithmetic.normalise(&mut rows, &norm, &mut Activations::default());
            for (row, found) in before.chunks(width).zip(rows.chunks(width)) {
                let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / width as f64;
                let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / width as f64;
                for i in 0..width {
                    let expected = (f64::from(row[i]) - mean) / (variance + 1e-12).sqrt() * f64::from(norm.scale[i])
                        + f64::from(norm.shift[i]);
                    assert!((f64::from(found[i]) - expected).abs() < 1e-5, "{i}: {} {expected}", found[i]);
                }
            }
        }
    }
}
