//! NEON, which every 64-bit ARM processor has.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]
#![allow(unused_unsafe, reason = "newer compilers hold some of these intrinsics for safe")]

use std::arch::aarch64::{
    float32x4_t, int32x4_t, vaddq_s32, vaddq_u32, vandq_u32, vdupq_n_f32, vdupq_n_s32, vdupq_n_u32, vfmaq_f32,
    vget_low_s16, vld1q_f32, vld1q_u32, vmaxq_f32, vmull_high_s16, vmull_s16, vmulq_f32, vpaddq_s32,
    vreinterpretq_f32_s32, vreinterpretq_f32_u32, vreinterpretq_s16_s32, vreinterpretq_s32_f32, vreinterpretq_s32_u32,
    vreinterpretq_u32_f32, vreinterpretq_u32_s32, vshlq_n_u32, vsriq_n_u32, vst1q_f32, vst1q_u32,
};

use super::{Kernel, Simd};

const LANES: usize = 4;

/// NEON, part of the target's baseline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    /// There is nothing to detect.
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// Runs an instruction whose operands are registers.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: NEON is in the baseline of this target.
        unsafe { $call }
    };
}

impl Simd for Neon {
    const LANES: usize = LANES;
    const ROWS: usize = 2;
    const ROW_STEP: usize = 2;
    const FMA: bool = true;
    type Floats = [f32; LANES];
    type Words = [u32; LANES];
    type F = float32x4_t;
    type I = int32x4_t;

    #[inline(always)]
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    vectors_of_slices!();

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F {
        instruction!(vdupq_n_f32(value))
    }

    #[inline(always)]
    fn load(self, values: &Self::Floats) -> Self::F {
        // SAFETY: as `instruction!`; the array is 16 readable bytes.
        unsafe { vld1q_f32(values.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, vector: Self::F, values: &mut Self::Floats) {
        // SAFETY: as `instruction!`; the array is 16 writable bytes.
        unsafe { vst1q_f32(values.as_mut_ptr(), vector) }
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(vmulq_f32(a, b))
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        instruction!(vfmaq_f32(c, a, b))
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        instruction!(vmaxq_f32(a, b))
    }

    #[inline(always)]
    fn halves(self, words: Self::I) -> (Self::F, Self::F) {
        let words = instruction!(vreinterpretq_u32_s32(words));
        instruction!((
            vreinterpretq_f32_u32(vshlq_n_u32::<16>(words)),
            vreinterpretq_f32_u32(vandq_u32(words, vdupq_n_u32(0xffff_0000))),
        ))
    }

    #[inline(always)]
    fn pair(self, low: Self::F, high: Self::F) -> Self::I {
        instruction!({
            let half = vdupq_n_u32(0x8000);
            let high = vaddq_u32(vreinterpretq_u32_f32(high), half);
            // The rounded `low` shifted into the low half of `high`.
            vreinterpretq_s32_u32(vsriq_n_u32::<16>(high, vaddq_u32(vreinterpretq_u32_f32(low), half)))
        })
    }

    #[inline(always)]
    fn as_words(self, vector: Self::F) -> Self::I {
        instruction!(vreinterpretq_s32_f32(vector))
    }

    #[inline(always)]
    fn as_floats(self, words: Self::I) -> Self::F {
        instruction!(vreinterpretq_f32_s32(words))
    }

    #[inline(always)]
    fn load_words(self, words: &Self::Words) -> Self::I {
        // SAFETY: as in `load`.
        unsafe { vreinterpretq_s32_u32(vld1q_u32(words.as_ptr())) }
    }

    #[inline(always)]
    fn store_words(self, vector: Self::I, words: &mut Self::Words) {
        // SAFETY: as in `store`.
        unsafe { vst1q_u32(words.as_mut_ptr(), vreinterpretq_u32_s32(vector)) }
    }

    #[inline(always)]
    fn splat_word(self, word: u32) -> Self::I {
        instruction!(vdupq_n_s32(word.cast_signed()))
    }

    #[inline(always)]
    fn multiply_pairs(self, sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        instruction!({
            let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(a, b)))
        })
    }
}
