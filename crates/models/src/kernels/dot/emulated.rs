//! The products that every processor family can form from its plain vector instructions.

use super::{Dot, Encoding, Product};
use crate::kernels::simd::{Kernel, Simd};

/// f32 by multiply-add.
#[derive(Clone, Copy)]
pub(crate) struct Single<S>(pub(crate) S);

/// bfloat16 widened to f32.
#[derive(Clone, Copy)]
pub(crate) struct WidenedBf16<S>(pub(crate) S);

/// Bytes widened to 16 bits: exactly what the 8-bit instructions give.
#[derive(Clone, Copy)]
pub(crate) struct WidenedBytes<S>(pub(crate) S);

/// Runs a product as a kernel.
struct Run<P, D> {
    product: P,
    dot: D,
}

impl<P: Product, D: Dot> Kernel for Run<P, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.product.run(self.dot);
    }
}

impl<S: Simd> Dot for Single<S> {
    const ENCODING: Encoding = Encoding::F32;
    type Simd = S;
    type Sums = S::F;
    type Register = S::F;

    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        self.0.vectorize(Run { product, dot: self });
    }

    #[inline(always)]
    fn zero(self) -> S::F {
        self.0.splat(0.0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> S::F {
        self.0.splat(f32::from_bits(word))
    }

    #[inline(always)]
    fn load(self, words: &S::Words) -> S::F {
        self.0.as_floats(self.0.load_words(words))
    }

    #[inline(always)]
    fn dot(self, sums: S::F, row: S::F, columns: S::F) -> S::F {
        self.0.fma(row, columns, sums)
    }

    #[inline(always)]
    fn store(self, sums: S::F, words: &mut S::Words) {
        self.0.store_words(self.0.as_words(sums), words);
    }

    #[inline(always)]
    fn resume(self, words: &S::Words) -> S::F {
        self.load(words)
    }
}

impl<S: Simd> Dot for WidenedBf16<S> {
    const ENCODING: Encoding = Encoding::Bf16;
    type Simd = S;
    type Sums = S::F;
    type Register = (S::F, S::F);

    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        self.0.vectorize(Run { product, dot: self });
    }

    #[inline(always)]
    fn zero(self) -> S::F {
        self.0.splat(0.0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> (S::F, S::F) {
        (self.0.splat(f32::from_bits(word << 16)), self.0.splat(f32::from_bits(word & 0xffff_0000)))
    }

    #[inline(always)]
    fn load(self, words: &S::Words) -> (S::F, S::F) {
        self.0.halves(self.0.load_words(words))
    }

    #[inline(always)]
    fn dot(self, sums: S::F, row: (S::F, S::F), columns: (S::F, S::F)) -> S::F {
        self.0.fma(row.1, columns.1, self.0.fma(row.0, columns.0, sums))
    }

    #[inline(always)]
    fn store(self, sums: S::F, words: &mut S::Words) {
        self.0.store_words(self.0.as_words(sums), words);
    }

    #[inline(always)]
    fn resume(self, words: &S::Words) -> S::F {
        self.0.as_floats(self.0.load_words(words))
    }
}

impl<S: Simd> Dot for WidenedBytes<S> {
    const ENCODING: Encoding = Encoding::WideBytes;
    type Simd = S;
    type Sums = S::I;
    type Register = S::I;

    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }

    #[inline(always)]
    fn vectorize<P: Product>(self, product: P) {
        self.0.vectorize(Run { product, dot: self });
    }

    #[inline(always)]
    fn zero(self) -> S::I {
        self.0.splat_word(0)
    }

    #[inline(always)]
    fn splat(self, word: u32) -> S::I {
        self.0.splat_word(word)
    }

    #[inline(always)]
    fn load(self, words: &S::Words) -> S::I {
        self.0.load_words(words)
    }

    #[inline(always)]
    fn dot(self, sums: S::I, row: S::I, columns: S::I) -> S::I {
        self.0.multiply_pairs(sums, row, columns)
    }

    #[inline(always)]
    fn store(self, sums: S::I, words: &mut S::Words) {
        self.0.store_words(sums, words);
    }

    #[inline(always)]
    fn resume(self, words: &S::Words) -> S::I {
        self.0.load_words(words)
    }
}
