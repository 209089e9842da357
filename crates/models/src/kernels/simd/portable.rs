//! Plain Rust for every processor; the compiler makes of it what the target's baseline allows.

use super::{Kernel, Simd};

const LANES: usize = 4;

/// No instructions beyond the baseline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    const LANES: usize = LANES;
    const ROWS: usize = 1;
    const ROW_STEP: usize = 1;
    const FMA: bool = false;
    type Floats = [f32; LANES];
    type Words = [u32; LANES];
    type F = [f32; LANES];
    type I = [i32; LANES];

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    vectors_of_slices!();

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        [value; LANES]
    }

    #[inline(always)]
    fn load(self, values: &Self::Floats) -> Self::F {
        *values
    }

    #[inline(always)]
    fn store(self, vector: Self::F, values: &mut Self::Floats) {
        *values = vector;
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn halves(self, words: Self::I) -> (Self::F, Self::F) {
        let float = |word: i32| f32::from_bits(word.cast_unsigned());
        (words.map(|word| float(word << 16)), words.map(|word| float(word >> 16 << 16)))
    }

    #[inline(always)]
    fn pair(self, low: Self::F, high: Self::F) -> Self::I {
        let rounded = |value: f32| value.to_bits().wrapping_add(0x8000);
        std::array::from_fn(|i| (rounded(low[i]) >> 16 | rounded(high[i]) & 0xffff_0000).cast_signed())
    }

    #[inline(always)]
    fn as_words(self, vector: Self::F) -> Self::I {
        vector.map(|value| value.to_bits().cast_signed())
    }

    #[inline(always)]
    fn as_floats(self, words: Self::I) -> Self::F {
        words.map(|word| f32::from_bits(word.cast_unsigned()))
    }

    #[inline(always)]
    fn load_words(self, words: &Self::Words) -> Self::I {
        words.map(u32::cast_signed)
    }

    #[inline(always)]
    fn store_words(self, vector: Self::I, words: &mut Self::Words) {
        *words = vector.map(i32::cast_unsigned);
    }

    #[inline(always)]
    fn splat_word(self, word: u32) -> Self::I {
        [word.cast_signed(); LANES]
    }

    #[inline(always)]
    fn multiply_pairs(self, sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        let product = |a: i32, b: i32| i32::from(a as i16) * i32::from(b as i16);
        std::array::from_fn(|i| sum[i].wrapping_add(product(a[i], b[i])).wrapping_add(product(a[i] >> 16, b[i] >> 16)))
    }
}
