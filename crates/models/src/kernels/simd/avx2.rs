//! AVX2 and FMA, as nearly every x86-64 processor since 2013 has them.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::x86_64::{
    __m256, __m256i, _MM_HINT_T1, _mm_prefetch, _mm256_add_epi32, _mm256_and_si256, _mm256_blend_epi16,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_max_ps, _mm256_mul_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_slli_epi32, _mm256_srli_epi32,
    _mm256_storeu_ps, _mm256_storeu_si256,
};

use super::{Kernel, Simd};
use crate::kernels::weights::STRIP;

const LANES: usize = 8;

/// Proof that the processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        there.then_some(Self(()))
    }
}

#[target_feature(enable = "avx2,fma")]
// Never within its caller: what a tile holds in registers must not compete with the rest of the product.
#[inline(never)]
fn compiled<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Runs an instruction whose operands are registers.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: `self` exists only where `detect` found the instructions that the call needs.
        unsafe { $call }
    };
}

impl Simd for Avx2 {
    const LANES: usize = LANES;
    const REGISTERS: usize = 16;
    const ROWS: usize = 6;
    const ROW_STEP: usize = 2;
    const STRIP: usize = STRIP;
    const INTERLEAVED: bool = false;
    const FMA: bool = true;
    type Floats = [f32; LANES];
    type Words = [u32; LANES];
    type F = __m256;
    type I = __m256i;

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        instruction!(compiled(self, kernel))
    }

    vectors_of_slices!();

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        instruction!(_mm256_set1_ps(value))
    }

    #[inline(always)]
    fn load(self, values: &Self::Floats) -> Self::F {
        // SAFETY: as `instruction!`; the array is 32 readable bytes, and the load needs no alignment.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, vector: Self::F, values: &mut Self::Floats) {
        // SAFETY: as `instruction!`; the array is 32 writable bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), vector) }
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(_mm256_mul_ps(a, b))
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        instruction!(_mm256_fmadd_ps(a, b, c))
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(_mm256_max_ps(a, b))
    }

    #[inline(always)]
    fn halves(self, words: Self::I) -> (Self::F, Self::F) {
        instruction!((
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(words)),
            _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(0xffff_0000_u32.cast_signed()))),
        ))
    }

    #[inline(always)]
    fn pair(self, low: Self::F, high: Self::F) -> Self::I {
        let half = self.splat_word(0x8000);
        instruction!({
            let low = _mm256_srli_epi32::<16>(_mm256_add_epi32(_mm256_castps_si256(low), half));
            // The odd places of 16 bits from `high`.
            _mm256_blend_epi16::<0xaa>(low, _mm256_add_epi32(_mm256_castps_si256(high), half))
        })
    }

    #[inline(always)]
    fn as_words(self, vector: Self::F) -> Self::I {
        instruction!(_mm256_castps_si256(vector))
    }

    #[inline(always)]
    fn as_floats(self, words: Self::I) -> Self::F {
        instruction!(_mm256_castsi256_ps(words))
    }

    #[inline(always)]
    fn prefetch(self, word: *const u32) {
        // SAFETY: as `instruction!`; a hint, which reads nothing for the program and ignores what cannot be read.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(word.cast()) }
    }

    #[inline(always)]
    fn load_words(self, words: &Self::Words) -> Self::I {
        // SAFETY: as in `load`.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, vector: Self::I, words: &mut Self::Words) {
        // SAFETY: as in `store`.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) }
    }

    #[inline(always)]
    fn splat_word(self, word: u32) -> Self::I {
        instruction!(_mm256_set1_epi32(word.cast_signed()))
    }

    #[inline(always)]
    fn multiply_pairs(self, sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        instruction!(_mm256_add_epi32(sum, _mm256_madd_epi16(a, b)))
    }
}
