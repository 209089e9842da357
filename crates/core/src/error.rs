//! What can be wrong with a memory, a store or an index.

use crate::types::{ConversationId, EncoderId, InvalidName, MAX_TEXT_BYTES, MAX_TITLE_BYTES, MemoryId, Namespace};

fn named(id: &Option<MemoryId>) -> String {
    id.as_ref().map_or_else(|| "without id".to_owned(), |id| format!("{:?}", id.as_str()))
}

/// A turn or note that cannot be kept.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMemory {
    /// Nothing was said.
    #[error("memory {}: the text is empty; expected at least one visible character", named(.id))]
    EmptyText {
        /// The memory.
        id: Option<MemoryId>,
    },
    /// Too much was said.
    #[error("memory {}: the text has {bytes} bytes; expected at most {MAX_TEXT_BYTES}; split it into several turns", named(.id))]
    TextTooLong {
        /// The memory.
        id: Option<MemoryId>,
        /// Bytes found.
        bytes: usize,
    },
    /// A title that is none.
    #[error("memory {}: the title of its session has {bytes} bytes; expected at most {MAX_TITLE_BYTES}; shorten it", named(.id))]
    TitleTooLong {
        /// The memory.
        id: Option<MemoryId>,
        /// Bytes found.
        bytes: usize,
    },
    /// Nobody said it.
    #[error("turn {}: the speaker is empty; expected a name or a role", named(.id))]
    NoSpeaker {
        /// The turn.
        id: Option<MemoryId>,
    },
    /// What was said is not changed.
    #[error(
        "turn {}: what was said, and when, is not changed; forget the turn, or add a note that says what is right", named(.id)
    )]
    WasSaid {
        /// The turn.
        id: Option<MemoryId>,
    },
    /// A note has no metadata.
    #[error("note {}: a note has no metadata; give it a tag, or put it in the text", named(.id))]
    NoteMetadata {
        /// The note.
        id: Option<MemoryId>,
    },
    /// Importance out of range.
    #[error("importance {found}: expected a number from 0 to 1")]
    Importance {
        /// Value found.
        found: f64,
    },
}

/// What a store answers when it cannot do as asked. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A memory cannot be kept.
    #[error(transparent)]
    Invalid(#[from] InvalidMemory),
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Two different things claim one id.
    #[error(
        "id {:?}{}: already stored with another {}; give the new one another id, or forget the old one first",
        .id.as_str(),
        .conversation.as_ref().map(|c| format!(" in conversation {:?}", c.as_str())).unwrap_or_default(),
        if *.field == "tags" { "set of tags" } else { *.field }
    )]
    Conflict {
        /// The id.
        id: MemoryId,
        /// Where.
        conversation: Option<ConversationId>,
        /// First field that differs.
        field: &'static str,
    },
    /// No such namespace.
    #[error("namespace {:?} does not exist; {}", .namespace.as_str(), known_namespaces(.known))]
    UnknownNamespace {
        /// The one asked for.
        namespace: Namespace,
        /// Those there are.
        known: Vec<Namespace>,
    },
    /// Vectors of two encoders met.
    #[error(
        "the active encoder of namespace {:?} is {active}, and {asked} was asked for; re-embed the namespace by it, or use \
         the active one",
        .namespace.as_str()
    )]
    EncoderMismatch {
        /// The namespace.
        namespace: Namespace,
        /// Its active encoder.
        active: EncoderId,
        /// The encoder asked for.
        asked: EncoderId,
    },
    /// Vectors that wait for their memories are gone.
    #[error("vectors by {encoder} that an import had staged are gone; import again")]
    Unstaged {
        /// The encoder.
        encoder: EncoderId,
    },
    /// A vector has the wrong number of components.
    #[error(
        "encoder {encoder}: a vector of {found} components where {expected} are expected; was the model replaced? Re-embed the namespace by one encoder"
    )]
    Dimension {
        /// The encoder.
        encoder: EncoderId,
        /// Components expected.
        expected: usize,
        /// Components found.
        found: usize,
    },
    /// The place cannot hold a store.
    #[error("store {location}: {found}; {next}")]
    Location {
        /// Path or URL.
        location: String,
        /// What is wrong.
        found: String,
        /// What to do.
        next: String,
    },
    /// A file is there already, and was not to be replaced.
    #[error("store {location}: {found}; name another file")]
    FileExists {
        /// Path of the file.
        location: String,
        /// What was found.
        found: &'static str,
    },
    /// Something the store returned cannot be right.
    #[error("store {location} is damaged: {found}")]
    Damaged {
        /// Path or URL.
        location: String,
        /// What was found.
        found: String,
    },
    /// Others changed what was being read.
    #[error("namespace {:?} changed while it was read; do the same again", .namespace.as_str())]
    Outdated {
        /// The namespace.
        namespace: Namespace,
    },
    /// The backend failed.
    #[error("store {location}: could not {action}")]
    Backend {
        /// Path or URL.
        location: String,
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl InvalidMemory {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyText { .. } => "empty_text",
            Self::TextTooLong { .. } => "text_too_long",
            Self::TitleTooLong { .. } => "title_too_long",
            Self::NoSpeaker { .. } => "no_speaker",
            Self::WasSaid { .. } => "was_said",
            Self::NoteMetadata { .. } => "note_metadata",
            Self::Importance { .. } => "invalid_importance",
        }
    }
}

impl StoreError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(error) => error.code(),
            Self::Name(_) => "invalid_name",
            Self::Conflict { .. } => "id_conflict",
            Self::UnknownNamespace { .. } => "unknown_namespace",
            Self::EncoderMismatch { .. } => "encoder_mismatch",
            Self::Unstaged { .. } => "staged_vectors_gone",
            Self::Dimension { .. } => "vector_dimension",
            Self::Location { .. } => "store_location",
            Self::FileExists { .. } => "file_exists",
            Self::Damaged { .. } => "store_damaged",
            Self::Outdated { .. } => "namespace_changed",
            Self::Backend { .. } => "store_failed",
        }
    }
}

fn known_namespaces(known: &[Namespace]) -> String {
    match known {
        [] => "the store is empty".to_owned(),
        _ => format!("there are: {}", list(known)),
    }
}

fn list<T: std::fmt::Display>(items: &[T]) -> String {
    const SHOWN: usize = 10;
    let mut text = items.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if items.len() > SHOWN {
        text.push_str(&format!(" and {} more", items.len() - SHOWN));
    }
    text
}
