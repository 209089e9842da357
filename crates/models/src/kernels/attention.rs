//! Self-attention within one text: softmax(Q K^T / sqrt(size)) V, all heads at once.
//! (Vaswani et al. 2017, section 3.2.)
//!
//! The lanes of a vector are heads: the projections come with the heads of one
//! component side by side. So nothing is transposed, no sum runs across a
//! vector, the softmax needs no tail, and a short text wastes nothing.

use super::{
    Aligned,
    exp::exp,
    simd::{Kernel, Simd},
};

/// Tokens, or components, of a tile's side.
const TILE: usize = 4;

/// How many heads there are and how wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heads {
    /// Heads.
    pub(crate) count: usize,
    /// Components of a head.
    pub(crate) size: usize,
}

/// The buffers of attention within one text.
#[derive(Default)]
pub(crate) struct AttentionSpace {
    /// Queries, keys and values, `[groups, tokens, size, lanes]` each; queries give way to what is gathered.
    parts: [Aligned<f32>; 3],
    /// `[tokens, TILE, lanes]`: the scores of a tile's queries.
    scores: Aligned<f32>,
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
    /// `[tokens, size, heads]`, and room for a vector behind it, which may be written.
    pub(super) context: &'a mut [f32],
    pub(super) tokens: usize,
    pub(super) heads: Heads,
    pub(super) bias: Option<ScoreBias<'a>>,
    pub(super) space: &'a mut AttentionSpace,
}

/// Components that must lie behind what [`Attend`] reads and writes.
pub(crate) const MARGIN: usize = 16;

impl Kernel for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Heads { count, size } = self.heads;
        let shape = Shape {
            tokens: self.tokens,
            padded: self.tokens.next_multiple_of(TILE),
            size: size.next_multiple_of(TILE),
            groups: count.div_ceil(S::LANES),
        };
        let factor = 1.0 / (size as f32).sqrt();
        let [queries, keys, values] = &mut self.space.parts;
        for (i, (part, factor)) in
            [(&mut *queries, factor), (&mut *keys, 1.0), (&mut *values, 1.0)].into_iter().enumerate()
        {
            shape.gather(simd, self.query_key_value, i, self.heads, factor, part);
        }
        self.space.scores.resize(shape.padded * TILE * S::LANES);
        let scores = &mut self.space.scores;
        for group in 0..shape.groups {
            let start = keys.len() / shape.groups * group;
            let end = start + shape.padded * shape.size * S::LANES;
            let queries = S::floats_mut(&mut queries[start..end]);
            let (keys, values) = (S::floats(&keys[start..end]), S::floats(&values[start..end]));
            for (t, tile) in queries.chunks_exact_mut(TILE * shape.size).enumerate() {
                shape.score(simd, tile, keys, S::floats_mut(scores));
                if let Some(bias) = &self.bias {
                    add_bias::<S>(S::floats_mut(scores), bias, t * TILE, shape.tokens, group * S::LANES, count);
                }
                let inverse = softmax(simd, &mut scores[..shape.tokens * TILE * S::LANES]);
                shape.weigh(simd, S::floats(scores), values, S::floats(&inverse), tile);
            }
        }
        shape.scatter(simd, queries, self.heads, self.context);
    }
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
    /// Copies one of query, key and value, so that a token's components of a group follow one another.
    #[inline(always)]
    fn gather<S: Simd>(self, simd: S, from: &[f32], which: usize, heads: Heads, factor: f32, part: &mut Aligned<f32>) {
        let token_length = self.size * S::LANES;
        let length = self.groups * self.padded * token_length;
        if part.len() != length {
            part.resize(length);
            part.fill(0.0);
        }
        let factor = simd.splat(factor);
        let hidden = heads.count * heads.size;
        for group in 0..self.groups {
            for token in 0..self.tokens {
                let row = &from[(token * 3 + which) * hidden + group * S::LANES..];
                let into = &mut part[(group * self.padded + token) * token_length..][..token_length];
                let into = S::floats_mut(into);
                for (component, slot) in into.iter_mut().take(heads.size).enumerate() {
                    // Lanes beyond the heads hold what lies behind them; nothing is made of those lanes.
                    if let Some(values) = S::floats(&row[component * heads.count..][..S::LANES]).first() {
                        simd.store(simd.mul(simd.load(values), factor), slot);
                    }
                }
            }
        }
    }

    /// The scores of a tile's queries and every key, `[keys, TILE]`.
    #[inline(always)]
    fn score<S: Simd>(self, simd: S, queries: &[S::Floats], keys: &[S::Floats], scores: &mut [S::Floats]) {
        for (keys, scores) in keys.chunks_exact(TILE * self.size).zip(scores.chunks_exact_mut(TILE * TILE)) {
            let mut tile = [[simd.splat(0.0); TILE]; TILE];
            let (q0, rest) = queries.split_at(self.size);
            let (q1, rest) = rest.split_at(self.size);
            let (q2, q3) = rest.split_at(self.size);
            let (k0, rest) = keys.split_at(self.size);
            let (k1, rest) = rest.split_at(self.size);
            let (k2, k3) = rest.split_at(self.size);
            let queries = q0.iter().zip(q1).zip(q2).zip(q3);
            let keys = k0.iter().zip(k1).zip(k2).zip(k3);
            for ((((q0, q1), q2), q3), (((k0, k1), k2), k3)) in queries.zip(keys) {
                let q = [simd.load(q0), simd.load(q1), simd.load(q2), simd.load(q3)];
                let k = [simd.load(k0), simd.load(k1), simd.load(k2), simd.load(k3)];
                for (row, k) in tile.iter_mut().zip(k) {
                    for (sum, q) in row.iter_mut().zip(q) {
                        *sum = simd.fma(q, k, *sum);
                    }
                }
            }
            for (row, slots) in tile.iter().zip(scores.chunks_exact_mut(TILE)) {
                for (sum, slot) in row.iter().zip(slots) {
                    simd.store(*sum, slot);
                }
            }
        }
    }

    /// The weighted means of the values, one a query of the tile.
    #[inline(always)]
    fn weigh<S: Simd>(
        self,
        simd: S,
        weights: &[S::Floats],
        values: &[S::Floats],
        inverse: &[S::Floats],
        tile: &mut [S::Floats],
    ) {
        let mut component = 0;
        while component < self.size {
            let mut sums = [[simd.splat(0.0); TILE]; TILE];
            for (weights, values) in weights.chunks_exact(TILE).zip(values.chunks_exact(self.size)).take(self.tokens) {
                let Some(values) = values[component..].first_chunk::<TILE>() else { continue };
                let v = [simd.load(&values[0]), simd.load(&values[1]), simd.load(&values[2]), simd.load(&values[3])];
                for (row, weight) in sums.iter_mut().zip(weights) {
                    let weight = simd.load(weight);
                    for (sum, v) in row.iter_mut().zip(v) {
                        *sum = simd.fma(weight, v, *sum);
                    }
                }
            }
            for ((row, inverse), token) in sums.iter().zip(inverse).zip(tile.chunks_exact_mut(self.size)) {
                let inverse = simd.load(inverse);
                for (sum, slot) in row.iter().zip(&mut token[component..]) {
                    simd.store(simd.mul(*sum, inverse), slot);
                }
            }
            component += TILE;
        }
    }

    /// Writes what was gathered, token after token: a vector's lanes beyond the heads are overwritten by the next.
    #[inline(always)]
    fn scatter<S: Simd>(self, simd: S, part: &[f32], heads: Heads, context: &mut [f32]) {
        let token_length = self.size * S::LANES;
        for token in 0..self.tokens {
            for component in 0..heads.size {
                for group in 0..self.groups {
                    let from = &part[(group * self.padded + token) * token_length + component * S::LANES..][..S::LANES];
                    let place = (token * heads.size + component) * heads.count + group * S::LANES;
                    let into = &mut context[place..][..S::LANES];
                    if let (Some(from), Some(into)) = (S::floats(from).first(), S::floats_mut(into).first_mut()) {
                        simd.store(simd.load(from), into);
                    }
                }
            }
        }
    }
}

