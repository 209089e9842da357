//! What of a stored memory changes, and what a change reports.

use serde::Serialize;
use serde_json::Value;

use super::deletion::Erasure;
use crate::types::{Importance, MemoryId, Sensitivity, Timestamp};

/// What of a stored memory changes; the default changes nothing. What was said stays: the text, the time and the source of
/// a note change, those of a turn do not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryUpdate {
    /// The text of a note.
    pub text: Option<String>,
    /// The time of a note.
    pub said_at: Option<Timestamp>,
    /// The turns a note was drawn from, all of them.
    pub source: Option<Vec<MemoryId>>,
    /// How much it matters.
    pub importance: Option<Importance>,
    /// Labels, all of them.
    pub tags: Option<Vec<String>>,
    /// Whether its text may leave this machine.
    pub sensitivity: Option<Sensitivity>,
    /// Fields of a turn's metadata: set, or taken out.
    pub meta: Vec<(String, Option<Value>)>,
}

/// What an update changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct UpdateReport {
    /// Fields that are not what they were.
    pub changed: Vec<&'static str>,
    /// Vectors of the old text, and of its cues.
    pub vectors: u64,
    /// Cue questions of the old text.
    pub cues: u64,
    /// Whether the bytes of what it was are gone from every file.
    pub erasure: Erasure,
}
