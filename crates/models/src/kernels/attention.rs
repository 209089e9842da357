//! Self-attention within one text: softmax(Q K^T / sqrt(size)) V, all heads at once.
//! (Vaswani et al. 2017, section 3.2.)
//!
//! The lanes of a vector are heads: the projections come with the heads of one
//! component side by side. So nothing is transposed, no sum runs across a
//! vector, the softmax needs no tail, and a short text wastes nothing.

mod tiles;

use self::tiles::TileSpace;
use super::{
    Aligned,
    dot::{Dot, Encoding, Product},
    exp::{exp, exp_close},
    simd::Simd,
};

/// Tokens, or components, of a tile's side.
const TILE: usize = 4;

/// Keys, or components, of a tile where there are 16 registers: 8 sums, 4 queries and what passes by them.
const PAIR: usize = 2;

/// How many heads there are and how wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heads {
    /// Heads.
    pub(crate) count: usize,
    /// Components of a head.
    pub(crate) size: usize,
}

/// How much of a text attends to all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attending {
    /// Tokens of the text.
    pub(crate) tokens: usize,
    /// The first of them, for which values are gathered; one at least.
    pub(crate) queries: usize,
}

/// The buffers of attention within one text; words hold one number or two, as the product of a [`Dot`] wants them.
#[derive(Default)]
pub(crate) struct AttentionSpace {
    /// Queries and keys, `[groups, tokens, words of size, lanes]`; values, `[groups, words of tokens, size, lanes]`.
    parts: [Aligned<u32>; 3],
    /// `[tokens, TILE, lanes]`: the scores of a tile's queries.
    scores: Aligned<u32>,
    /// `[words of tokens, TILE, lanes]`: their exponentials.
    weights: Aligned<u32>,
    /// `[groups, tokens, size, lanes]`: the means of the values.
    means: Aligned<u32>,
    tiles: TileSpace,
}

/// What attention adds to the scores of a query and a key, `[2 * reach - 1, heads]` by their distance.
pub(crate) struct ScoreBias<'a> {
    /// Distances `key - query` from `1 - reach` to `reach - 1`.
    pub(crate) table: &'a [f32],
    /// Most tokens of a text.
    pub(crate) reach: usize,
}

pub(super) struct Attend<'a> {
    /// `[tokens, 3, size, heads]`, and room for a vector behind it.
    pub(super) query_key_value: &'a [f32],
    /// `[queries, size, heads]`, and room for a vector behind it, which may be written.
    pub(super) context: &'a mut [f32],
    pub(super) attending: Attending,
    pub(super) heads: Heads,
    pub(super) bias: Option<ScoreBias<'a>>,
    pub(super) space: &'a mut AttentionSpace,
}

/// Components that must lie behind what [`Attend`] reads and writes.
pub(crate) const MARGIN: usize = 16;

impl Product for Attend<'_> {
    /// With f32 or bfloat16; `Arithmetic` never asks for bytes, whose sums are no numbers yet.
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        match dot.tiles() {
            Some(tiles) if self.bias.is_none() => self.by_tiles(dot, &tiles),
            _ => self.by_vectors(dot),
        }
    }
}

