//! What is asked of a store, and small answers.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::types::{ConversationId, EncoderId, MemoryId, Seq, Timestamp};

/// Names a memory: an id is unique in its conversation, not in its namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRef {
    /// The id.
    pub id: MemoryId,
    /// The conversation; `None` looks in all, and among notes that have none.
    pub conversation: Option<ConversationId>,
}

/// Which models may see what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Models on this machine: everything.
    LocalModels,
    /// Models behind a network: nothing sensitive.
    AnyModel,
}

/// A window of a memory's text; the first is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowRef {
    /// The memory.
    pub seq: Seq,
    /// Which window.
    pub number: u32,
}

impl WindowRef {
    /// The first window of a memory, and most often the only one.
    pub fn first(seq: Seq) -> Self {
        Self { seq, number: 0 }
    }
}

/// A memory without a vector, with what is needed to make one.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    /// The memory.
    pub seq: Seq,
    /// Its indexed text.
    pub passage: String,
}

/// How much a namespace holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct NamespaceStats {
    /// Conversations.
    pub conversations: u64,
    /// Sessions.
    pub sessions: u64,
    /// Turns.
    pub turns: u64,
    /// Notes.
    pub notes: u64,
    /// Vectors by encoder.
    pub vectors: BTreeMap<String, u64>,
    /// The active encoder; see [`Store::active_encoder`](super::contract::Store::active_encoder).
    pub active_encoder: Option<EncoderId>,
    /// Vectors staged by an import that has not finished; see [`Store::stage`](super::contract::Store::stage).
    pub staged: u64,
    /// When the first memory was said.
    pub first: Option<Timestamp>,
    /// When the last memory was said.
    pub last: Option<Timestamp>,
}
