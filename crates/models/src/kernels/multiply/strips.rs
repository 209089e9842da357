//! Tiles for 16 registers of 8 lanes: six rows beside a strip of two registers.
//!
//! A part of a strip stays in a first-level cache of 32 KiB while all rows pass
//! by it, and rows are read as they lie: a word that goes to every lane may be
//! read anywhere.

use super::{Ahead, Multiply, blocks};
use crate::kernels::{dot::Dot, simd::Simd, weights::STRIP};

/// Depths, in words, of a part of a strip: half of the first-level cache.
const DEPTH_STEP: usize = 384;

impl Multiply<'_> {
    /// Tiles are a strip wide.
    #[inline(always)]
    pub(super) fn by_strips<D: Dot>(mut self, dot: D) {
        let depth = self.right.word_depth();
        // Steps of equal length, so that none is short.
        let step = depth.div_ceil(depth.div_ceil(DEPTH_STEP).max(1)).max(1);
        let padded: usize = blocks::<D::Simd>(self.left.rows()).map(|(_, height)| height).sum();
        self.sums.resize(padded * STRIP);
        // Words that one block fetches at each depth, so that all blocks together fetch a part.
        let share = STRIP.div_ceil(padded.div_ceil(D::Simd::ROWS).max(1));
        // The last panel may have strips without a column.
        let count = self.right.columns().div_ceil(STRIP);
        for (s, (strip, columns)) in self.right.strips::<STRIP>().take(count).enumerate() {
            let mut from = 0;
            while from < depth {
                let to = (from + step).min(depth);
                let part = strip[from * STRIP..to * STRIP].as_chunks().0;
                // The part of the weights that comes next is fetched while this one is multiplied.
                let mut ahead = Ahead { at: part.as_ptr_range().end.cast(), step: share };
                for (first, height) in blocks::<D::Simd>(self.left.rows()) {
                    let block = Block { words: self.left.block(first, height), depth, from };
                    let sums = &mut self.sums.as_chunks_mut().0[first..first + height];
                    match height {
                        6 => tile::<D, 6>(dot, block, part, sums, &mut ahead),
                        4 => tile::<D, 4>(dot, block, part, sums, &mut ahead),
                        _ => tile::<D, 2>(dot, block, part, sums, &mut ahead),
                    }
                    if to == depth {
                        self.write::<D, STRIP>(first, height, s * STRIP, columns);
                    }
                }
                from = to;
            }
        }
    }
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
