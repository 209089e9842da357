//! A memory in the place of another with its id: the old one goes as a forget takes it, and the new one has its position.
//!
//! An index is told by an epoch: it is made anew. It is told of rows that are gone and of rows at the end, and a replaced
//! row is neither. A message that was edited is rare, and its neighbours stay its neighbours.

use super::{counters, cues::drop_written_beside, indexes};
use crate::{
    error::StoreError,
    store::tables::{Selection, Tables},
    types::Seq,
};

/// Deletes a memory, its vectors and its cues; its conversation and session stay for the new one.
pub(super) fn make_room(tables: &mut dyn Tables, seq: Seq) -> Result<(), StoreError> {
    // Cues are found by their memories, so that they go first.
    tables.delete_cues(Selection::One(seq))?;
    drop_written_beside(tables, &[seq])?;
    tables.delete_memories(Selection::One(seq))?;
    Ok(())
}

/// Deletes what the replaced memories of a batch leave: groups that are empty, staged vectors, which may be of them, and
/// whatever was derived.
pub(super) fn clear_up(tables: &mut dyn Tables) -> Result<(), StoreError> {
    tables.delete_unused_sources()?;
    let emptied = tables.delete_empty_groups()?;
    counters::save_numbers(tables, &emptied)?;
    tables.clear_staged()?;
    indexes::begin_epoch(tables)
}
