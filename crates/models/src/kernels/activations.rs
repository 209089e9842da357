//! The left-hand side of a matrix product: activations, laid out for the kernel.

use super::{
    Aligned, Rows,
    balanced::{Excess, encode},
    dot::{Dot, Encoding},
    row_blocks::blocks,
    simd::Simd,
    sums::{LANES, across},
};

/// What turns a row's bytes back into numbers: `low + scale * byte`.
#[derive(Clone, Copy, Default)]
pub(super) struct Range {
    pub(super) low: f32,
    pub(super) scale: f32,
    /// The step from which bytes are counted: of the number 0 in [`Encoding::Balanced`], 128 in
    /// [`Encoding::SignedBytes`].
    pub(super) zero: i32,
    /// What is added to a sum of its bytes: what the weights' 128 too many made of it.
    pub(super) offset: i32,
    /// Where the excesses of the row end.
    excesses: usize,
}

/// Rows of numbers as words, in blocks of as many rows as a tile has.
///
/// In a block the words of one depth lie side by side, so that a tile reads it
/// once from front to back, or, where a family reads several places as well as one,
/// rows follow one another. A block that reaches beyond the rows has zeros there.
#[derive(Default)]
pub(crate) struct Activations {
    words: Aligned<u32>,
    /// One a row; only bytes need it.
    ranges: Vec<Range>,
    /// What was cut off the numbers of the rows, one row after the other.
    excesses: Vec<Excess>,
    rows: usize,
    /// Words of a row.
    depth: usize,
    /// A block's words, row after row, before they are interleaved.
    block: Aligned<u32>,
}

impl Activations {
    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Words of a row.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The words of the block of `height` rows that starts at row `first`.
    #[inline(always)]
    pub(super) fn block(&self, first: usize, height: usize) -> &[u32] {
        &self.words[first * self.depth..][..height * self.depth]
    }

    /// The range of row `i`.
    #[inline(always)]
    pub(super) fn range(&self, i: usize) -> Range {
        self.ranges[i]
    }

    /// What was cut off the numbers of row `i`.
    #[inline(always)]
    pub(super) fn excesses(&self, i: usize) -> &[Excess] {
        let start = i.checked_sub(1).map_or(0, |before| self.ranges[before].excesses);
        &self.excesses[start..self.ranges[i].excesses]
    }

    /// Takes rows in the form that `D` multiplies; `row` hands row `i` to the encoder it is given.
    #[inline(always)]
    pub(super) fn fill<D: Dot>(
        &mut self,
        dot: D,
        count: usize,
        width: usize,
        mut row: impl FnMut(usize, &mut Encoder<'_, D>),
    ) {
        self.rows = count;
        let taken = width.div_ceil(D::ENCODING.depth());
        self.depth = taken.next_multiple_of(D::DEPTH_STEP);
        let padded: usize = blocks(count, D::ROWS, D::ROW_STEP).map(|(_, height)| height).sum();
        self.words.resize(padded * self.depth);
        self.block.resize(if D::INTERLEAVED { D::ROWS * self.depth } else { 0 });
        self.ranges.clear();
        self.excesses.clear();
        for (first, height) in blocks(count, D::ROWS, D::ROW_STEP) {
            for r in 0..height {
                let words = if D::INTERLEAVED {
                    &mut self.block[r * self.depth..][..self.depth]
                } else {
                    &mut self.words[(first + r) * self.depth..][..self.depth]
                };
                if first + r < count {
                    words[taken..].fill(0);
                    let mut encoder =
                        Encoder::<D> { words, range: Range::default(), excesses: &mut self.excesses, dot };
                    row(first + r, &mut encoder);
                    self.ranges.push(encoder.range);
                } else {
                    words.fill(0);
                }
            }
            if D::INTERLEAVED {
                let block = &mut self.words[first * self.depth..][..height * self.depth];
                dot.simd().interleave(&self.block[..height * self.depth], height, block);
            }
        }
    }
}

/// Takes the numbers of one row.
pub(super) struct Encoder<'a, D> {
    words: &'a mut [u32],
    range: Range,
    excesses: &'a mut Vec<Excess>,
    dot: D,
}

impl<D: Dot> Encoder<'_, D> {
    /// Turns a row of numbers into words.
    #[inline(always)]
    pub(super) fn encode(&mut self, row: &[f32]) {
        match D::ENCODING {
            Encoding::F32 => self.words.iter_mut().zip(row).for_each(|(word, value)| *word = value.to_bits()),
            Encoding::Bf16 => self.dot.bf16_words(row, self.words),
            Encoding::Bytes => {
                self.range = range(row);
                let (inverse, low) = (inverse(self.range.scale), self.range.low);
                bytes_of(row, self.words, |value| byte(value, low, inverse));
            }
            Encoding::SignedBytes => {
                let Range { low, scale, .. } = range(row);
                let inverse = inverse(scale);
                // The upper bit turned over is 128 less.
                bytes_of(row, self.words, |value| byte(value, low, inverse) ^ 0x80);
                self.range = Range { low, scale, zero: 128, ..Range::default() };
            }
            Encoding::WideBytes => {
                self.range = range(row);
                let (inverse, low) = (inverse(self.range.scale), self.range.low);
                words_of::<2>(row, self.words, |value, place| u32::from(byte(value, low, inverse)) << (16 * place));
            }
            Encoding::Balanced => {
                let Range { low, scale, .. } = range(row);
                let inverse = inverse(scale);
                // Of a row whose numbers are all above 0, or below, the one that is nearest to it.
                let zero = i32::from(byte(0.0f32.min(low + 255.0 * scale).max(low), low, inverse));
                let step = |value: f32| i32::from(byte(value, low, inverse)) - zero;
                let total = encode(row, self.words, step, self.excesses);
                self.range = Range { low, scale, zero, offset: -128 * total, excesses: self.excesses.len() };
            }
        }
    }
}

