//! Four products of bytes an instruction and lane: NEON with FEAT_DotProd, or with FEAT_I8MM.
//!
//! The instructions are written out because their intrinsics are not stable in the compiler that the project needs.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::{aarch64::int32x4_t, asm, is_aarch64_feature_detected};

use super::{Dot, Encoding, Product};
use crate::kernels::simd::{Simd, neon::Neon};

/// Proof that the processor has `sdot`: signed bytes by signed bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedDot(Neon);

/// Proof that the processor has `usdot`: unsigned bytes by signed bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MixedDot(Neon);

impl SignedDot {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("dotprod").then(|| Self(Neon::new()))
    }
}

impl MixedDot {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("i8mm").then(|| Self(Neon::new()))
    }
}

#[target_feature(enable = "neon,dotprod")]
fn compiled_signed<P: Product>(dot: SignedDot, product: P) {
    product.run(dot);
}

#[target_feature(enable = "neon,i8mm")]
fn compiled_mixed<P: Product>(dot: MixedDot, product: P) {
    product.run(dot);
}

/// `sums + row * columns`, four bytes to a lane.
macro_rules! sum_of_four {
    ($extension:literal, $instruction:literal, $sums:expr, $row:expr, $columns:expr) => {{
        let mut sums = $sums;
        // SAFETY: `self` exists only where its `detect` found the instruction. It reads three registers and writes
        // one of them: no memory, no stack, no flags.
        unsafe {
            asm!(
                concat!(".arch_extension ", $extension),
                concat!($instruction, " {sums:v}.4s, {row:v}.16b, {columns:v}.16b"),
                sums = inout(vreg) sums,
                row = in(vreg) $row,
                columns = in(vreg) $columns,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }};
}

/// What both have of [`Dot`] in common.
macro_rules! words_of_bytes {
    ($compiled:ident) => {
        type Simd = Neon;
        type Sums = int32x4_t;
        type Register = int32x4_t;

        #[inline(always)]
        fn simd(self) -> Neon {
            self.0
        }

        #[inline(always)]
        fn vectorize<P: Product>(self, product: P) {
            // SAFETY: `self` exists only where its `detect` found the instructions.
            unsafe { $compiled(self, product) }
        }

        #[inline(always)]
        fn zero(self) -> int32x4_t {
            self.0.splat_word(0)
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
        fn store(self, sums: int32x4_t, words: &mut [u32; 4]) {
            self.0.store_words(sums, words);
        }

        #[inline(always)]
        fn resume(self, words: &[u32; 4]) -> int32x4_t {
            self.0.load_words(words)
        }
    };
}

impl Dot for SignedDot {
    const ENCODING: Encoding = Encoding::SignedBytes;
    words_of_bytes!(compiled_signed);

    #[inline(always)]
    fn dot(self, sums: int32x4_t, row: int32x4_t, columns: int32x4_t) -> int32x4_t {
        sum_of_four!("dotprod", "sdot", sums, row, columns)
    }
}

impl Dot for MixedDot {
    const ENCODING: Encoding = Encoding::Bytes;
    words_of_bytes!(compiled_mixed);

    #[inline(always)]
    fn dot(self, sums: int32x4_t, row: int32x4_t, columns: int32x4_t) -> int32x4_t {
        sum_of_four!("i8mm", "usdot", sums, row, columns)
    }
}