/// Adds to `[keys, TILE]` scores what depends on the distance of key and query.
#[inline(always)]
fn add_bias<S: Simd>(
    scores: &mut [S::Floats],
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
                *score += term;
            }
        }
    }
}

/// Turns `[keys, TILE, lanes]` scores into exponentials; returns what makes each query's sum to 1.
#[inline(always)]
fn softmax<S: Simd>(simd: S, scores: &mut [f32]) -> [f32; TILE * MARGIN] {
    let width = TILE * S::LANES;
    // The largest exponent becomes 0, so that no exponential overflows.
    let mut tops = [f32::NEG_INFINITY; TILE * MARGIN];
    for scores in scores.chunks_exact(width) {
        for (top, scores) in S::floats_mut(&mut tops).iter_mut().zip(S::floats(scores)) {
            simd.store(simd.max(simd.load(scores), simd.load(top)), top);
        }
    }
    let mut sums = [0.0; TILE * MARGIN];
    for scores in scores.chunks_exact_mut(width) {
        for ((sum, top), score) in sums[..width].iter_mut().zip(&tops[..width]).zip(scores) {
            *score = exp::<S>(*score - *top);
            *sum += *score;
        }
    }
    sums.map(|sum| 1.0 / sum)
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
                let total: f64 = (0..tokens).map(score).sum();
                for c in 0..heads.size {
                    let sum: f64 = (0..tokens).map(|key| score(key) * number(key, 2, head, c)).sum();
                    out[query * hidden + c * heads.count + head] = (sum / total) as f32;
                }
            }
        }
        out
    }

    fn cases() -> impl Strategy<Value = (Heads, usize, Vec<f32>, Vec<f32>)> {
        (1usize..20, 1usize..12, 1usize..REACH).prop_flat_map(|(count, size, tokens)| {
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
                    for length in [tokens, 1, tokens] {
                        let bias = bias.as_ref().map(|bias| ScoreBias { table: bias.table, reach: bias.reach });
                        arithmetic.attend(&padded, &mut context, length, heads, bias, &mut space);
                    }
                    let expected = naive(&rows, tokens, heads, table);
                    for (found, expected) in context.iter().zip(expected) {
                        prop_assert!((found - expected).abs() < 1e-5, "{arithmetic:?}: {found} {expected}");
                    }
                }
            }
        }
    }
}
