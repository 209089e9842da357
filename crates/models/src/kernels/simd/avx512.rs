//! AVX-512 as server processors have it since 2017: F, BW, CD, DQ and VL.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::x86_64::{
    __m512, __m512i, _MM_HINT_T1, _mm_prefetch, _mm_storeu_si128, _mm512_add_epi32, _mm512_and_si512,
    _mm512_castps_si512, _mm512_castsi512_ps, _mm512_extracti32x4_epi32, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_madd_epi16, _mm512_mask_blend_epi16, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_slli_epi32, _mm512_srli_epi32, _mm512_storeu_ps, _mm512_storeu_si512, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::{Kernel, Simd, interleave_from};

const LANES: usize = 16;

/// Proof that the processor has AVX-512 F, BW, CD, DQ and VL, with AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma");
        there.then_some(Self(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma")]
fn compiled<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
    kernel.run(simd)
}

/// Runs an instruction whose operands are registers.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: `self` exists only where `detect` found the instructions that the call needs.
        unsafe { $call }
    };
}

impl Simd for Avx512 {
    const LANES: usize = LANES;
    const ROWS: usize = 8;
    const ROW_STEP: usize = 4;
    const FMA: bool = true;
    type Floats = [f32; LANES];
    type Words = [u32; LANES];
    type F = __m512;
    type I = __m512i;

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        instruction!(compiled(self, kernel))
    }

    vectors_of_slices!();

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        instruction!(_mm512_set1_ps(value))
    }

    #[inline(always)]
    fn load(self, values: &Self::Floats) -> Self::F {
        // SAFETY: as `instruction!`; the array is 64 readable bytes, and the load needs no alignment.
        unsafe { _mm512_loadu_ps(values.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, vector: Self::F, values: &mut Self::Floats) {
        // SAFETY: as `instruction!`; the array is 64 writable bytes, and the store needs no alignment.
        unsafe { _mm512_storeu_ps(values.as_mut_ptr(), vector) }
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(_mm512_mul_ps(a, b))
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        instruction!(_mm512_fmadd_ps(a, b, c))
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(_mm512_max_ps(a, b))
    }

    #[inline(always)]
    fn halves(self, words: Self::I) -> (Self::F, Self::F) {
        instruction!((
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)),
            _mm512_castsi512_ps(_mm512_and_si512(words, _mm512_set1_epi32(0xffff_0000_u32.cast_signed()))),
        ))
    }

    #[inline(always)]
    fn pair(self, low: Self::F, high: Self::F) -> Self::I {
        let half = self.splat_word(0x8000);
        instruction!({
            let low = _mm512_srli_epi32::<16>(_mm512_add_epi32(_mm512_castps_si512(low), half));
            // The odd places of 16 bits from `high`.
            _mm512_mask_blend_epi16(0xaaaa_aaaa, low, _mm512_add_epi32(_mm512_castps_si512(high), half))
        })
    }

    #[inline(always)]
    fn as_words(self, vector: Self::F) -> Self::I {
        instruction!(_mm512_castps_si512(vector))
    }

    #[inline(always)]
    fn as_floats(self, words: Self::I) -> Self::F {
        instruction!(_mm512_castsi512_ps(words))
    }

    #[inline(always)]
    fn interleave(self, rows: &[u32], height: usize, into: &mut [u32]) {
        let depth = into.len() / height.max(1);
        assert!(height.is_multiple_of(4) && rows.len() == height * depth && into.len() == rows.len());
        let whole = depth / LANES * LANES;
        for first in (0..height).step_by(4) {
            for at in (0..whole).step_by(LANES) {
                let place = |r: usize| (first + r) * depth + at;
                // SAFETY: as `instruction!`. Rows `first` to `first + 3` and depths `at` to `at + 15` are within
                // `rows`, which the assertion above has `height * depth` words long; so is what is written,
                // 4 words to each of 16 depths, within `into`.
                unsafe {
                    let row = |r: usize| _mm512_loadu_si512(rows.as_ptr().add(place(r)).cast());
                    let (low_a, high_a) =
                        (_mm512_unpacklo_epi32(row(0), row(1)), _mm512_unpackhi_epi32(row(0), row(1)));
                    let (low_b, high_b) =
                        (_mm512_unpacklo_epi32(row(2), row(3)), _mm512_unpackhi_epi32(row(2), row(3)));
                    // Lane l of the vector j holds the four rows at depth `at + 4 l + j`.
                    let vectors = [
                        _mm512_unpacklo_epi64(low_a, low_b),
                        _mm512_unpackhi_epi64(low_a, low_b),
                        _mm512_unpacklo_epi64(high_a, high_b),
                        _mm512_unpackhi_epi64(high_a, high_b),
                    ];
                    for (j, vector) in vectors.into_iter().enumerate() {
                        let slot = |l: usize| (at + 4 * l + j) * height + first;
                        let into = into.as_mut_ptr();
                        _mm_storeu_si128(into.add(slot(0)).cast(), _mm512_extracti32x4_epi32::<0>(vector));
                        _mm_storeu_si128(into.add(slot(1)).cast(), _mm512_extracti32x4_epi32::<1>(vector));
                        _mm_storeu_si128(into.add(slot(2)).cast(), _mm512_extracti32x4_epi32::<2>(vector));
                        _mm_storeu_si128(into.add(slot(3)).cast(), _mm512_extracti32x4_epi32::<3>(vector));
                    }
                }
            }
        }
        interleave_from(rows, height, into, whole);
    }

    #[inline(always)]
    fn prefetch(self, word: *const u32) {
        // SAFETY: as `instruction!`; a hint, which reads nothing for the program and ignores what cannot be read.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(word.cast()) }
    }

    #[inline(always)]
    fn load_words(self, words: &Self::Words) -> Self::I {
        // SAFETY: as in `load`.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, vector: Self::I, words: &mut Self::Words) {
        // SAFETY: as in `store`.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
    }

    #[inline(always)]
    fn splat_word(self, word: u32) -> Self::I {
        instruction!(_mm512_set1_epi32(word.cast_signed()))
    }

    #[inline(always)]
    fn multiply_pairs(self, sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        instruction!(_mm512_add_epi32(sum, _mm512_madd_epi16(a, b)))
    }
}
