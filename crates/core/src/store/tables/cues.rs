//! The rows of cue questions and their vectors.

use super::selection::Selection;
use crate::{
    error::StoreError,
    store::{
        cues::{CuePart, CueStats, DroppedCues, UnembeddedCue},
        lookup::Audience,
        removed::IdRanges,
        sink::IndexSink,
    },
    types::{CueId, CueSource, Cues, EncoderId, Record, Scope, Seq, Vectors},
};

/// Cues that were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeletedCues {
    /// How many.
    pub dropped: DroppedCues,
    /// Their ids.
    pub ids: IdRanges,
}

/// Cues and their vectors, in a transaction.
pub trait CueTable {
    /// Whether there is a cue under an id.
    fn has_cue(&self, id: CueId) -> Result<bool, StoreError>;

    /// The cues of memories; `None` for one that was never asked for any.
    fn cues(&self, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError>;

    /// Questions by id; those that are gone are left out.
    fn questions(&self, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError>;

    /// Up to `limit` memories of a scope after a position that `audience` may see and that were never asked for cues,
    /// in order of arrival.
    fn uncued(&self, scope: &Scope, audience: Audience, after: Seq, limit: usize) -> Result<Vec<Record>, StoreError>;

    /// How many cues there are.
    fn cue_stats(&self) -> Result<CueStats, StoreError>;

    /// Up to `limit` cues after an id, of memories that `audience` may see, that have no vector by `encoder`, in order.
    fn unembedded_cues(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError>;

    /// Vectors of cues; `None` where one is missing.
    fn cue_vectors(&self, encoder: &EncoderId, ids: &[CueId]) -> Result<Option<Vectors>, StoreError>;

    /// Shows an index the cues after the first id, up to the second; says how many questions were among them.
    fn feed_cues(
        &self,
        encoder: Option<&EncoderId>,
        after_upto: (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError>;

    /// Records that a memory was asked for cues.
    fn insert_cued(&mut self, seq: Seq, source: &CueSource) -> Result<(), StoreError>;

    /// Adds a cue of a memory: its text with all questions, which is number 0, or a question, from 1 in order.
    fn insert_cue(&mut self, id: CueId, seq: Seq, number: u64, part: CuePart<'_>) -> Result<(), StoreError>;

    /// Sets the vector of a cue, by an encoder that has a row and as many components.
    fn put_cue_vector(&mut self, encoder: &EncoderId, id: CueId, vector: &[f32]) -> Result<(), StoreError>;

    /// Records the id of the last cue, and how many questions were added.
    fn advance_cues(&mut self, last: CueId, questions: u64) -> Result<(), StoreError>;

    /// Deletes the cues of memories, with their vectors and the record that the memories were asked.
    fn delete_cues(&mut self, selection: Selection<'_>) -> Result<DeletedCues, StoreError>;

    /// Deletes sources of cues that no memory has any more, where a backend keeps these apart.
    fn delete_unused_sources(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