/// Words of `N` numbers each; numbers beyond the row's end are left out.
#[inline(always)]
pub(super) fn words_of<const N: usize>(row: &[f32], words: &mut [u32], part: impl Fn(f32, u32) -> u32) {
    let (whole, rest) = row.as_chunks::<N>();
    let (slots, last) = words.split_at_mut(whole.len());
    for (slot, values) in slots.iter_mut().zip(whole) {
        let mut word = 0;
        for (place, value) in values.iter().enumerate() {
            word |= part(*value, place as u32);
        }
        *slot = word;
    }
    if let Some(slot) = last.first_mut() {
        *slot = rest.iter().enumerate().fold(0, |word, (place, value)| word | part(*value, place as u32));
    }
}

/// Words of four bytes each; bytes beyond the row's end are left out.
#[inline(always)]
pub(super) fn bytes_of(row: &[f32], words: &mut [u32], byte: impl Fn(f32) -> u8) {
    const STEP: usize = 64;
    let (blocks, rest) = row.as_chunks::<STEP>();
    let (slots, last) = words.split_at_mut(blocks.len() * (STEP / 4));
    for (slots, block) in slots.chunks_exact_mut(STEP / 4).zip(blocks) {
        let mut bytes = [0; STEP];
        for (byte_of, value) in bytes.iter_mut().zip(block) {
            *byte_of = byte(*value);
        }
        for (slot, bytes) in slots.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *slot = u32::from_le_bytes(*bytes);
        }
    }
    words_of::<4>(rest, last, |value, place| u32::from(byte(value)) << (8 * place));
}

/// bfloat16 numbers, rounded to the nearest, ties to even.
#[inline(always)]
pub(in crate::kernels) fn bf16_words(row: &[f32], words: &mut [u32]) {
    words_of::<2>(row, words, |value, place| bf16(value) << (16 * place));
}

#[inline(always)]
fn bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    // Half of the last place kept, less one where that place is even; a NaN keeps a bit of its own.
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if value.is_nan() { bits >> 16 | 0x40 } else { rounded }
}

/// The range of a row from its least to its largest number, in 255 steps.
///
/// A number that is not finite makes the scale NaN: what is computed from it stays visible.
#[inline(always)]
fn range(row: &[f32]) -> Range {
    let (chunks, tail) = row.as_chunks::<LANES>();
    let mut low = [f32::INFINITY; LANES];
    let mut high = [f32::NEG_INFINITY; LANES];
    let mut nothing = [0.0f32; LANES];
    for chunk in chunks {
        low = lane_by_lane(low, chunk, least);
        high = lane_by_lane(high, chunk, most);
        nothing = lane_by_lane(nothing, chunk, |sum, value| sum + value * 0.0);
    }
    for (i, value) in tail.iter().enumerate() {
        low[i] = least(low[i], *value);
        high[i] = most(high[i], *value);
        nothing[i] += *value * 0.0;
    }
    let low = across(low, least);
    let scale = (across(high, most) - low) * (1.0 / 255.0) + across(nothing, |a, b| a + b);
    Range { low, scale, ..Range::default() }
}

/// In a new array: one changed in place would be written under a mask.
#[inline(always)]
fn lane_by_lane(a: [f32; LANES], b: &[f32; LANES], fold: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut lanes = [0.0; LANES];
    for i in 0..LANES {
        lanes[i] = fold(a[i], b[i]);
    }
    lanes
}

#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// What a difference from the low end is multiplied with; 0 where all numbers are one.
#[inline(always)]
fn inverse(scale: f32) -> f32 {
    if scale > 0.0 { 1.0 / scale } else { 0.0 }
}

/// The nearest of the 256 steps.
#[inline(always)]
fn byte(value: f32, low: f32, inverse: f32) -> u8 {
    // Adding 2^23 rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 8_388_608.0;
    ((value - low) * inverse + ROUND).to_bits() as u8
}

/// Takes whole rows.
pub(super) struct Take<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) into: &'a mut Activations,
}

impl super::dot::Product for Take<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        self.into.fill(dot, self.rows.count(), self.rows.width(), |i, encoder| encoder.encode(self.rows.row(i)));
    }
}