impl Attend<'_> {
    /// Lanes are heads.
    #[inline(always)]
    fn by_vectors<D: Dot>(self, dot: D) {
        let lanes = D::Simd::LANES;
        let Heads { count, size } = self.heads;
        let shape = Shape {
            tokens: self.attending.tokens,
            padded: self.attending.tokens.next_multiple_of(TILE),
            size: size.next_multiple_of(TILE),
            groups: count.div_ceil(lanes),
        };
        let AttentionSpace { parts: [queries, keys, values], scores, weights, means, .. } = self.space;
        shape.gather::<D>(dot.simd(), self.query_key_value, 0, self.heads, 1.0 / (size as f32).sqrt(), queries);
        shape.gather::<D>(dot.simd(), self.query_key_value, 1, self.heads, 1.0, keys);
        shape.gather_values::<D>(dot.simd(), self.query_key_value, self.heads, values);
        scores.resize(shape.padded * TILE * lanes);
        weights.resize(shape.padded.div_ceil(D::ENCODING.depth()) * TILE * lanes);
        means.resize(shape.groups * shape.padded * shape.size * lanes);
        let group_words = shape.padded * shape.size / D::ENCODING.depth() * lanes;
        for group in 0..shape.groups {
            let of_group = group * group_words..(group + 1) * group_words;
            let queries = D::Simd::words(&queries[of_group.clone()]);
            let (keys, values) = (D::Simd::words(&keys[of_group.clone()]), D::Simd::words(&values[of_group]));
            let means = &mut means[group * shape.padded * shape.size * lanes..][..shape.padded * shape.size * lanes];
            let tiles = queries.chunks_exact(TILE * shape.words::<D>()).take(self.attending.queries.div_ceil(TILE));
            for (t, (tile, means)) in
                tiles.zip(D::Simd::words_mut(means).chunks_exact_mut(TILE * shape.size)).enumerate()
            {
                if D::Simd::REGISTERS < 32 {
                    shape.score_by_pairs(dot, tile, keys, D::Simd::words_mut(scores));
                } else {
                    shape.score(dot, tile, keys, D::Simd::words_mut(scores));
                }
                if let Some(bias) = &self.bias {
                    let scores = D::Simd::words_mut(scores);
                    add_bias::<D::Simd>(scores, bias, t * TILE, shape.tokens, group * lanes, count);
                }
                let inverse = softmax(dot, &mut scores[..shape.tokens * TILE * lanes], weights);
                let (weights, inverse) = (D::Simd::words(weights), D::Simd::floats(&inverse));
                if D::Simd::REGISTERS < 32 {
                    shape.weigh::<D, PAIR>(dot, weights, values, inverse, means);
                } else {
                    shape.weigh::<D, TILE>(dot, weights, values, inverse, means);
                }
            }
        }
        shape.scatter(dot.simd(), means, self.heads, self.attending.queries, self.context);
    }
}

/// Makes words of one number or two.
#[inline(always)]
fn words<D: Dot>(simd: D::Simd, low: F<D>, high: F<D>) -> <D::Simd as Simd>::I {
    match D::ENCODING {
        Encoding::F32 => simd.as_words(low),
        _ => simd.pair(low, high),
    }
}

/// A register of the numbers that words are made of.
type F<D> = <<D as Dot>::Simd as Simd>::F;

/// The first vector of some numbers, times `factor`; where there is none, zeros.
#[inline(always)]
fn first<S: Simd>(simd: S, numbers: &[f32], factor: S::F) -> S::F {
    S::floats(numbers).first().map_or(simd.splat(0.0), |vector| simd.mul(simd.load(vector), factor))
}

#[derive(Clone, Copy)]
struct Shape {
    tokens: usize,
    /// Tokens rounded up to whole tiles.
    padded: usize,
    /// Components of a head rounded up to whole tiles.
    size: usize,
    /// Vectors that the heads fill.
    groups: usize,
}

impl Shape {
    /// Words of a query or a key.
    #[inline(always)]
    fn words<D: Dot>(self) -> usize {
        self.size / D::ENCODING.depth()
    }

    /// Makes room for queries, keys or values.
    #[inline(always)]
    fn clear<D: Dot>(self, part: &mut Aligned<u32>) {
        let length = self.groups * self.padded * self.words::<D>() * D::Simd::LANES;
        if part.len() != length {
            part.resize(length);
            part.fill(0);
        }
    }

