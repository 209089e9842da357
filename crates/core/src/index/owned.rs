//! Rows that belong to texts of an index: their cue questions, and the windows of long ones.

use crate::dense::DenseIndex;

/// Rows in order of arrival, each with the text it belongs to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnedRows {
    pub(super) ids: Vec<u64>,
    pub(super) owners: Vec<u32>,
    pub(super) dense: Option<DenseIndex>,
}

impl OwnedRows {
    /// No rows yet, with vectors of `dim` components where there is an encoder.
    pub(super) fn new(dim: Option<usize>) -> Self {
        Self { dense: dim.map(DenseIndex::new), ..Self::default() }
    }

    /// No rows yet, with vectors of a kind with those of `other`.
    pub(super) fn like(other: &Self) -> Self {
        Self { dense: other.dense.as_ref().map(DenseIndex::like), ..Self::default() }
    }

    pub(super) fn push(&mut self, id: u64, owner: u32, vector: Option<&[f32]>) {
        self.ids.push(id);
        self.owners.push(owner);
        if let Some(dense) = &mut self.dense {
            dense.push(vector);
        }
    }

    /// Appends rows of others that `chosen` names by id and owner: it answers with the owner here. Says which those are
    /// there.
    pub(super) fn take(&mut self, other: &Self, chosen: impl Fn(u64, u32) -> Option<u32>) -> Vec<u32> {
        let mut taken = Vec::new();
        for (row, (&id, &owner)) in (0..).zip(other.ids.iter().zip(&other.owners)) {
            if let Some(owner) = chosen(id, owner) {
                self.ids.push(id);
                self.owners.push(owner);
                taken.push(row);
            }
        }
        if let (Some(dense), Some(other)) = (&mut self.dense, &other.dense) {
            dense.take(other, taken.iter().copied());
        }
        taken
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The text that each row belongs to, by position.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// What a row is known by: of a cue its id, of a window its number in its text.
    pub fn id(&self, row: u32) -> u64 {
        self.ids[row as usize]
    }

    /// The vectors, when the index has an encoder and some row a vector.
    pub fn dense(&self) -> Option<&DenseIndex> {
        self.dense.as_ref().filter(|dense| dense.has_any())
    }

    /// Whether vectors of it are coded that need not be.
    pub(super) fn is_needlessly_coded(&self) -> bool {
        self.dense.as_ref().is_some_and(DenseIndex::is_needlessly_coded)
    }

    /// Rows whose ids, which come in order, are from `first` to `last`, both included.
    pub(super) fn count(&self, first: u64, last: u64) -> usize {
        self.ids.partition_point(|id| *id <= last) - self.ids.partition_point(|id| *id < first)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        8 * self.ids.capacity() + 4 * self.owners.capacity() + self.dense.as_ref().map_or(0, DenseIndex::heap_bytes)
    }
}
