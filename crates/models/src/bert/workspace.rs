//! Memory that a forward pass uses and the next one uses again.

use crate::kernels::{Activations, Aligned, AttentionSpace, PartialSums};

/// The buffers of one running forward pass.
#[derive(Default)]
pub(crate) struct Workspace {
    /// `[tokens, hidden]`: the token vectors, changed in place by every layer.
    pub(super) hidden: Aligned<f32>,
    /// The left-hand side of the next product.
    pub(super) input: Activations,
    /// `[tokens, 3 hidden]` and a margin.
    pub(super) query_key_value: Aligned<f32>,
    /// `[tokens, hidden]` and a margin: what attention gathered.
    pub(super) context: Aligned<f32>,
    /// `[tokens, intermediate]`
    pub(super) inner: Aligned<f32>,
    pub(super) attention: AttentionSpace,
    pub(super) sums: PartialSums,
}
