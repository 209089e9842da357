//! Tiles for 16 registers of 8 lanes: six rows beside a strip of two registers.
//!
//! A part of a strip stays in a first-level cache while all rows pass
//! by it, and rows are read as they lie: a word that goes to every lane may be
//! read anywhere.

use super::{Ahead, Multiply, number_of_parts};
use crate::kernels::{
    cache::DepthSteps,
    dot::{Dot, Encoding},
    simd::Simd,
    weights::STRIP,
};

impl Multiply<'_> {
    /// Tiles are a strip wide.
    #[inline(always)]
    pub(super) fn by_strips<D: Dot>(mut self, dot: D) {
        let depth = self.right.word_depth();
        // Steps of equal length, so that none is short.
        let step = depth.div_ceil(number_of_parts(depth, DepthSteps::here().strip)).max(1);
        // The product of bytes is two instructions, which takes registers of its own.
        let most = if D::ENCODING == Encoding::Balanced { 4 } else { 6 };
        let rows = self.left.rows();
        self.sums.resize(rows.next_multiple_of(D::Simd::ROW_STEP) * STRIP);
        // Words that one block fetches at each depth, so that all blocks together fetch a part.
        let share = STRIP.div_ceil(rows.div_ceil(most).max(1));
        // The last panel may have strips without a column.
        let count = self.right.columns().div_ceil(STRIP);
        for (s, (strip, columns)) in self.right.strips::<STRIP>().take(count).enumerate() {
            let mut from = 0;
            while from < depth {
                let to = (from + step).min(depth);
                let part = strip[from * STRIP..to * STRIP].as_chunks().0;
                // The part of the weights that comes next is fetched while this one is multiplied.
                let mut ahead = Ahead { at: part.as_ptr_range().end.cast(), step: share };
                for (first, height) in blocks(rows, most) {
                    let block = Block { words: self.left.block(first, height), depth, from };
                    let sums = &mut self.sums.as_chunks_mut().0[first..first + height];
                    match height {
                        6 => tile::<D, 6>(dot, block, part, sums, &mut ahead),
                        4 => tile::<D, 4>(dot, block, part, sums, &mut ahead),
                        _ => tile::<D, 2>(dot, block, part, sums, &mut ahead),
                    }
                    if to == depth {
                        self.add_excesses::<D>(first, height, strip);
                        self.write::<D, STRIP>(first, height, s * STRIP, columns);
                    }
                }
                from = to;
            }
        }
    }
}

impl Multiply<'_> {
    /// Adds to the complete sums of a block what was cut off its rows.
    #[inline(always)]
    fn add_excesses<D: Dot>(&mut self, first: usize, height: usize, strip: &[u32]) {
        if D::ENCODING != Encoding::Balanced {
            return;
        }
        let (sums, strip) = (self.sums.as_chunks_mut::<STRIP>().0, strip.as_chunks::<STRIP>().0);
        for (i, sums) in (first..self.left.rows()).zip(&mut sums[first..first + height]) {
            // An array of its own, as in `write_as`.
            let mut whole = *sums;
            for excess in self.left.excesses(i) {
                let (columns, steps) = (strip[excess.word as usize], excess.steps.cast_unsigned());
                for c in 0..STRIP {
                    whole[c] = whole[c].wrapping_add((columns[c] >> excess.shift & 0xff).wrapping_mul(steps));
                }
            }
            *sums = whole;
        }
    }
}

/// First row and height of blocks of at most `most` rows: 2, 4 or 6; the last one may reach beyond the rows.
#[inline(always)]
fn blocks(rows: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = rows.checked_sub(first).filter(|left| *left > 0)?.next_multiple_of(2);
        // Two rows have too few sums to fill the time that one takes: 4 and 4 rather than 6 and 2.
        let height = if left == 8 { 4 } else { left.min(most) };
        first += height;
        Some((first - height, height))
    })
}

/// Rows of `depth` words, one after the other, of which those from `from` on are multiplied.
#[derive(Clone, Copy)]
struct Block<'a> {
    words: &'a [u32],
    depth: usize,
    from: usize,
}

/// Multiplies a block of `R` rows with a part of a strip; what came before that part is in `sums`.
#[inline(always)]
fn tile<D: Dot, const R: usize>(
    dot: D,
    block: Block<'_>,
    part: &[[u32; STRIP]],
    sums: &mut [[u32; STRIP]],
    ahead: &mut Ahead,
) {
    // Of known lengths, so that the tile stays in registers and nothing is checked at each depth.
    let Some(sums) = sums.first_chunk_mut::<R>() else { return };
    let rows: [&[u32]; R] = std::array::from_fn(|r| &block.words[r * block.depth + block.from..][..part.len()]);
    let mut tile = [[dot.zero(); 2]; R];
    if block.from > 0 {
        for (row, stored) in tile.iter_mut().zip(sums.iter()) {
            for (sum, words) in row.iter_mut().zip(D::Simd::words(stored)) {
                *sum = dot.resume(words);
            }
        }
    }
    for (k, columns) in part.iter().enumerate() {
        let columns = D::Simd::words(columns);
        dot.simd().prefetch(ahead.at);
        ahead.at = ahead.at.wrapping_add(ahead.step);
        let (low, high) = (dot.load(&columns[0]), dot.load(&columns[1]));
        for (sums, row) in tile.iter_mut().zip(rows) {
            let word = dot.splat(row[k]);
            sums[0] = dot.dot(sums[0], word, low);
            sums[1] = dot.dot(sums[1], word, high);
        }
    }
    for (row, stored) in tile.iter().zip(sums.iter_mut()) {
        for (sum, words) in row.iter().zip(D::Simd::words_mut(stored)) {
            dot.store(*sum, words);
        }
    }
}
