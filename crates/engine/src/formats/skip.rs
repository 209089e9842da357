//! What was left out of an import, and why.

use std::fmt;

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
            SkipReason::HiddenMessage => f.write_str("hidden message"),
            SkipReason::OtherBranch => f.write_str("other branch"),
            SkipReason::EmptyText => f.write_str("empty text"),
            SkipReason::TextTooLong { bytes } => {
                write!(f, "text too long ({bytes} bytes, at most {MAX_TEXT_BYTES})")
            }
            SkipReason::OnlyAttachments => f.write_str("only attachments"),
            SkipReason::UnsupportedContent(kind) => write!(f, "unsupported content type {kind:?}"),
            SkipReason::UnknownRole(role) => write!(f, "unknown role {role:?}"),
            SkipReason::Repeated { id, first } => write!(f, "repeats id {id:?} of {first}"),
        }
    }
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
