//! Vectors of f32 and i32 in the instructions of one processor family.
//!
//! A kernel is written once over [`Simd`] and compiled once for every family;
//! which of them runs is decided when a model is loaded. The families whose
//! instructions need `unsafe` each have a file of their own, and nothing else
//! here is unsafe.

/// What every family does alike: slices cut into the arrays that its vectors are read from.
macro_rules! vectors_of_slices {
    () => {
        #[inline(always)]
        fn floats(values: &[f32]) -> &[Self::Floats] {
            values.as_chunks().0
        }

        #[inline(always)]
        fn floats_mut(values: &mut [f32]) -> &mut [Self::Floats] {
            values.as_chunks_mut().0
        }

        #[inline(always)]
        fn words(words: &[u32]) -> &[Self::Words] {
            words.as_chunks().0
        }

        #[inline(always)]
        fn words_mut(words: &mut [u32]) -> &mut [Self::Words] {
            words.as_chunks_mut().0
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(super) mod cpuid;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
pub(super) mod portable;

use super::weights::PANEL;
use crate::Instructions;

/// Proof that a family's instructions are there, and what they do.
///
/// Every method is inlined into the function that [`Simd::vectorize`] compiles with those instructions.
pub(crate) trait Simd: Copy + Send + Sync + 'static {
    /// Components of a vector.
    const LANES: usize;
    /// Registers of vectors.
    const REGISTERS: usize = 32;
    /// Most rows of a tile that is a panel wide, so that its sums fill the registers.
    const ROWS: usize;
    /// What the rows of a tile are a multiple of.
    const ROW_STEP: usize;
    /// Columns of a tile, whose weights lie side by side; it divides a panel.
    const STRIP: usize = PANEL;
    /// Whether the words of the rows of a tile lie side by side for each depth, or each row's one after the other.
    const INTERLEAVED: bool = true;
    /// Whether a product and a sum are one instruction with one rounding.
    const FMA: bool;
    /// `[f32; LANES]`
    type Floats: Copy + AsRef<[f32]> + AsMut<[f32]>;
    /// `[u32; LANES]`
    type Words: Copy + AsRef<[u32]> + AsMut<[u32]>;
    /// A register of f32.
    type F: Copy;
    /// A register of i32.
    type I: Copy;

    /// Runs a kernel compiled for these instructions.
    fn vectorize<K: Kernel>(self, kernel: K) -> K::Output;

    /// The vectors of a slice; what is left at its end is not among them.
    fn floats(values: &[f32]) -> &[Self::Floats];
    /// [`Simd::floats`] to write.
    fn floats_mut(values: &mut [f32]) -> &mut [Self::Floats];
    /// The vectors of a slice of words.
    fn words(words: &[u32]) -> &[Self::Words];
    /// [`Simd::words`] to write.
    fn words_mut(words: &mut [u32]) -> &mut [Self::Words];

    /// One value in every lane.
    fn splat(self, value: f32) -> Self::F;
    /// Reads a vector.
    fn load(self, values: &Self::Floats) -> Self::F;
    /// Writes a vector.
    fn store(self, vector: Self::F, values: &mut Self::Floats);
    /// Lane by lane product.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once where [`Simd::FMA`].
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// Lane by lane maximum.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The two bfloat16 numbers of each word, low half first, as f32.
    fn halves(self, words: Self::I) -> (Self::F, Self::F);
    /// Rounds numbers to bfloat16, to the nearest, ties away from 0, and puts two into a word, `low` in the low half.
    fn pair(self, low: Self::F, high: Self::F) -> Self::I;
    /// The bits of f32.
    fn as_words(self, vector: Self::F) -> Self::I;
    /// Bits as f32.
    fn as_floats(self, words: Self::I) -> Self::F;

    /// Brings `height` rows of words, one after the other, to the order in which the rows of a depth lie side by
    /// side; `height` is a multiple of [`Simd::ROW_STEP`].
    #[inline(always)]
    fn interleave(self, rows: &[u32], height: usize, into: &mut [u32]) {
        interleave_from(rows, height, into, 0);
    }

    /// Asks for a word's cache line, which is read soon: whatever the address, nothing else comes of it.
    #[inline(always)]
    fn prefetch(self, _word: *const u32) {}

    /// Bits as i32.
    fn load_words(self, words: &Self::Words) -> Self::I;
    /// i32 as bits.
    fn store_words(self, vector: Self::I, words: &mut Self::Words);
    /// One word in every lane.
    fn splat_word(self, word: u32) -> Self::I;
    /// Adds to each i32 the two products of the i16 in the words of `a` and `b`.
    fn multiply_pairs(self, sum: Self::I, a: Self::I, b: Self::I) -> Self::I;
}

/// Something to run in the instructions of a processor family.
pub(crate) trait Kernel {
    /// What comes out.
    type Output;
    /// The work; must be `#[inline(always)]`, or it is compiled without the instructions.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A processor family whose presence was checked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Family {
    /// AVX-512 on a processor that has AMX with bfloat16 and bytes too, on a system that lets it be used.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(avx512::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    /// AVX2 on a processor that has AVX-VNNI too.
    #[cfg(target_arch = "x86_64")]
    AvxVnni(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    Portable(portable::Portable),
}

impl Family {
    /// The same processor without instructions for tiles.
    pub(crate) fn without_tiles(self) -> Self {
        match self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(avx512) => Self::Avx512(avx512),
            other => other,
        }
    }

    /// The family of `instructions`, where this processor has them.
    pub(crate) fn of(instructions: Instructions) -> Option<Self> {
        match instructions {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Instructions::Amx if super::dot::amx::is_available() => avx512::Avx512::detect().map(Self::Amx),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => avx512::Avx512::detect().map(Self::Avx512),
            #[cfg(target_arch = "x86_64")]
            Instructions::AvxVnni if is_x86_feature_detected!("avxvnni") => avx2::Avx2::detect().map(Self::AvxVnni),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => Some(Self::Neon(neon::Neon::new())),
            Instructions::Portable => Some(Self::Portable(portable::Portable)),
            #[allow(unreachable_patterns, reason = "which families are left depends on the target")]
            _ => None,
        }
    }

    /// Runs a kernel in this family's instructions.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(simd) | Self::Avx2(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(simd) => simd.vectorize(kernel),
            Self::Portable(simd) => simd.vectorize(kernel),
        }
    }
}

