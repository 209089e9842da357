//! What is deleted, and what a deletion reports.

use serde::Serialize;

use crate::types::{Scope, Seq};

/// What to forget.
#[derive(Debug, Clone, PartialEq)]
pub enum DeleteTarget {
    /// One memory.
    One(Seq),
    /// Everything in a scope; the default scope is the whole namespace.
    Within(Scope),
}

/// What a forget deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DeleteReport {
    /// Turns.
    pub turns: u64,
    /// Notes.
    pub notes: u64,
    /// Vectors of these, and those of their cues.
    pub vectors: u64,
    /// Cue questions.
    pub cues: u64,
    /// Sessions that had no other turns.
    pub sessions: u64,
    /// Conversations that had nothing else.
    pub conversations: u64,
    /// Vectors that an interrupted import had staged.
    pub staged: u64,
    /// Whether the bytes of all this are gone from every file.
    pub erasure: Erasure,
}

/// Whether deleted data is gone from every file of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Erasure {
    /// It is.
    #[default]
    Complete,
    /// No search finds it, but a reader still holds an older view of the store, so that its log cannot be emptied
    /// yet. The store does it when it is opened, or when [`Store::erasure`](super::contract::Store::erasure) is
    /// called, after the reader has finished.
    Pending,
    /// It is in no row, and no query finds it. The files, logs, standbys and backups of a database server keep its bytes
    /// until the server overwrites them, which no client can have it do.
    LeftToServer,
}
