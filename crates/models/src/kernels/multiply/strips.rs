//! Tiles for 16 registers of 8 lanes: six rows beside a strip of two registers.
//!
//! A part of a strip stays in a first-level cache while all rows pass
//! by it, and rows are read as they lie: a word that goes to every lane may be
//! read anywhere.

use super::{Ahead, Multiply, number_of_parts};
use crate::kernels::{
    cache::DepthSteps,
    dot::{Dot, Encoding, Product},
    simd::Simd,
    weights::STRIP,
};

impl Multiply<'_> {
    /// Tiles are a strip wide.
    #[inline(always)]
    pub(super) fn by_strips<D: Dot>(mut self, dot: D) {
        let depth = self.right.word_depth();
        // Steps of equal length, so that none is short.
        let step =
            depth.div_ceil(number_of_parts(depth, DepthSteps::here().strip)).next_multiple_of(D::DEPTH_STEP).max(1);
        // The product of bytes is several instructions, which takes registers of its own.
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
                    let ahead = &mut ahead;
                    match height {
                        6 => dot.vectorize(Tile::<6> { block, part, sums, ahead }),
                        4 => dot.vectorize(Tile::<4> { block, part, sums, ahead }),
                        _ => dot.vectorize(Tile::<2> { block, part, sums, ahead }),
                    }
                    if to == depth {
                        self.add_excesses(dot, first, height, strip);
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
    fn add_excesses<D: Dot>(&mut self, dot: D, first: usize, height: usize, strip: &[u32]) {
        if D::ENCODING != Encoding::Balanced {
            return;
        }
        let (sums, strip) = (self.sums.as_chunks_mut::<STRIP>().0, strip.as_chunks::<STRIP>().0);
        for (i, sums) in (first..self.left.rows()).zip(&mut sums[first..first + height]) {
            let excesses = self.left.excesses(i);
            if excesses.is_empty() {
                continue;
            }
            let mut whole = [dot.zero(); 2];
            whole.iter_mut().zip(D::Simd::words(sums)).for_each(|(sum, words)| *sum = dot.resume(words));
            for excess in excesses {
                let word = dot.splat(excess.word);
                for (sum, columns) in whole.iter_mut().zip(D::Simd::words(&strip[excess.place as usize])) {
                    *sum = dot.dot(*sum, word, dot.load(columns));
                }
            }
            whole.iter().zip(D::Simd::words_mut(sums)).for_each(|(sum, words)| dot.store(*sum, words));
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
///
/// It is a product of its own, and so a function of its own: within a larger one not all of its sums stay in registers.
struct Tile<'a, const R: usize> {
    block: Block<'a>,
    part: &'a [[u32; STRIP]],
    sums: &'a mut [[u32; STRIP]],
    ahead: &'a mut Ahead,
}

impl<const R: usize> Product for Tile<'_, R> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        let Self { block, part, sums, ahead } = self;
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
        let mut at = ahead.at;
        let (pairs, rest) = if D::IN_PAIRS { part.as_chunks::<2>() } else { (&[][..], part) };
        let (row_pairs, rows) =
            (rows.map(|row| &row.as_chunks::<2>().0[..pairs.len()]), rows.map(|row| &row[2 * pairs.len()..]));
        for (k, [first, second]) in pairs.iter().enumerate() {
            let (first, second) = (D::Simd::words(first), D::Simd::words(second));
            for _ in 0..2 {
                dot.simd().prefetch(at);
                at = at.wrapping_add(ahead.step);
            }
            let low = [dot.load(&first[0]), dot.load(&second[0])];
            let high = [dot.load(&first[1]), dot.load(&second[1])];
            for (sums, row) in tile.iter_mut().zip(row_pairs) {
                // One by one: two words that are loaded together must be taken apart.
                let [first, second] = &row[k];
                let words = [dot.splat(*first), dot.splat(*second)];
                sums[0] = dot.dot_two(sums[0], words, low);
                sums[1] = dot.dot_two(sums[1], words, high);
            }
        }
        for (k, columns) in rest.iter().enumerate() {
            let columns = D::Simd::words(columns);
            dot.simd().prefetch(at);
            at = at.wrapping_add(ahead.step);
            let (low, high) = (dot.load(&columns[0]), dot.load(&columns[1]));
            for (sums, row) in tile.iter_mut().zip(rows) {
                let word = dot.splat(row[k]);
                sums[0] = dot.dot(sums[0], word, low);
                sums[1] = dot.dot(sums[1], word, high);
            }
        }
        ahead.at = at;
        for (row, stored) in tile.iter().zip(sums.iter_mut()) {
            for (sum, words) in row.iter().zip(D::Simd::words_mut(stored)) {
                dot.store(*sum, words);
            }
        }
    }
}