/// `a * b + c` in the rounding of `S`, for loops that the compiler vectorises.
#[inline(always)]
pub(super) fn fma<S: Simd>(a: f32, b: f32, c: f32) -> f32 {
    if S::FMA { a.mul_add(b, c) } else { a * b + c }
}

/// [`Simd::interleave`] for the depths from `first` on.
#[inline(always)]
fn interleave_from(rows: &[u32], height: usize, into: &mut [u32], first: usize) {
    let depth = into.len() / height.max(1);
    for (r, row) in rows.chunks_exact(depth.max(1)).enumerate() {
        for (slots, word) in into.chunks_exact_mut(height).zip(row).skip(first) {
            slots[r] = *word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Interleave<'a> {
        rows: &'a [u32],
        into: &'a mut Vec<u32>,
        depth: usize,
    }

    impl Kernel for Interleave<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            for height in (S::ROW_STEP..=S::ROWS).step_by(S::ROW_STEP) {
                self.into.clear();
                self.into.resize(height * self.depth, 0);
                simd.interleave(&self.rows[..height * self.depth], height, self.into);
                for (i, word) in self.into.iter().enumerate() {
                    let (depth, row) = (i / height, i % height);
                    assert_eq!(*word, self.rows[row * self.depth + depth], "{height} x {}: {row}, {depth}", self.depth);
                }
            }
        }
    }

    #[test]
    fn rows_of_any_length_are_interleaved() {
        for family in crate::kernels::testing::families() {
            for depth in [1, 2, 15, 16, 17, 48, 95] {
                let rows: Vec<u32> = (0..12 * depth as u32).collect();
                family.run(Interleave { rows: &rows, into: &mut Vec::new(), depth });
            }
        }
    }

    struct Pair<'a> {
        low: &'a [f32],
        high: &'a [f32],
        into: &'a mut [u32],
    }

    impl Kernel for Pair<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            let numbers = S::floats(self.low).iter().zip(S::floats(self.high));
            for ((low, high), into) in numbers.zip(S::words_mut(self.into)) {
                simd.store_words(simd.pair(simd.load(low), simd.load(high)), into);
            }
        }
    }

    #[test]
    fn pairs_are_rounded_to_the_nearest() {
        // 1; a little less and more than half of a last place beyond it; half of it; an infinity.
        let bits = [0x3f80_0000, 0x3f80_7fff, 0x3f80_8001, 0xbf81_8000, 0x7f80_0000].map(f32::from_bits);
        let low: Vec<f32> = bits.iter().cycle().take(32).copied().collect();
        let high: Vec<f32> = bits.iter().cycle().skip(3).take(32).copied().collect();
        let rounded = [0x3f80, 0x3f80, 0x3f81, 0xbf82, 0x7f80];
        for family in crate::kernels::testing::families() {
            let mut words = [0; 32];
            family.run(Pair { low: &low, high: &high, into: &mut words });
            for (i, word) in words.into_iter().enumerate() {
                assert_eq!((word & 0xffff, word >> 16), (rounded[i % 5], rounded[(i + 3) % 5]), "{family:?}");
            }
        }
    }
}
