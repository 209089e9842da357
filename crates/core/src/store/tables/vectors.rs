//! The rows of vectors, by encoder, and of staged ones.

use crate::{
    error::StoreError,
    store::{
        batch::Fingerprint,
        lookup::{Audience, Unembedded, WindowRef},
    },
    types::{EncoderId, Seq, Vectors},
};

/// Vectors of memories and staged vectors, in a transaction.
pub trait VectorTable {
    /// How many components the vectors of an encoder have; `None` for one that has no row.
    fn encoder_dim(&self, encoder: &EncoderId) -> Result<Option<usize>, StoreError>;

    /// Vectors of windows; `None` where one is missing.
    fn vectors(&self, encoder: &EncoderId, windows: &[WindowRef]) -> Result<Option<Vectors>, StoreError>;

    /// Up to `limit` memories after a position that `audience` may see and that have no vector by `encoder`, in order.
    fn unembedded(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError>;

    /// How many memories that `audience` may see have no vector by `encoder`.
    fn count_unembedded(&self, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        Ok(self.unembedded(encoder, audience, Seq(0), usize::MAX)?.len() as u64)
    }

    /// Which passages have a staged vector.
    fn staged(&self, encoder: &EncoderId, fingerprints: &[Fingerprint]) -> Result<Vec<bool>, StoreError>;

    /// How many components the staged vectors of a passage have together; `None` where none is staged.
    fn staged_components(&self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<Option<usize>, StoreError>;

    /// Adds an encoder that has no row.
    fn insert_encoder(&mut self, encoder: &EncoderId, dim: usize) -> Result<(), StoreError>;

    /// Sets the vectors of a memory's windows, one after the other, by an encoder that has a row and as many components.
    fn put_vector(&mut self, encoder: &EncoderId, seq: Seq, vectors: &[f32]) -> Result<(), StoreError>;

    /// Deletes vectors of memories and cues, encoders and staged vectors, but those of `active`; says how many vectors
    /// of memories and cues there were.
    fn delete_inactive_vectors(&mut self, active: Option<&EncoderId>) -> Result<u64, StoreError>;

    /// Stages vectors, in the place of those of the same passages.
    fn stage(&mut self, encoder: &EncoderId, vectors: &[(Fingerprint, &[f32])]) -> Result<(), StoreError>;

    /// Copies the staged vectors of a passage, each of `dim` components, to a memory; says whether there are such.
    fn copy_staged(
        &mut self,
        encoder: &EncoderId,
        fingerprint: &Fingerprint,
        seq: Seq,
        dim: usize,
    ) -> Result<bool, StoreError>;

    /// Deletes a staged vector.
    fn delete_staged(&mut self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<(), StoreError>;

    /// Deletes every staged vector of the namespace; says how many there were.
    fn clear_staged(&mut self) -> Result<u64, StoreError>;
}
