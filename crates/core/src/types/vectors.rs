//! Blocks of vectors, and what they have in common.

use crate::types::EncoderId;

/// The set that vectors belong to: what made them, and how many components each has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorSet<'a> {
    /// What made them.
    pub encoder: &'a EncoderId,
    /// Components of one.
    pub dim: usize,
}

/// `rows` vectors of `dim` components each, row after row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vectors {
    dim: usize,
    data: Vec<f32>,
}

impl Vectors {
    /// Wraps row-major data.
    ///
    /// Returns `None` when `data` is not a whole number of rows of `dim` components.
    pub fn new(dim: usize, data: Vec<f32>) -> Option<Self> {
        (dim > 0 && data.len().is_multiple_of(dim)).then_some(Self { dim, data })
    }

    /// Components of one vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Vector `i`, if there is one.
    pub fn get(&self, i: usize) -> Option<&[f32]> {
        self.data.get(i * self.dim..(i + 1) * self.dim)
    }

    /// All vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.data.chunks_exact(self.dim.max(1))
    }

    /// All components, row after row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }
}