    /// Copies queries or keys, so that the words of a token's components of a group follow one another.
    ///
    /// Lanes beyond the heads hold what lies behind them; nothing is made of those lanes.
    #[inline(always)]
    fn gather<D: Dot>(
        self,
        simd: D::Simd,
        from: &[f32],
        which: usize,
        heads: Heads,
        factor: f32,
        part: &mut Aligned<u32>,
    ) {
        self.clear::<D>(part);
        let (lanes, depth, hidden) = (D::Simd::LANES, D::ENCODING.depth(), heads.count * heads.size);
        let factor = simd.splat(factor);
        let tokens = D::Simd::words_mut(part).chunks_exact_mut(self.words::<D>());
        for (place, into) in tokens.enumerate() {
            let (group, token) = (place / self.padded, place % self.padded);
            if token >= self.tokens {
                continue;
            }
            let row = &from[(token * 3 + which) * hidden + group * lanes..];
            for (slot, component) in into.iter_mut().zip((0..heads.size).step_by(depth)) {
                let vector = |component: usize| &row[component * heads.count..][..lanes];
                let two = depth > 1 && component + 1 < heads.size;
                let low = first(simd, vector(component), factor);
                let high = first(simd, if two { vector(component + 1) } else { &[] }, factor);
                simd.store_words(words::<D>(simd, low, high), slot);
            }
        }
    }

