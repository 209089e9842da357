//! What was left out of an import, and why.

use std::{cmp::Reverse, collections::HashMap, fmt};

use aforesaid_core::types::MAX_TEXT_BYTES;
use serde::{Serialize, Serializer};

/// A part of a file that did not become a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Where it is: `line 3`, `conversation 2, message 7`.
    pub at: String,
    /// Why.
    pub why: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.why)
    }
}

/// Why something was left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Instructions to the model.
    SystemMessage,
    /// What a tool answered.
    ToolMessage,
    /// What a model asked of a tool.
    ToolCall,
    /// What a model thought before it answered.
    Reasoning,
    /// A message the program did not show.
    HiddenMessage,
    /// A message of an answer that was replaced by another.
    OtherBranch,
    /// Nothing was said.
    EmptyText,
    /// More than one memory can hold.
    TextTooLong {
        /// Bytes found.
        bytes: usize,
    },
    /// Only files, without a word.
    OnlyAttachments,
    /// Content that is not text.
    UnsupportedContent(String),
    /// A part of a log that holds nothing that was said.
    NothingSaid(String),
    /// A part of a log whose type no reader knows.
    UnknownType(String),
    /// Somebody who is neither the person nor the model.
    UnknownRole(String),
    /// The same once more.
    Repeated {
        /// The id of both.
        id: String,
        /// Place of the one that was kept.
        first: String,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::SystemMessage => f.write_str("system message"),
            SkipReason::ToolMessage => f.write_str("tool message"),
            SkipReason::ToolCall => f.write_str("tool call"),
            SkipReason::Reasoning => f.write_str("reasoning"),
            SkipReason::HiddenMessage => f.write_str("hidden message"),
            SkipReason::OtherBranch => f.write_str("other branch"),
            SkipReason::EmptyText => f.write_str("empty text"),
            SkipReason::TextTooLong { bytes } => {
                write!(f, "text too long ({bytes} bytes, at most {MAX_TEXT_BYTES})")
            }
            SkipReason::OnlyAttachments => f.write_str("only attachments"),
            SkipReason::UnsupportedContent(kind) => write!(f, "unsupported content type {kind:?}"),
            SkipReason::NothingSaid(kind) => f.write_str(kind),
            SkipReason::UnknownType(kind) => write!(f, "unknown type {kind:?}"),
            SkipReason::UnknownRole(role) => write!(f, "unknown role {role:?}"),
            SkipReason::Repeated { id, first } => write!(f, "repeats id {id:?} of {first}"),
        }
    }
}

impl SkipReason {
    /// The reason without what is particular to one place, such as a size or an id.
    pub fn group(&self) -> String {
        match self {
            SkipReason::TextTooLong { .. } => "text too long".to_owned(),
            SkipReason::Repeated { .. } => "repeats an id".to_owned(),
            other => other.to_string(),
        }
    }
}

/// What was left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedGroup<'a> {
    /// The reason, as [`SkipReason::group`] gives it.
    pub reason: String,
    /// How much was left out for it.
    pub count: usize,
    /// The first of it.
    pub first: &'a Skipped,
}

/// What was left out by reason, that of the most first.
pub fn grouped(skipped: &[Skipped]) -> Vec<SkippedGroup<'_>> {
    let mut groups: Vec<SkippedGroup<'_>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for first in skipped {
        let reason = first.why.group();
        match places.get(&reason) {
            Some(&place) => groups[place].count += 1,
            None => {
                places.insert(reason.clone(), groups.len());
                groups.push(SkippedGroup { reason, count: 1, first });
            }
        }
    }
    groups.sort_by_key(|group| Reverse(group.count));
    groups
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
