//! Two products of bfloat16 an instruction and lane: NEON with FEAT_BF16.
//!
//! The instruction is written out because its intrinsic is not stable in the compiler that the project needs.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::{
    aarch64::{float32x4_t, int32x4_t},
    asm, is_aarch64_feature_detected,
};

use super::{Dot, Encoding, Product};
use crate::kernels::simd::{Simd, neon::Neon};

/// Proof that the processor has `bfdot`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bf16Dot(Neon);

impl Bf16Dot {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("bf16").then(|| Self(Neon::new()))
    }
}

#[target_feature(enable = "neon,bf16")]
fn compiled<P: Product>(dot: Bf16Dot, product: P) {
    product.run(dot);
}

impl Dot for Bf16Dot {
    const ENCODING: Encoding = Encoding::Bf16;
    type Simd = Neon;
    type Sums = float32x4_t;
    type Register = int32x4_t;

    #[inline(always)]
    fn simd(self) -> Neon {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        // SAFETY: `self` exists only where `detect` found the instructions.
        unsafe { compiled(self, product) }
    }

    #[inline(always)]
    fn zero(self) -> float32x4_t {
        self.0.splat(0.0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> int32x4_t {
        self.0.splat_word(word)
    }

    #[inline(always)]
    fn load(self, words: &[u32; 4]) -> int32x4_t {
        self.0.load_words(words)
    }

    #[inline(always)]
    fn dot(self, sums: float32x4_t, row: int32x4_t, columns: int32x4_t) -> float32x4_t {
        let mut sums = sums;
        // SAFETY: `self` exists only where `detect` found the instruction. It reads three registers and writes one
        // of them: no memory, no stack, no flags.
        unsafe {
            asm!(
                ".arch_extension bf16",
                "bfdot {sums:v}.4s, {row:v}.8h, {columns:v}.8h",
                sums = inout(vreg) sums,
                row = in(vreg) row,
                columns = in(vreg) columns,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }

    #[inline(always)]
    fn store(self, sums: float32x4_t, words: &mut [u32; 4]) {
        self.0.store_words(self.0.as_words(sums), words);
    }

    #[inline(always)]
    fn resume(self, words: &[u32; 4]) -> float32x4_t {
        self.0.as_floats(self.0.load_words(words))
    }
}
