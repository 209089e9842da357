//! Attention by an instruction for tiles of 16 by 16.
//!
//! The lanes are queries: a tile of scores has a key a line and a query a column, so that the softmax runs across lines as it
//! does where lanes are heads. Queries, keys and values come with the heads side by side, and are transposed by blocks of 16 heads.

use std::ops::Range;

use super::{Attend, Attending, F, Heads, TILE, first, softmax, words};
use crate::kernels::{
    Aligned,
    dot::{Dot, Tiles},
    simd::Simd,
};

/// Lines and columns of a tile.
const SIDE: usize = 16;

/// Words of a tile.
const SQUARE: usize = SIDE * SIDE;

/// Words between the scores of two keys: heads are made exponentials of [`TILE`] at a time.
const STRIDE: usize = TILE * SIDE;

/// Lengths rounded up to whole tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Lengths {
    heads: usize,
    queries: usize,
    /// Whole tiles of scores, and whole words of two keys.
    keys: usize,
    components: usize,
    /// Words of a query's or a key's components.
    words: usize,
}

/// The buffers of attention by tiles.
#[derive(Default)]
pub(super) struct TileSpace {
    lengths: Lengths,
    /// `[heads, tiles of queries, words of components, SIDE]`
    queries: Aligned<u32>,
    /// `[heads, keys, words of components]`
    keys: Aligned<u32>,
    /// `[heads, components, words of keys]`
    values: Aligned<u32>,
    /// `[keys, TILE, SIDE]`
    scores: Aligned<u32>,
    /// `[words of keys, TILE, SIDE]`: their exponentials.
    weights: Aligned<u32>,
    /// `[components, heads, SIDE]`: the means of a tile's queries.
    means: Aligned<u32>,
    /// `[components, groups of heads, SIDE, SIDE]`: the same, heads side by side again.
    transposed: Aligned<u32>,
}

impl TileSpace {
    /// Makes room. What lies beyond components, heads and tokens is 0 at first.
    fn fit(&mut self, lengths: Lengths) {
        if self.lengths == lengths {
            return;
        }
        let Lengths { heads, queries, keys, components, words } = lengths;
        let buffers = [
            (&mut self.queries, heads * queries * words),
            (&mut self.keys, heads * keys * words),
            (&mut self.values, heads * components * keys / 2),
            (&mut self.scores, keys * STRIDE),
            (&mut self.weights, keys / 2 * STRIDE),
            (&mut self.means, components * heads * SIDE),
            (&mut self.transposed, components * heads * SIDE),
        ];
        for (buffer, length) in buffers {
            buffer.resize(length);
            buffer.fill(0);
        }
        self.lengths = lengths;
    }
}

impl Attend<'_> {
    /// In bfloat16, without a bias.
    #[inline(always)]
    pub(super) fn by_tiles<D: Dot>(self, dot: D, tiles: &Tiles) {
        let Heads { count, size } = self.heads;
        let Attending { tokens, queries } = self.attending;
        let space = &mut self.space.tiles;
        space.fit(Lengths {
            heads: count.next_multiple_of(SIDE),
            queries: queries.next_multiple_of(SIDE),
            keys: tokens.next_multiple_of(2 * SIDE),
            components: size.next_multiple_of(SIDE),
            words: size.div_ceil(2).next_multiple_of(SIDE),
        });
        let from = Projections { numbers: self.query_key_value, tokens, heads: self.heads };
        space.gather(dot, from, queries);
        for block in 0..queries.div_ceil(SIDE) {
            for first_head in (0..count).step_by(TILE) {
                let heads = first_head..count.min(first_head + TILE);
                space.score(tiles, heads.clone(), block);
                let inverse = softmax(dot, &mut space.scores[..tokens * STRIDE], &mut space.weights);
                for (head, inverse) in heads.zip(D::Simd::floats(&inverse)) {
                    space.weigh(dot, tiles, (head, first_head), inverse);
                }
            }
            let first_query = block * SIDE;
            let into = &mut self.context[first_query * count * size..];
            space.scatter(dot.simd(), self.heads, SIDE.min(queries - first_query), into);
        }
    }
}

