//! Which draft is which stored memory.
//!
//! An id is unique in its conversation, and among notes that have none. A draft with the id of a stored memory is that
//! memory where all that it states agrees ([`Record::difference`]), and a conflict otherwise, which [`OnConflict`] decides. A
//! draft without an id is new.
//!
//! A draft without marks says nothing of them: that a memory is important, tagged or sensitive may have been said here
//! since, and a source knows nothing of it.
//!
//! [`OnConflict`]: crate::store::OnConflict

use crate::{
    error::StoreError,
    store::tables::{NO_GROUP, Tables},
    types::{Draft, Importance, MemoryId, Record, Sensitivity},
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
fn find_in(
    tables: &dyn Tables,
    conversation: u64,
    draft: &Draft,
    id: &MemoryId,
) -> Result<Option<MemoryId>, StoreError> {
    match compare(tables, conversation, draft, id)? {
        None => Ok(None),
        Some(Stored::Same) => Ok(Some(id.clone())),
        Some(Stored::Other { field, .. }) => Err(conflict(draft, id, field)),
    }
}

/// What is stored under the id of a draft.
pub(super) enum Stored {
    /// The same.
    Same,
    /// Another memory.
    Other {
        /// Which.
        memory: Box<Record>,
        /// The first field that differs.
        field: &'static str,
    },
}

/// What is stored under the id of a draft in a conversation by number.
pub(super) fn compare(
    tables: &dyn Tables,
    conversation: u64,
    draft: &Draft,
    id: &MemoryId,
) -> Result<Option<Stored>, StoreError> {
    let Some(memory) = tables.with_id(conversation, id)? else { return Ok(None) };
    Ok(Some(match memory.difference(&in_place_of(&memory, draft, id)) {
        None => Stored::Same,
        Some(field) => Stored::Other { memory: Box::new(memory), field },
    }))
}

/// What a draft is in the place of a stored memory: marks that the draft does not state stay as they are.
///
/// A mark may have been made since, and a source knows nothing of it: what was marked sensitive here is not to be sent
/// away because it was imported again.
pub(super) fn in_place_of(stored: &Record, draft: &Draft, id: &MemoryId) -> Record {
    let mut new = draft.clone().into_memory(stored.seq, id.clone());
    if new.importance == Importance::default() {
        new.importance = stored.importance;
    }
    if new.tags.is_empty() {
        new.tags.clone_from(&stored.tags);
    }
    if new.meta.is_none() {
        new.meta.clone_from(&stored.meta);
    }
    if stored.sensitivity == Sensitivity::Sensitive {
        new.sensitivity = Sensitivity::Sensitive;
    }
    new
}

/// The error that an id is taken.
pub(super) fn conflict(draft: &Draft, id: &MemoryId, field: &'static str) -> StoreError {
    StoreError::Conflict { id: id.clone(), conversation: draft.conversation().cloned(), field }
}
