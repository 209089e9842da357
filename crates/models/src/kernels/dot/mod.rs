//! Sums of products over words of one, two or four numbers.
//!
//! A matrix product runs over words of 32 bits: one f32, two bfloat16, four
//! 8-bit numbers, or two 16-bit ones that hold 8 bits each. [`Dot`] is the
//! instruction that multiplies a row's word with the words of several columns
//! and adds the products up.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) mod amx;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2_bytes;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512_bf16;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512_vnni;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx_vnni;
pub(super) mod emulated;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon_bf16;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon_bytes;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod no_tiles;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) use self::amx::Tiles;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub(super) use self::no_tiles::Tiles;
use super::{activations::bf16_words, simd::Simd};

/// What a word of an activation row holds; the weights' words hold the same number of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// One f32.
    F32,
    /// Two bfloat16, the first in the low half.
    Bf16,
    /// Four unsigned bytes, the first lowest; weights are signed bytes. Only some processors multiply these.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    Bytes,
    /// Four signed bytes, each 128 less than the step it stands for; weights are signed bytes. What 128 of each
    /// weight come to is added to the sum.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
    SignedBytes,
    /// Two bytes in the halves of a word; weights are signed bytes in 16 bits.
    WideBytes,
    /// Four signed bytes, small enough for sums of four products in 16 bits, in the order of [`super::balanced`]; weights are
    /// unsigned bytes, 128 more than they are.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Balanced,
}

impl Encoding {
    /// Numbers in a word.
    pub(super) const fn depth(self) -> usize {
        match self {
            Self::F32 => 1,
            Self::Bf16 | Self::WideBytes => 2,
            Self::Bytes | Self::SignedBytes | Self::Balanced => 4,
        }
    }

    /// Whether sums are integers that a scale turns into numbers.
    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::Bytes | Self::SignedBytes | Self::WideBytes | Self::Balanced)
    }
}

/// A multiply-accumulate instruction of a processor family.
///
/// Inputs are finite; sums of bytes stay exact below a depth of 66,000.
pub(super) trait Dot: Copy {
    /// What words hold.
    const ENCODING: Encoding;
    /// Most rows of a block of activations.
    const ROWS: usize = <Self::Simd as Simd>::ROWS;
    /// What the rows of a block are a multiple of.
    const ROW_STEP: usize = <Self::Simd as Simd>::ROW_STEP;
    /// Whether the words of a block's rows lie side by side for each depth.
    const INTERLEAVED: bool = <Self::Simd as Simd>::INTERLEAVED;
    /// What the words of a depth are padded to a multiple of.
    const DEPTH_STEP: usize = 1;
    /// Whether [`Dot::dot_two`] takes less than two products.
    const IN_PAIRS: bool = false;
    /// The vectors it works on.
    type Simd: Simd;
    /// A register of sums.
    type Sums: Copy;
    /// A register of words.
    type Register: Copy;

    /// The vectors' proof.
    fn simd(self) -> Self::Simd;
    /// Runs a kernel compiled for this instruction.
    fn vectorize<P: Product>(self, product: P);
    /// Sums of nothing.
    fn zero(self) -> Self::Sums;
    /// One row's word beside every column.
    fn splat(self, word: u32) -> Self::Register;
    /// The words of some columns.
    fn load(self, words: &<Self::Simd as Simd>::Words) -> Self::Register;
    /// `sums + row * columns`
    fn dot(self, sums: Self::Sums, row: Self::Register, columns: Self::Register) -> Self::Sums;
    /// `sums + rows[0] * columns[0] + rows[1] * columns[1]`, of two words that follow one another.
    #[inline(always)]
    fn dot_two(self, sums: Self::Sums, rows: [Self::Register; 2], columns: [Self::Register; 2]) -> Self::Sums {
        self.dot(self.dot(sums, rows[0], columns[0]), rows[1], columns[1])
    }
    /// Numbers as words of two in bfloat16, rounded to the nearest, ties to even; less than 2^-126 may become 0.
    #[inline(always)]
    fn bf16_words(self, numbers: &[f32], words: &mut [u32]) {
        bf16_words(numbers, words);
    }
    /// Sums as bits.
    fn store(self, sums: Self::Sums, words: &mut <Self::Simd as Simd>::Words);
    /// Sums that were stored.
    fn resume(self, words: &<Self::Simd as Simd>::Words) -> Self::Sums;

    /// The registers of an instruction that multiplies whole tiles, where there is one.
    #[inline(always)]
    fn tiles(self) -> Option<Tiles> {
        None
    }
}

/// Something to run with a [`Dot`].
pub(super) trait Product {
    /// The work; must be `#[inline(always)]`.
    fn run<D: Dot>(self, dot: D);
}