/// `[tokens, 3, size, heads]`, and room for a vector behind it.
#[derive(Clone, Copy)]
struct Projections<'a> {
    numbers: &'a [f32],
    tokens: usize,
    heads: Heads,
}

/// Queries, keys or values of the 16 heads of a group.
#[derive(Clone, Copy)]
struct HeadGroup<'a> {
    from: Projections<'a>,
    which: usize,
    group: usize,
}

impl HeadGroup<'_> {
    /// A component of a token, times a factor; zeros where there is none.
    #[inline(always)]
    fn vector<S: Simd>(self, simd: S, token: usize, component: usize, factor: S::F) -> S::F {
        let Projections { numbers, tokens, heads: Heads { count, size } } = self.from;
        if token >= tokens || component >= size {
            return simd.splat(0.0);
        }
        let place = ((token * 3 + self.which) * size + component) * count + self.group * SIDE;
        first(simd, &numbers[place..][..SIDE], factor)
    }

    /// Words of two components of a token.
    #[inline(always)]
    fn components<D: Dot>(self, simd: D::Simd, token: usize, word: usize, factor: F<D>) -> <D::Simd as Simd>::I {
        let low = self.vector(simd, token, 2 * word, factor);
        words::<D>(simd, low, self.vector(simd, token, 2 * word + 1, factor))
    }

    /// Words of a component of two tokens.
    #[inline(always)]
    fn tokens<D: Dot>(self, simd: D::Simd, token: usize, component: usize, factor: F<D>) -> <D::Simd as Simd>::I {
        let low = self.vector(simd, token, component, factor);
        words::<D>(simd, low, self.vector(simd, token + 1, component, factor))
    }
}

impl TileSpace {
    /// Lays queries, keys and values out as tiles want them.
    #[inline(always)]
    fn gather<D: Dot>(&mut self, dot: D, from: Projections<'_>, queries: usize) {
        let simd = dot.simd();
        let Lengths { queries: padded, keys, components, words: width, .. } = self.lengths;
        let Heads { count, size } = from.heads;
        let one = simd.splat(1.0);
        let factor = simd.splat(1.0 / (size as f32).sqrt());
        // Closures would be compiled without the instructions: vectors are made in loops.
        let mut side = [0; SQUARE];
        for group in 0..count.div_ceil(SIDE) {
            let first_head = group * SIDE;
            let heads = SIDE.min(count - first_head);
            let of_group = |which| HeadGroup { from, which, group };
            for first in (0..queries).step_by(SIDE) {
                for word in 0..size.div_ceil(2) {
                    for (query, slot) in D::Simd::words_mut(&mut side).iter_mut().enumerate() {
                        simd.store_words(of_group(0).components::<D>(simd, first + query, word, factor), slot);
                    }
                    let place = (first_head * padded + first) * width + word * SIDE;
                    transpose(simd, &side, &mut self.queries[place..], padded * width, heads);
                }
            }
            for key in 0..keys {
                for first in (0..size.div_ceil(2)).step_by(SIDE) {
                    for (word, slot) in D::Simd::words_mut(&mut side).iter_mut().enumerate() {
                        simd.store_words(of_group(1).components::<D>(simd, key, first + word, one), slot);
                    }
                    let place = (first_head * keys + key) * width + first;
                    transpose(simd, &side, &mut self.keys[place..], keys * width, heads);
                }
            }
            for component in 0..size {
                for first in (0..keys / 2).step_by(SIDE) {
                    for (word, slot) in D::Simd::words_mut(&mut side).iter_mut().enumerate() {
                        simd.store_words(of_group(2).tokens::<D>(simd, 2 * (first + word), component, one), slot);
                    }
                    let place = (first_head * components + component) * (keys / 2) + first;
                    transpose(simd, &side, &mut self.values[place..], components * keys / 2, heads);
                }
            }
        }
    }

