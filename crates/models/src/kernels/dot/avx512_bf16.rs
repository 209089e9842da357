//! Two products of bfloat16 an instruction and lane: AVX-512 BF16.
#![allow(unsafe_code, reason = "the instructions of a processor family; see the arguments at each block")]

use std::{
    arch::x86_64::{__m512, __m512bh, __m512i, _mm512_cvtne2ps_pbh, _mm512_dpbf16_ps},
    mem::transmute,
};

use super::{Dot, Encoding, Product};
use crate::kernels::{
    activations::bf16_words,
    simd::{Simd, avx512::Avx512},
};

/// Proof that the processor has AVX-512 with BF16.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bf16(Avx512);

impl Bf16 {
    /// The proof, where it can be given.
    pub(crate) fn detect() -> Option<Self> {
        Avx512::detect().filter(|_| is_x86_feature_detected!("avx512bf16")).map(Self)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bf16,avx2,fma")]
fn compiled<P: Product>(dot: Bf16, product: P) {
    product.run(dot);
}

impl Dot for Bf16 {
    const ENCODING: Encoding = Encoding::Bf16;
    type Simd = Avx512;
    type Sums = __m512;
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
    fn zero(self) -> __m512 {
        self.0.splat(0.0)
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
    fn dot(self, sums: __m512, row: __m512i, columns: __m512i) -> __m512 {
        // SAFETY: `self` exists only where `detect` found the instruction; its operands are registers, and both
        // types are 512 bits that any pattern fills.
        unsafe { _mm512_dpbf16_ps(sums, transmute::<__m512i, __m512bh>(row), transmute::<__m512i, __m512bh>(columns)) }
    }

    #[inline(always)]
    fn bf16_words(self, numbers: &[f32], words: &mut [u32]) {
        let (blocks, rest) = numbers.as_chunks::<32>();
        let (slots, last) = words.split_at_mut(blocks.len() * 16);
        for (block, slot) in blocks.iter().zip(slots.as_chunks_mut::<16>().0) {
            let (halves, _) = block.as_chunks::<16>();
            let (low, high) = (self.0.load(&halves[0]), self.0.load(&halves[1]));
            // SAFETY: as in `dot`.
            let rounded = unsafe { transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low)) };
            self.0.store_words(rounded, slot);
        }
        bf16_words(rest, last);
    }

    #[inline(always)]
    fn store(self, sums: __m512, words: &mut [u32; 16]) {
        self.0.store_words(self.0.as_words(sums), words);
    }

    #[inline(always)]
    fn resume(self, words: &[u32; 16]) -> __m512 {
        self.0.as_floats(self.0.load_words(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_as_everywhere() {
        let Some(dot) = Bf16::detect() else { return };
        let special =
            [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, f32::MIN_POSITIVE];
        // Ties above even and odd last places, and their neighbours.
        let ties = (0x3f80_7fff..0x3f80_8002).chain(0x3f81_7fff..0x3f81_8002).map(f32::from_bits);
        let spread = (0..200).map(|i| (i as f32 * 0.37).sin() * 10f32.powi(i % 30 - 15));
        let numbers: Vec<f32> = special.into_iter().chain(ties).chain(spread).collect();
        for length in [0, 1, 31, 32, 33, 65, numbers.len()] {
            let words = length.div_ceil(2);
            let (mut expected, mut found) = (vec![0; words], vec![7; words]);
            bf16_words(&numbers[..length], &mut expected);
            dot.bf16_words(&numbers[..length], &mut found);
            assert_eq!(found, expected, "{length}");
        }
    }
}
