//! Memory that a forward pass uses and the next one uses again.

use crate::kernels::{Activations, Aligned, AttentionSpace, PartialSums};

/// The buffers of one running forward pass.
#[derive(Default)]
pub(crate) struct Workspace {
    /// `[tokens, hidden]`: the token vectors, changed in place by every layer.
    pub(crate) hidden: Aligned<f32>,
    /// The left-hand side of the next product.
    pub(crate) input: Activations,
    /// `[tokens, 3 hidden]` and a margin.
    pub(crate) query_key_value: Aligned<f32>,
    /// `[tokens, hidden]` and a margin: what attention gathered.
    pub(crate) context: Aligned<f32>,
    /// `[tokens, intermediate]`
    pub(crate) inner: Aligned<f32>,
    /// `[tokens, intermediate]`: what a gated feed-forward part multiplies that with.
    pub(crate) gate: Aligned<f32>,
    /// `[tokens, hidden]`: the token vectors normalised, where a part is added to them as they were before.
    pub(crate) normalised: Aligned<f32>,
    pub(crate) attention: AttentionSpace,
    pub(crate) sums: PartialSums,
}
