//! Memory that a forward pass uses and the next one uses again.

use crate::kernels::Panels;

/// The buffers of one running forward pass.
#[derive(Default)]
pub(crate) struct Workspace {
    /// `[tokens, hidden]`: the token vectors, changed in place by every layer.
    pub(super) hidden: Vec<f32>,
    /// `[tokens, 3 hidden]`
    pub(super) query_key_value: Vec<f32>,
    /// `[tokens, hidden]`: what attention gathered.
    pub(super) context: Vec<f32>,
    /// `[tokens, intermediate]`
    pub(super) inner: Vec<f32>,
    pub(super) attention: AttentionSpace,
    pub(super) packed: Vec<f32>,
    /// A word embedding as it stands in the file.
    pub(super) bytes: Vec<u8>,
}

/// The buffers of attention within one text and head.
#[derive(Default)]
pub(super) struct AttentionSpace {
    pub(super) keys: Panels,
    pub(super) values: Panels,
    /// `[text tokens, text tokens]`
    pub(super) scores: Vec<f32>,
}
