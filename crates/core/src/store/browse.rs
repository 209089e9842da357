//! What a store says of its contents to somebody who looks around.

use crate::types::{ConversationId, Seq, SessionId, Timestamp};

/// The memories of a scope that are of one session, or that are of a conversation and no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// The conversation; `None` for notes that have none.
    pub conversation: Option<ConversationId>,
    /// The session; `None` for notes.
    pub session: Option<SessionId>,
    /// The session's title.
    pub title: Option<String>,
    /// How many memories.
    pub memories: u64,
    /// When the first was said.
    pub first: Option<Timestamp>,
    /// When the last was said.
    pub last: Option<Timestamp>,
    /// The position of the one that arrived last.
    pub latest: Seq,
}

/// The turns of a scope that one speaker said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerSummary {
    /// The name as it is stored.
    pub speaker: String,
    /// How many turns.
    pub turns: u64,
    /// When the first was said.
    pub first: Option<Timestamp>,
    /// When the last was said.
    pub last: Option<Timestamp>,
    /// The position of the one that arrived last.
    pub latest: Seq,
}