    /// Copies values: the components of the tokens of a word follow one another.
    #[inline(always)]
    fn gather_values<'f, D: Dot>(self, simd: D::Simd, from: &'f [f32], heads: Heads, part: &mut Aligned<u32>) {
        self.clear::<D>(part);
        let (lanes, depth, hidden) = (D::Simd::LANES, D::ENCODING.depth(), heads.count * heads.size);
        let one = simd.splat(1.0);
        let tokens = D::Simd::words_mut(part).chunks_exact_mut(self.size);
        for (place, into) in tokens.enumerate() {
            let (group, token) = (place / (self.padded / depth), place % (self.padded / depth) * depth);
            if token >= self.tokens {
                continue;
            }
            let row = |token: usize| &from[(token * 3 + 2) * hidden + group * lanes..];
            let low = row(token);
            let high = if depth > 1 && token + 1 < self.tokens { row(token + 1) } else { &[] };
            for (component, slot) in into.iter_mut().take(heads.size).enumerate() {
                let vector = |row: &'f [f32]| row.get(component * heads.count..).unwrap_or_default();
                let (low, high) = (first(simd, vector(low), one), first(simd, vector(high), one));
                simd.store_words(words::<D>(simd, low, high), slot);
            }
        }
    }

    /// The scores of a tile's queries and every key, `[keys, TILE]`.
    #[inline(always)]
    fn score<D: Dot>(
        self,
        dot: D,
        queries: &[<D::Simd as Simd>::Words],
        keys: &[<D::Simd as Simd>::Words],
        scores: &mut [<D::Simd as Simd>::Words],
    ) {
        let words = self.words::<D>();
        for (keys, scores) in keys.chunks_exact(TILE * words).zip(scores.chunks_exact_mut(TILE * TILE)) {
            let mut tile = [[dot.zero(); TILE]; TILE];
            let (q0, rest) = queries.split_at(words);
            let (q1, rest) = rest.split_at(words);
            let (q2, q3) = rest.split_at(words);
            let (k0, rest) = keys.split_at(words);
            let (k1, rest) = rest.split_at(words);
            let (k2, k3) = rest.split_at(words);
            let queries = q0.iter().zip(q1).zip(q2).zip(q3);
            let keys = k0.iter().zip(k1).zip(k2).zip(k3);
            for ((((q0, q1), q2), q3), (((k0, k1), k2), k3)) in queries.zip(keys) {
                let q = [dot.load(q0), dot.load(q1), dot.load(q2), dot.load(q3)];
                let k = [dot.load(k0), dot.load(k1), dot.load(k2), dot.load(k3)];
                for (row, k) in tile.iter_mut().zip(k) {
                    for (sum, q) in row.iter_mut().zip(q) {
                        *sum = dot.dot(*sum, q, k);
                    }
                }
            }
            for (row, slots) in tile.iter().zip(scores.chunks_exact_mut(TILE)) {
                for (sum, slot) in row.iter().zip(slots) {
                    dot.store(*sum, slot);
                }
            }
        }
    }

    /// [`Shape::score`] with two keys at a time.
    #[inline(always)]
    fn score_by_pairs<D: Dot>(
        self,
        dot: D,
        queries: &[<D::Simd as Simd>::Words],
        keys: &[<D::Simd as Simd>::Words],
        scores: &mut [<D::Simd as Simd>::Words],
    ) {
        let words = self.words::<D>();
        let (q0, rest) = queries.split_at(words);
        let (q1, rest) = rest.split_at(words);
        let (q2, q3) = rest.split_at(words);
        for (keys, scores) in keys.chunks_exact(PAIR * words).zip(scores.chunks_exact_mut(PAIR * TILE)) {
            let mut tile = [[dot.zero(); TILE]; PAIR];
            let (k0, k1) = keys.split_at(words);
            let queries = q0.iter().zip(q1).zip(q2).zip(q3);
            for ((((q0, q1), q2), q3), (k0, k1)) in queries.zip(k0.iter().zip(k1)) {
                let k = [dot.load(k0), dot.load(k1)];
                for (query, q) in [q0, q1, q2, q3].into_iter().enumerate() {
                    let q = dot.load(q);
                    for (row, k) in tile.iter_mut().zip(k) {
                        row[query] = dot.dot(row[query], q, k);
                    }
                }
            }
            for (sum, slot) in tile.iter().flatten().zip(scores) {
                dot.store(*sum, slot);
            }
        }
    }

    /// The weighted means of the values, one a query of the tile, `C` components at a time.
    #[inline(always)]
    fn weigh<D: Dot, const C: usize>(
        self,
        dot: D,
        weights: &[<D::Simd as Simd>::Words],
        values: &[<D::Simd as Simd>::Words],
        inverse: &[<D::Simd as Simd>::Floats],
        means: &mut [<D::Simd as Simd>::Words],
    ) {
        let simd = dot.simd();
        let steps = self.tokens.div_ceil(D::ENCODING.depth());
        let mut component = 0;
        while component < self.size {
            let mut sums = [[dot.zero(); C]; TILE];
            for (weights, values) in weights.chunks_exact(TILE).zip(values.chunks_exact(self.size)).take(steps) {
                let Some(values) = values[component..].first_chunk::<C>() else { continue };
                let v: [_; C] = std::array::from_fn(|c| dot.load(&values[c]));
                for (row, weight) in sums.iter_mut().zip(weights) {
                    let weight = dot.load(weight);
                    for (sum, v) in row.iter_mut().zip(v) {
                        *sum = dot.dot(*sum, weight, v);
                    }
                }
            }
            for ((row, inverse), token) in sums.iter().zip(inverse).zip(means.chunks_exact_mut(self.size)) {
                let inverse = simd.load(inverse);
                for (sum, slot) in row.iter().zip(&mut token[component..]) {
                    dot.store(*sum, slot);
                    let mean = simd.mul(simd.as_floats(simd.load_words(slot)), inverse);
                    simd.store_words(simd.as_words(mean), slot);
                }
            }
            component += C;
        }
    }

    /// Writes the means, token after token: a vector's lanes beyond the heads are overwritten by the next.
    #[inline(always)]
    fn scatter<S: Simd>(self, simd: S, means: &[u32], heads: Heads, queries: usize, context: &mut [f32]) {
        let token_length = self.size * S::LANES;
        for token in 0..queries {
            for component in 0..heads.size {
                for group in 0..self.groups {
                    let from =
                        &means[(group * self.padded + token) * token_length + component * S::LANES..][..S::LANES];
                    let place = (token * heads.size + component) * heads.count + group * S::LANES;
                    let into = &mut context[place..][..S::LANES];
                    if let (Some(from), Some(into)) = (S::words(from).first(), S::floats_mut(into).first_mut()) {
                        simd.store(simd.as_floats(simd.load_words(from)), into);
                    }
                }
            }
        }
    }
}

