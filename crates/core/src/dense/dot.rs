//! Dot products over many rows, in the widest registers the processor has.
//!
//! The loops are plain Rust with a fixed number of partial sums, so the result is
//! the same, bit for bit, on every processor; `pulp` only compiles them for each.

use pulp::{Arch, Simd, WithSimd};

/// Independent partial sums of f32: one 512-bit register.
const LANES: usize = 16;
/// Codes taken at a time.
const CODES: usize = 32;

/// Dot products of `query` with the rows named by `rows`, each `query.len()` components of `data`.
pub(super) fn dots(query: &[f32], data: &[f32], rows: &[u32]) -> Vec<f32> {
    Arch::new().dispatch(Rows { query, data, rows })
}

/// Dot products of `query` with the rows named by `rows`, each `query.len()` codes of `data`; exact.
pub(super) fn dots_of_codes(query: &[i8], data: &[i8], rows: &[u32]) -> Vec<i32> {
    Arch::new().dispatch(CodeRows { query, data, rows })
}

struct Rows<'a> {
    query: &'a [f32],
    data: &'a [f32],
    rows: &'a [u32],
}

impl WithSimd for Rows<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        let dim = self.query.len();
        self.rows.iter().map(|&row| dot(self.query, &self.data[row as usize * dim..][..dim])).collect()
    }
}

struct CodeRows<'a> {
    query: &'a [i8],
    data: &'a [i8],
    rows: &'a [u32],
}

impl WithSimd for CodeRows<'_> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<i32> {
        let dim = self.query.len();
        self.rows.iter().map(|&row| dot_codes(self.query, &self.data[row as usize * dim..][..dim])).collect()
    }
}

/// `sum a[i] * b[i]` over the common length, in f32.
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (heads_a, tail_a) = a.as_chunks::<LANES>();
    let (heads_b, tail_b) = b.as_chunks::<LANES>();
    for (a, b) in heads_a.iter().zip(heads_b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let tail: f32 = tail_a.iter().zip(tail_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + tail
}

/// `sum a[i] * b[i]` of 8-bit codes, exact.
#[inline(always)]
fn dot_codes(a: &[i8], b: &[i8]) -> i32 {
    let (heads_a, tail_a) = a.as_chunks::<CODES>();
    let (heads_b, tail_b) = b.as_chunks::<CODES>();
    let mut sum = 0;
    for (a, b) in heads_a.iter().zip(heads_b) {
        // Widened to 16 bits first: that is one multiply-add instruction for two products.
        sum += a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a)) * i32::from(i16::from(*b))).sum::<i32>();
    }
    sum + tail_a.iter().zip(tail_b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_the_plain_sum(pairs in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 1..100)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let two = [b.clone(), b.clone()].concat();
            for found in dots(&a, &two, &[1, 0]) {
                prop_assert!((f64::from(found) - plain).abs() < 1e-4);
                prop_assert_eq!(found, dot(&a, &b), "dispatched or not, the same bits");
            }
        }

        #[test]
        fn codes_are_exact(pairs in prop::collection::vec((-127i8..=127, -127i8..=127), 1..100)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.into_iter().unzip();
            let plain: i32 = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert_eq!(dots_of_codes(&a, &[b.clone(), b].concat(), &[1, 0]), vec![plain; 2]);
        }
    }
}
