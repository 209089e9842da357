//! Four products of bytes an instruction and lane: AVX-512 VNNI.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::arch::x86_64::{__m512i, _mm512_dpbusd_epi32};

use super::{Dot, Encoding, Product};
use crate::kernels::simd::{Simd, avx512::Avx512};

/// Proof that the processor has AVX-512 with VNNI.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vnni(Avx512);

impl Vnni {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        Avx512::detect().filter(|_| is_x86_feature_detected!("avx512vnni")).map(Self)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,avx2,fma")]
fn compiled<P: Product>(dot: Vnni, product: P) {
    product.run(dot);
}

impl Dot for Vnni {
    const ENCODING: Encoding = Encoding::Bytes;
    type Simd = Avx512;
    type Sums = __m512i;
    type Register = __m512i;

    #[inline(always)]
    fn simd(self) -> Avx512 {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        // SAFETY: `self` exists only where `detect` found the instructions.
        unsafe { compiled(self, product) }
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        self.0.splat_word(0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> __m512i {
        self.0.splat_word(word)
    }

    #[inline(always)]
    fn load(self, words: &[u32; 16]) -> __m512i {
        self.0.load_words(words)
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, row: __m512i, columns: __m512i) -> __m512i {
        // SAFETY: `self` exists only where `detect` found the instruction; its operands are registers.
        unsafe { _mm512_dpbusd_epi32(sums, row, columns) }
    }

    #[inline(always)]
    fn store(self, sums: __m512i, words: &mut [u32; 16]) {
        self.0.store_words(sums, words);
    }

    #[inline(always)]
    fn resume(self, words: &[u32; 16]) -> __m512i {
        self.0.load_words(words)
    }
}
