//! Which draft is which stored memory.
//!
//! An id is unique in its conversation, and among notes that have none. A draft with the id of a stored memory is that
//! memory where all fields agree ([`Record::difference`]), and a conflict otherwise. A draft without an id is new.

use crate::{
    error::StoreError,
    store::tables::{NO_GROUP, Tables},
    types::{Draft, MemoryId, Record},
};

/// The id of the stored memory that a draft repeats; `tables` is `None` for a namespace that does not exist.
pub(super) fn find_existing(tables: Option<&dyn Tables>, draft: &Draft) -> Result<Option<MemoryId>, StoreError> {
    draft.check()?;
    let (Some(tables), Some(id)) = (tables, draft.id()) else { return Ok(None) };
    let conversation = match draft.conversation() {
        Some(name) => tables.conversation(name)?.map(|row| row.number),
        None => Some(NO_GROUP),
    };
    match conversation {
        Some(conversation) => find_in(tables, conversation, draft, id),
        None => Ok(None),
    }
}

/// As [`find_existing`], for a checked draft with an id, in a conversation by number.
pub(super) fn find_in(
    tables: &dyn Tables,
    conversation: u64,
    draft: &Draft,
    id: &MemoryId,
) -> Result<Option<MemoryId>, StoreError> {
    match tables.with_id(conversation, id)? {
        Some(stored) => same(&stored, draft, id).map(Some),
        None => Ok(None),
    }
}

fn same(stored: &Record, draft: &Draft, id: &MemoryId) -> Result<MemoryId, StoreError> {
    let new = draft.clone().into_memory(stored.seq, id.clone());
    match stored.difference(&new) {
        None => Ok(id.clone()),
        Some(field) => Err(StoreError::Conflict { id: id.clone(), conversation: draft.conversation().cloned(), field }),
    }
}
