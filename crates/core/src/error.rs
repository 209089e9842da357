//! What can be wrong with a memory, a store or an index.

use crate::types::{ConversationId, EncoderId, InvalidName, MAX_TEXT_BYTES, MemoryId, Namespace};

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
    /// Nobody said it.
    #[error("turn {}: the speaker is empty; expected a name or a role", named(.id))]
    NoSpeaker {
        /// The turn.
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
        "id {:?}{}: already stored with another {field}; give the new one another id, or forget the old one first",
        .id.as_str(),
        .conversation.as_ref().map(|c| format!(" in conversation {:?}", c.as_str())).unwrap_or_default()
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
        "namespace {:?} is served by vectors of {serving}, and {asked} was asked for; run {}",
        .namespace.as_str(), ways_out(.asked)
    )]
    EncoderMismatch {
        /// The namespace.
        namespace: Namespace,
        /// The encoder whose vectors serve it.
        serving: EncoderId,
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
    #[error("encoder {encoder}: a vector of {found} components where {expected} are expected; was the model replaced?")]
    Dimension {
        /// The encoder.
        encoder: EncoderId,
        /// Components expected.
        expected: usize,
        /// Components found.
        found: usize,
    },
    /// The place cannot serve as a store.
    #[error("store {location}: {found}; {next}")]
    Location {
        /// Path or URL.
        location: String,
        /// What is wrong.
        found: String,
        /// What to do.
        next: String,
    },
    /// Something the store returned cannot be right.
    #[error(
        "store {location} is damaged: {found}; `aforesaid check --full` says what else is, `aforesaid export --salvage` \
         saves what can be read; or restore a backup, which `aforesaid backup` makes"
    )]
    Damaged {
        /// Path or URL.
        location: String,
        /// What was found.
        found: String,
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

/// What to run to have an encoder's vectors serve, or what to leave out.
fn ways_out(asked: &EncoderId) -> String {
    let serve = "to have its vectors serve, or leave";
    // Its id says neither where its server is nor what stands before its texts.
    if asked.is_remote() {
        return format!("`aforesaid reembed` with the same --encoder options {serve} these out");
    }
    let precision = asked.precision().map(|precision| format!(" --precision {precision}")).unwrap_or_default();
    format!("`aforesaid reembed --model {}{precision}` {serve} --model and --precision out", asked.model())
}

fn known_namespaces(known: &[Namespace]) -> String {
    match known {
        [] => "the store is empty; `aforesaid import` or `aforesaid add` makes one".to_owned(),
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
