//! Layer normalisation.

use pulp::{Arch, Simd, WithSimd};

use super::sums::sum;

/// Scale and shift of a layer normalisation, `hidden` components each.
pub(crate) struct LayerNorm {
    /// What each normalised component is multiplied with.
    pub(crate) scale: Vec<f32>,
    /// What is added to it then.
    pub(crate) shift: Vec<f32>,
    /// What keeps the variance above zero.
    pub(crate) epsilon: f32,
}

/// Normalises each row of `hidden` components to mean 0 and variance 1, then scales and shifts it.
pub(crate) fn layer_norm(rows: &mut [f32], norm: &LayerNorm) {
    Arch::new().dispatch(Normalise { rows, norm });
}

struct Normalise<'a> {
    rows: &'a mut [f32],
    norm: &'a LayerNorm,
}

impl WithSimd for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.norm.scale.len();
        for row in self.rows.chunks_exact_mut(width) {
            let mean = sum(row, |x| x) / width as f32;
            let variance = sum(row, |x| (x - mean) * (x - mean)) / width as f32;
            let inverse = 1.0 / (variance + self.norm.epsilon).sqrt();
            for ((x, scale), shift) in row.iter_mut().zip(&self.norm.scale).zip(&self.norm.shift) {
                *x = (*x - mean) * inverse * scale + shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_definition_in_f64() {
        let width = 37;
        let mut rows: Vec<f32> = (0..2 * width).map(|i| ((i * 31) % 17) as f32 * 0.7 - 3.0).collect();
        let norm = LayerNorm {
            scale: (0..width).map(|i| 1.0 + i as f32 * 0.01).collect(),
            shift: (0..width).map(|i| i as f32 * 0.1).collect(),
            epsilon: 1e-12,
        };
        let before = rows.clone();
        layer_norm(&mut rows, &norm);
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