/// Adds to `[keys, TILE]` scores what depends on the distance of key and query.
#[inline(always)]
fn add_bias<S: Simd>(
    scores: &mut [S::Words],
    bias: &ScoreBias<'_>,
    first_query: usize,
    tokens: usize,
    first_head: usize,
    heads: usize,
) {
    for (key, scores) in scores.chunks_exact_mut(TILE).take(tokens).enumerate() {
        for (q, lanes) in scores.iter_mut().enumerate() {
            let query = (first_query + q).min(tokens - 1);
            let row = &bias.table[(bias.reach - 1 + key - query) * heads..][..heads];
            for (score, term) in lanes.as_mut().iter_mut().zip(&row[first_head..]) {
                *score = (f32::from_bits(*score) + term).to_bits();
            }
        }
    }
}

/// Writes the exponentials of `[keys, TILE, lanes]` scores as words; returns what makes each query's sum to 1.
#[inline(always)]
fn softmax<D: Dot>(dot: D, scores: &mut [u32], weights: &mut [u32]) -> [f32; TILE * MARGIN] {
    let (simd, width, depth) = (dot.simd(), TILE * D::Simd::LANES, D::ENCODING.depth());
    // The largest exponent becomes 0, so that no exponential overflows.
    let mut tops = [f32::NEG_INFINITY; TILE * MARGIN];
    for scores in scores.chunks_exact(width) {
        for (top, scores) in D::Simd::floats_mut(&mut tops).iter_mut().zip(D::Simd::words(scores)) {
            simd.store(simd.max(simd.as_floats(simd.load_words(scores)), simd.load(top)), top);
        }
    }
    let mut sums = [0.0; TILE * MARGIN];
    if D::Simd::REGISTERS < 32 && D::ENCODING == Encoding::F32 {
        for (scores, weights) in scores.chunks_exact(width).zip(weights.chunks_exact_mut(width)) {
            single_exponentials::<D::Simd>(scores, &tops[..width], &mut sums[..width], weights);
        }
        return sums.map(|sum| 1.0 / sum);
    }
    let (tops, of_sums) = (D::Simd::floats(&tops), D::Simd::floats_mut(&mut sums));
    for (scores, weights) in scores.chunks_mut(depth * width).zip(weights.chunks_exact_mut(width)) {
        let (low, high) = D::Simd::words_mut(scores).split_at_mut(TILE);
        let vectors = low.iter_mut().zip(tops).zip(&mut *of_sums).zip(D::Simd::words_mut(weights));
        for (q, (((low, top), sum), weights)) in vectors.enumerate() {
            let low = exponentials::<D>(simd, low, top, sum);
            let high = high.get_mut(q).map_or(simd.splat(0.0), |high| exponentials::<D>(simd, high, top, sum));
            simd.store_words(words::<D>(simd, low, high), weights);
        }
    }
    sums.map(|sum| 1.0 / sum)
}

/// Writes the exponentials of a key's scores and adds them to the sums: several vectors in one loop over plain slices,
/// which a compiler for 8 lanes vectorises where it leaves a loop of a single vector as it is.
#[inline(always)]
fn single_exponentials<S: Simd>(scores: &[u32], tops: &[f32], sums: &mut [f32], weights: &mut [u32]) {
    for (((score, top), sum), weight) in scores.iter().zip(tops).zip(sums).zip(weights) {
        let value = exp::<S>(f32::from_bits(*score) - top);
        *sum += value;
        *weight = value.to_bits();
    }
}

