//! Random numbers that are the same on every machine.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{RngCore, SeedableRng},
};

/// Draws that depend on the seed and on ChaCha8 alone, not on how a crate stretches a seed or makes a range.
pub struct Draws(ChaCha8Rng);

impl Draws {
    /// The key is the seed, little-endian, and zeros.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A number below `n`: the high half of a 64-bit draw times `n`, whose bias is below `n / 2^64`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// A number in [0, 1), by 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `Beta(a, b)` for whole `a` and `b` from 1: the `a`-th smallest of `a + b - 1` uniform numbers.
    pub fn beta(&mut self, a: usize, b: usize) -> f64 {
        let mut uniforms: Vec<f64> = (1..a + b).map(|_| self.uniform()).collect();
        uniforms.sort_unstable_by(f64::total_cmp);
        uniforms[a - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_mean_and_variance_of_their_beta() {
        let mut draws = Draws::new(1);
        for (a, b) in [(1, 1), (1, 7), (4, 4), (6, 2)] {
            let values: Vec<f64> = (0..8000).map(|_| draws.beta(a, b)).collect();
            let mean = values.iter().sum::<f64>() / 8000.0;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 8000.0;
            let (a, b) = (a as f64, b as f64);
            assert!((mean - a / (a + b)).abs() < 0.01, "{a} {b}: {mean}");
            assert!((variance - a * b / ((a + b).powi(2) * (a + b + 1.0))).abs() < 0.004, "{a} {b}: {variance}");
        }
    }
}
