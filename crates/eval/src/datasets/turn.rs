//! Turns as loaders make them.

use aforesaid::types::{ConversationId, Draft, InvalidName, MemoryId, SessionId, Timestamp, Turn};

use super::DataError;

/// What the turns of one session have in common.
pub(super) struct Session {
    pub(super) conversation: ConversationId,
    pub(super) id: SessionId,
    pub(super) said_at: Option<Timestamp>,
}

impl Session {
    /// A session of a group.
    pub(super) fn new(group: &str, id: &str, said_at: Option<Timestamp>, place: &str) -> Result<Self, DataError> {
        let invalid = |why| DataError::Name { place: place.to_owned(), why };
        let conversation = ConversationId::new(group).map_err(invalid)?;
        let id = SessionId::new(id).map_err(invalid)?;
        Ok(Self { conversation, id, said_at })
    }

    /// A turn of it.
    pub(super) fn turn(&self, id: String, speaker: String, text: String, place: &str) -> Result<Draft, DataError> {
        Ok(Draft::Turn(Turn {
            id: Some(memory_id(id, place)?),
            said_at: self.said_at,
            ..Turn::new(self.conversation.clone(), self.id.clone(), speaker, text)
        }))
    }
}

pub(super) fn memory_id(id: String, place: &str) -> Result<MemoryId, DataError> {
    MemoryId::new(id).map_err(|why: InvalidName| DataError::Name { place: place.to_owned(), why })
}