    /// The scores of a block of queries and every key, of up to [`TILE`] heads.
    #[inline(always)]
    fn score(&mut self, tiles: &Tiles, heads: Range<usize>, block: usize) {
        let Lengths { queries, keys, words, .. } = self.lengths;
        for (place, head) in heads.enumerate() {
            let of_head = &self.keys[head * keys * words..][..keys * words];
            let queries = &self.queries[(head * queries + block * SIDE) * words..][..SIDE * words];
            let lines = of_head.chunks_exact(SIDE * words).zip(self.scores.chunks_exact_mut(SIDE * STRIDE));
            for (keys, scores) in lines {
                tiles.square(words / SIDE, (keys, words), (queries, SIDE), (&mut scores[place * SIDE..], STRIDE));
            }
        }
    }

    /// The means of the values of a head, weighted for a block of queries.
    #[inline(always)]
    fn weigh<D: Dot>(
        &mut self,
        dot: D,
        tiles: &Tiles,
        (head, first_head): (usize, usize),
        inverse: &<D::Simd as Simd>::Floats,
    ) {
        let simd = dot.simd();
        let inverse = simd.load(inverse);
        let Lengths { heads, keys, components, .. } = self.lengths;
        let (width, weights) = (keys / 2, &self.weights[(head - first_head) * SIDE..]);
        let of_head = &self.values[head * components * width..][..components * width];
        let means = self.means.chunks_exact_mut(SIDE * heads * SIDE);
        for (values, means) in of_head.chunks_exact(SIDE * width).zip(means) {
            tiles.square(width / SIDE, (values, width), (weights, STRIDE), (&mut means[head * SIDE..], heads * SIDE));
            for means in means[head * SIDE..].chunks_mut(heads * SIDE) {
                if let Some(line) = D::Simd::words_mut(&mut means[..SIDE]).first_mut() {
                    let mean = simd.mul(simd.as_floats(simd.load_words(line)), inverse);
                    simd.store_words(simd.as_words(mean), line);
                }
            }
        }
    }

    /// Writes the means of some queries, token after token: a vector's lanes beyond the heads are overwritten by the next.
    #[inline(always)]
    fn scatter<S: Simd>(&mut self, simd: S, heads: Heads, queries: usize, context: &mut [f32]) {
        let groups = self.lengths.heads / SIDE;
        for (means, transposed) in self.means.chunks_exact(SQUARE).zip(self.transposed.chunks_exact_mut(SQUARE)) {
            simd.interleave(means, SIDE, transposed);
        }
        for query in 0..queries {
            for component in 0..heads.size {
                for group in 0..groups {
                    let from = &self.transposed[(component * groups + group) * SQUARE + query * SIDE..][..SIDE];
                    let place = (query * heads.size + component) * heads.count + group * SIDE;
                    let into = &mut context[place..][..SIDE];
                    if let (Some(from), Some(into)) = (S::words(from).first(), S::floats_mut(into).first_mut()) {
                        simd.store(simd.as_floats(simd.load_words(from)), into);
                    }
                }
            }
        }
    }
}

/// Transposes 16 vectors of a word a head into 16 words a head, of the first `heads` heads, which lie `apart` words from each other.
#[inline(always)]
fn transpose<S: Simd>(simd: S, by_word: &[u32; SQUARE], into: &mut [u32], apart: usize, heads: usize) {
    let mut by_head = [0; SQUARE];
    simd.interleave(by_word, SIDE, &mut by_head);
    for (head, words) in by_head.as_chunks::<SIDE>().0.iter().enumerate().take(heads) {
        into[head * apart..][..SIDE].copy_from_slice(words);
    }
}