/// Turns a vector of scores into exponentials in place and adds them to the sums.
#[inline(always)]
fn exponentials<D: Dot>(
    simd: D::Simd,
    scores: &mut <D::Simd as Simd>::Words,
    tops: &<D::Simd as Simd>::Floats,
    sums: &mut <D::Simd as Simd>::Floats,
) -> F<D> {
    for ((score, sum), top) in scores.as_mut().iter_mut().zip(sums.as_mut()).zip(tops.as_ref()) {
        let exponent = f32::from_bits(*score) - top;
        let value = match D::ENCODING {
            Encoding::F32 => exp::<D::Simd>(exponent),
            _ => exp_close::<D::Simd>(exponent),
        };
        *sum += value;
        *score = value.to_bits();
    }
    simd.as_floats(simd.load_words(scores))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::testing::arithmetics;

    const REACH: usize = 40;

    /// By the definition, head after head, in f64.
    fn naive(rows: &[f32], tokens: usize, heads: Heads, table: Option<&[f32]>) -> Vec<f32> {
        let hidden = heads.count * heads.size;
        let number = |token: usize, part: usize, head: usize, component: usize| {
            f64::from(rows[(token * 3 + part) * hidden + component * heads.count + head])
        };
        let mut out = vec![0.0; tokens * hidden];
        for head in 0..heads.count {
            for query in 0..tokens {
                let score = |key: usize| {
                    let dot: f64 = (0..heads.size).map(|c| number(query, 0, head, c) * number(key, 1, head, c)).sum();
                    let bias = table.map_or(0.0, |table| table[(REACH - 1 + key - query) * heads.count + head]);
                    (dot / (heads.size as f64).sqrt() + f64::from(bias)).exp()
                };
                let scores: Vec<f64> = (0..tokens).map(score).collect();
                let total: f64 = scores.iter().sum();
                for c in 0..heads.size {
                    let sum: f64 = scores.iter().enumerate().map(|(key, score)| score * number(key, 2, head, c)).sum();
                    out[query * hidden + c * heads.count + head] = (sum / total) as f32;
                }
            }
        }
        out
    }

    fn cases() -> impl Strategy<Value = (Heads, usize, Vec<f32>, Vec<f32>)> {
        (1usize..20, prop_oneof![1usize..12, 30usize..70], 1usize..REACH).prop_flat_map(|(count, size, tokens)| {
            let numbers = |n| prop::collection::vec(-2.0f32..2.0, n);
            let heads = Heads { count, size };
            (Just(heads), Just(tokens), numbers(tokens * 3 * count * size), numbers((2 * REACH - 1) * count))
        })
    }

    proptest! {
        #[test]
        fn equals_the_definition_for_any_shape((heads, tokens, rows, table) in cases()) {
            let hidden = heads.count * heads.size;
            let mut padded = rows.clone();
            // What lies in the margin must not matter.
            padded.extend([f32::NAN; MARGIN]);
            for arithmetic in arithmetics() {
                for table in [None, Some(table.as_slice())] {
                    let bias = table.map(|table| ScoreBias { table, reach: REACH });
                    let mut context = vec![f32::NAN; tokens * hidden + MARGIN];
                    // A space that was used before for something larger.
                    let mut space = AttentionSpace::default();
                    let mut attend = |tokens: usize, queries: usize, context: &mut [f32]| {
                        let bias = bias.as_ref().map(|bias| ScoreBias { table: bias.table, reach: bias.reach });
                        let attending = Attending { tokens, queries };
                        arithmetic.attend(&padded, context, attending, heads, bias, &mut space);
                    };
                    for length in [tokens, 1, tokens] {
                        attend(length, length, &mut context);
                    }
                    let some = tokens.div_ceil(2);
                    let mut of_some = vec![f32::NAN; some * hidden + MARGIN];
                    attend(tokens, some, &mut of_some);
                    prop_assert!(of_some[..some * hidden] == context[..some * hidden], "{arithmetic:?}: {some} queries");
                    let expected = naive(&rows, tokens, heads, table);
                    let slack = if arithmetic.attends_in_bf16() { 0.1 } else { 1e-5 };
                    for (found, expected) in context.iter().zip(expected) {
                        prop_assert!((found - expected).abs() < slack, "{arithmetic:?}: {found} {expected}");
                    }
                }
            }
        }
    }
}
