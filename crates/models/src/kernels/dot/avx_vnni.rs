//! Four products of bytes an instruction and lane, in 256 bits: AVX-VNNI.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::x86_64::{__m256i, _mm256_dpbusd_avx_epi32};

use super::{Dot, Encoding, Product};
use crate::kernels::simd::{Simd, avx2::Avx2};

/// Proof that the processor has AVX2, FMA and AVX-VNNI.
///
/// Sums of four products are formed in 32 bits, so that nothing is cut as in `avx2_bytes`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AvxVnni(Avx2);

impl AvxVnni {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        Avx2::detect().filter(|_| is_x86_feature_detected!("avxvnni")).map(Self)
    }
}

#[target_feature(enable = "avx2,fma,avxvnni")]
// Never within its caller: what a tile holds in registers must not compete with the rest of the product.
#[inline(never)]
fn compiled<P: Product>(dot: AvxVnni, product: P) {
    product.run(dot);
}

impl Dot for AvxVnni {
    const ENCODING: Encoding = Encoding::Bytes;
    type Simd = Avx2;
    type Sums = __m256i;
    type Register = __m256i;

    #[inline(always)]
    fn simd(self) -> Avx2 {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        // SAFETY: `self` exists only where `detect` found the instructions.
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
        // SAFETY: `self` exists only where `detect` found the instruction; its operands are registers.
        unsafe { _mm256_dpbusd_avx_epi32(sums, row, columns) }
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
