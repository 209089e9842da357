//! Attention within one text and its derivative: softmax(Q K^T / sqrt(size)) V, head by head.

use super::linear::transposed;
use crate::kernels::{
    Family, Heads,
    gradients::{Left, add_product, softmax, through_softmax},
};

/// Queries, keys and values of one head, `[tokens, size]` each; queries are divided by the root of the size.
struct Parts {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
}

/// Attention over one text.
pub(super) struct Attention {
    pub(super) heads: Heads,
    pub(super) family: Family,
}

impl Attention {
    fn hidden(&self) -> usize {
        self.heads.count * self.heads.size
    }

    fn scale(&self) -> f32 {
        1.0 / (self.heads.size as f32).sqrt()
    }

    /// Columns of a head in rows of `width` numbers.
    fn gather(&self, rows: &[f32], width: usize, column: usize, scale: f32) -> Vec<f32> {
        let mut part = Vec::with_capacity(rows.len() / width * self.heads.size);
        for row in rows.chunks_exact(width) {
            part.extend(row[column..column + self.heads.size].iter().map(|x| x * scale));
        }
        part
    }

    fn scatter(&self, from: &[f32], rows: &mut [f32], width: usize, column: usize, scale: f32) {
        for (row, part) in rows.chunks_exact_mut(width).zip(from.chunks_exact(self.heads.size)) {
            row[column..column + self.heads.size].iter_mut().zip(part).for_each(|(x, value)| *x = value * scale);
        }
    }

    fn parts(&self, projections: &[f32], head: usize) -> Parts {
        let (hidden, column) = (self.hidden(), head * self.heads.size);
        let part = |i: usize, scale| self.gather(projections, 3 * hidden, i * hidden + column, scale);
        Parts { queries: part(0, self.scale()), keys: part(1, 1.0), values: part(2, 1.0) }
    }

    /// Writes the context of a text, `[tokens, hidden]`, and gives the shares that each token pays to each other,
    /// `[heads, tokens, tokens]`. `projections` is `[tokens, 3, hidden]`.
    pub(super) fn forward(&self, projections: &[f32], context: &mut [f32]) -> Vec<f32> {
        let (hidden, size) = (self.hidden(), self.heads.size);
        let tokens = context.len() / hidden;
        let mut shares = vec![0.0; self.heads.count * tokens * tokens];
        for (head, shares) in shares.chunks_exact_mut(tokens * tokens).enumerate() {
            let Parts { queries, keys, values } = self.parts(projections, head);
            add_product(self.family, Left::rows(&queries, size), &transposed(&keys, size), tokens, shares);
            softmax(self.family, shares, tokens);
            let mut out = vec![0.0; tokens * size];
            add_product(self.family, Left::rows(shares, tokens), &values, size, &mut out);
            self.scatter(&out, context, hidden, head * size, 1.0);
        }
        shares
    }

    /// Writes the derivatives by the projections of a text, given those by its context.
    pub(super) fn through(&self, projections: &[f32], shares: &[f32], context: &[f32], out: &mut [f32]) {
        let (hidden, size, family) = (self.hidden(), self.heads.size, self.family);
        let tokens = context.len() / hidden;
        for (head, shares) in shares.chunks_exact(tokens * tokens).enumerate() {
            let Parts { queries, keys, values } = self.parts(projections, head);
            let of_head = self.gather(context, hidden, head * size, 1.0);
            let mut write = |i: usize, left: Left<'_>, right: &[f32], scale: f32| {
                let mut part = vec![0.0; tokens * size];
                add_product(family, left, right, size, &mut part);
                self.scatter(&part, out, 3 * hidden, i * hidden + head * size, scale);
            };
            write(2, Left::transposed(shares, tokens), &of_head, 1.0);
            let mut scores = vec![0.0; tokens * tokens];
            add_product(family, Left::rows(&of_head, size), &transposed(&values, size), tokens, &mut scores);
            through_softmax(family, shares, &mut scores, tokens);
            write(0, Left::rows(&scores, tokens), &keys, self.scale());
            write(1, Left::transposed(&scores, tokens), &queries, 1.0);
        }
    }
}
