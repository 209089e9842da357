//! Self-attention within each text of a ragged batch.

use super::workspace::AttentionSpace;
use crate::kernels::{Rows, RowsMut, Write, multiply, softmax};

/// How many heads there are and how wide.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    pub(super) count: usize,
    pub(super) size: usize,
}

/// Computes softmax(Q K^T / sqrt(size)) V for one text.
///
/// `query_key_value` is `[tokens, 3 * count * size]` and `context`, `[tokens, count * size]`, is written.
/// (Vaswani et al. 2017, section 3.2.)
pub(super) fn attend(
    query_key_value: &[f32],
    context: &mut [f32],
    heads: Heads,
    space: &mut AttentionSpace,
    packed: &mut Vec<f32>,
) {
    let hidden = heads.count * heads.size;
    let tokens = context.len() / hidden;
    space.scores.resize(tokens * tokens, 0.0);
    let factor = 1.0 / (heads.size as f32).sqrt();
    for head in 0..heads.count {
        let column = head * heads.size;
        let part = |i: usize| Rows::window(query_key_value, 3 * hidden, i * hidden + column, heads.size);
        space.keys.fill_transposed(part(1));
        space.values.fill(part(2));
        multiply(part(0), &space.keys, RowsMut::whole(&mut space.scores, tokens), Write::Set, packed);
        softmax(&mut space.scores, tokens, factor);
        let out = RowsMut::window(context, hidden, column, heads.size);
        multiply(Rows::whole(&space.scores, tokens), &space.values, out, Write::Set, packed);
    }
}
