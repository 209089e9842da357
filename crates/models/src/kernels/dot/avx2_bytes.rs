//! Four products of bytes a lane in two instructions, eight in three: AVX2.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
};

use super::{Dot, Encoding, Product};
use crate::kernels::{
    balanced::GROUP,
    simd::{Simd, avx2::Avx2},
};

/// Products of two words added up in 16 bits, then pairs of those sums in 32.
///
/// 16 bits hold them: [`Encoding::Balanced`] keeps the numbers of a row small enough, and weights are below 256.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes(pub(crate) Avx2);

#[target_feature(enable = "avx2,fma")]
// Never within its caller: what a tile holds in registers must not compete with the rest of the product.
#[inline(never)]
fn compiled<P: Product>(dot: Bytes, product: P) {
    product.run(dot);
}

impl Dot for Bytes {
    const ENCODING: Encoding = Encoding::Balanced;
    const DEPTH_STEP: usize = GROUP;
    const IN_PAIRS: bool = true;
    type Simd = Avx2;
    type Sums = __m256i;
    type Register = __m256i;

    #[inline(always)]
    fn simd(self) -> Avx2 {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        // SAFETY: `self.0` exists only where its `detect` found the instructions.
        unsafe { compiled(self, product) }
    }

    #[inline(always)]
    fn zero(self) -> __m256i {
        self.0.splat_word(0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        self.0.splat_word(word)
    }

    #[inline(always)]
    fn load(self, words: &[u32; 8]) -> __m256i {
        self.0.load_words(words)
    }

    #[inline(always)]
    fn dot(self, sums: __m256i, row: __m256i, columns: __m256i) -> __m256i {
        // SAFETY: `self.0` exists only where its `detect` found the instructions; their operands are registers.
        unsafe {
            let pairs = _mm256_maddubs_epi16(columns, row);
            _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }

    #[inline(always)]
    fn dot_two(self, sums: __m256i, rows: [__m256i; GROUP], columns: [__m256i; GROUP]) -> __m256i {
        // SAFETY: as in `dot`.
        unsafe {
            let first = _mm256_maddubs_epi16(columns[0], rows[0]);
            let both = _mm256_add_epi16(first, _mm256_maddubs_epi16(columns[1], rows[1]));
            _mm256_add_epi32(sums, _mm256_madd_epi16(both, _mm256_set1_epi16(1)))
        }
    }

    #[inline(always)]
    fn store(self, sums: __m256i, words: &mut [u32; 8]) {
        self.0.store_words(sums, words);
    }

    #[inline(always)]
    fn resume(self, words: &[u32; 8]) -> __m256i {
        self.0.load_words(words)
    }
}
