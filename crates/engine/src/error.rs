//! What can go wrong, sorted by what a caller can do about it.

use aforesaid_core::{
    EncodeError, InvalidMemory, StoreError,
    pipeline::SearchError,
    store::MemoryRef,
    types::{ConversationId, InvalidName, MemoryId, Namespace, SessionId},
};
use aforesaid_llm::LlmError;
use aforesaid_models::ModelError;
use serde::Serialize;

use crate::{formats::FormatError, migrate::MigratedRows, no_vectors::NoVectors, sources::SourceError};

/// A call of [`crate::Memory`] failed; nothing was half done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A search stage failed.
    #[error(transparent)]
    Search(SearchError),
    /// A text could not be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A file could not be read as conversations.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// There is no such memory.
    #[error(
        "id {:?}: no such turn or note in namespace {:?}{}",
        .id.as_str(), .namespace.as_str(), in_conversation(.conversation)
    )]
    UnknownMemory {
        /// The id.
        id: MemoryId,
        /// Where it was looked for.
        namespace: Namespace,
        /// The conversation it was looked for in.
        conversation: Option<ConversationId>,
    },
    /// Cue questions that cannot be kept.
    #[error("cues of {:?}: found {found}, expected {expected}; correct them, or leave this memory out", .id.as_str())]
    InvalidCues {
        /// The memory.
        id: MemoryId,
        /// What is wrong.
        found: String,
        /// What would do.
        expected: String,
    },
    /// A file of cue questions that cannot be read whole.
    #[error("{file}, line {line}: found {found}, expected {expected}; correct it and import the file again")]
    CueFile {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// A scope holds nothing.
    #[error("{scope}: nothing in namespace {:?} matches", .namespace.as_str())]
    EmptyScope {
        /// The scope in words.
        scope: String,
        /// Where.
        namespace: Namespace,
    },
    /// An id stands in several conversations.
    #[error("id {:?}: found in {} conversations ({}); name one", .id.as_str(), .conversations.len(), few(.conversations))]
    AmbiguousMemory {
        /// The id.
        id: MemoryId,
        /// Where it stands.
        conversations: Vec<ConversationId>,
    },
    /// Several ids begin so.
    #[error("id {:?}: several ids begin so ({}); give more of it", .beginning.as_str(), candidate_list(.candidates, *.more))]
    AmbiguousId {
        /// How they begin.
        beginning: MemoryId,
        /// Some of them.
        candidates: Vec<MemoryRef>,
        /// Whether there are others.
        more: bool,
    },
    /// Nobody is called so.
    #[error("speaker {name:?}: nobody is called so in namespace {:?}; {}", .namespace.as_str(), speaker_list(.known, *.total))]
    UnknownSpeaker {
        /// What was asked for.
        name: String,
        /// Where.
        namespace: Namespace,
        /// The speakers whose names are most like it.
        known: Vec<String>,
        /// How many speakers there are.
        total: usize,
    },
    /// Several speakers are called so, in one case or another, or have names that begin so.
    #[error("speaker {name:?}: may be any of {}; give the whole name as it is written", few_of(.speakers, *.total))]
    AmbiguousSpeaker {
        /// What was asked for.
        name: String,
        /// Some of those that it may be.
        speakers: Vec<String>,
        /// How many it may be.
        total: usize,
    },
    /// Several conversations have a session of that title, or a name that begins so.
    #[error("conversation {name:?}: may be any of {} ({}); name one by its whole id", .conversations.len(), few(.conversations))]
    AmbiguousConversation {
        /// What was named.
        name: String,
        /// Those that it may be.
        conversations: Vec<ConversationId>,
    },
    /// A conversation is named by what is the title of some of its sessions only.
    #[error(
        "title {title:?}: not all sessions of conversation {:?} have it: {:?} does, and others do not ({others}); name the conversation by \
         its id, and the session if only that is meant", .conversation.as_str(), .session.as_str()
    )]
    AmbiguousTitle {
        /// What was named.
        title: String,
        /// The conversation that has such a session.
        conversation: ConversationId,
        /// The first of the sessions.
        session: SessionId,
        /// How many sessions of the conversation have another title, or none.
        others: usize,
    },
    /// A note that is to take the place of another does not say of which.
    #[error("a note that takes the place of another needs its id; found none")]
    NoteWithoutId,
    /// A session name stands in several conversations.
    #[error("session {:?}: found in {} conversations ({}); name one", .session.as_str(), .conversations.len(), few(.conversations))]
    AmbiguousSession {
        /// The session.
        session: SessionId,
        /// Where it stands.
        conversations: Vec<ConversationId>,
    },
    /// A pipeline stands on vectors alone, and there are none.
    #[error("pipeline {pipeline}: it needs vectors, and {reason}")]
    NoDenseLeg {
        /// The preset.
        pipeline: String,
        /// Why there are no vectors.
        reason: NoVectors,
    },
    /// A pipeline is for one encoder, and another is at hand.
    #[error("pipeline {pipeline}: it is for the encoder {asked}, and {found} is loaded")]
    OtherEncoder {
        /// The preset.
        pipeline: String,
        /// The model it names.
        asked: String,
        /// The model that is there.
        found: String,
    },
    /// No encoder can be had.
    #[error("no encoder: {reason}")]
    NoEncoder {
        /// Why.
        reason: NoVectors,
    },
    /// A file of an import could not be taken from where it is.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The place is none this build can open.
    #[error(
        "store {location:?}: unknown kind of location; expected a path, sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or memory:"
    )]
    UnknownLocation {
        /// What was asked for.
        location: String,
    },
    /// A model could not be found, read or run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The encoder's server was not asked, or did not answer.
    #[error("an encoder on a server: {0}")]
    EncoderServer(#[source] LlmError),
    /// A precision was chosen for an encoder on a server.
    #[error(
        "a precision was chosen, and the encoder is on a server, which computes as it is set up; choose one or the other"
    )]
    PrecisionOnServer,
    /// A server lacks a setting.
    #[error("{of}: found no {setting}")]
    MissingSetting {
        /// What the setting is of.
        of: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// The network is switched off, and the language model is on another machine.
    #[error(
        "the network is switched off, and the language model at {url} is not on this machine; choose one or the other"
    )]
    LlmOffline {
        /// The server.
        url: String,
    },
    /// A language model was not asked, or did not answer.
    #[error("a language model: {0}")]
    Llm(#[from] LlmError),
    /// A reranker refuses its settings.
    #[error("reranker {reranker}: {problem}")]
    Reranker {
        /// Its name.
        reranker: String,
        /// What is wrong.
        problem: String,
    },
    /// A language model answered, but with no answer.
    #[error("a language model: no answer: {reason}")]
    NoAnswer {
        /// What it did instead, and what to do next.
        reason: String,
    },
    /// A layout of tables for a store that is no database.
    #[error("store {location}: it is no database whose tables could be spread or guarded; name a PostgreSQL database")]
    NoLayout {
        /// The store.
        location: String,
    },
    /// A migration from a store to itself.
    #[error("store {location}: it is the source and the target; name another target")]
    SameStore {
        /// The store.
        location: String,
    },
    /// A migration's target holds something else under the name of a namespace.
    #[error(
        "namespace {:?} of store {location}: found {found}, expected nothing or an unfinished copy; forget it there, or \
         leave this namespace out",
        .namespace.as_str()
    )]
    TargetTaken {
        /// The namespace.
        namespace: Namespace,
        /// The target.
        location: String,
        /// What is there.
        found: String,
    },
    /// A migration's target is not what its source is.
    #[error(
        "namespace {:?} of store {location}: after the migration it holds {found:?}, and the source {expected:?}, and their \
         checksums differ; forget it there and migrate it again",
        .namespace.as_str()
    )]
    MigrationDiffers {
        /// The namespace.
        namespace: Namespace,
        /// The target.
        location: String,
        /// What the source holds.
        expected: Box<MigratedRows>,
        /// What the target holds.
        found: Box<MigratedRows>,
    },
    /// What an adapter learned from could not be read or written.
    #[error("adapter record {path} could not be used; check its permissions, or delete it with its adapter", path = .path.display())]
    AdapterRecord {
        /// The file or folder.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Exported text could not be written.
    #[error("export: could not write; check the disk and the destination")]
    Write(#[from] std::io::Error),
}

/// What a caller can do about an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// Correct the call: a setting is missing, or contradicts another.
    Usage,
    /// Correct the input.
    InvalidInput,
    /// Ask for something that exists.
    NotFound,
    /// Mend or move the store.
    Store,
    /// Get or mend a model.
    Model,
    /// Report a defect.
    Internal,
}

impl Error {
    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::PrecisionOnServer
            | Error::NoLayout { .. }
            | Error::SameStore { .. }
            | Error::MissingSetting { .. }
            | Error::LlmOffline { .. }
            | Error::EncoderServer(LlmError::Key { .. } | LlmError::BaseUrl { .. } | LlmError::Id(_))
            | Error::Llm(LlmError::Key { .. }) => ErrorKind::Usage,
            Error::Format(_)
            | Error::Name(_)
            | Error::AmbiguousMemory { .. }
            | Error::AmbiguousId { .. }
            | Error::AmbiguousConversation { .. }
            | Error::AmbiguousTitle { .. }
            | Error::AmbiguousSpeaker { .. }
            | Error::NoteWithoutId
            | Error::AmbiguousSession { .. }
            | Error::InvalidCues { .. }
            | Error::Llm(LlmError::Setting { .. })
            | Error::Reranker { .. }
            | Error::CueFile { .. }
            | Error::TargetTaken { .. }
            | Error::Store(StoreError::Invalid(_) | StoreError::Conflict { .. } | StoreError::Name(_)) => {
                ErrorKind::InvalidInput
            }
            Error::Source(error) => of_source(error),
            Error::UnknownMemory { .. }
            | Error::EmptyScope { .. }
            | Error::UnknownSpeaker { .. }
            | Error::Store(StoreError::UnknownNamespace { .. }) => ErrorKind::NotFound,
            Error::Encode(_)
            | Error::Model(_)
            | Error::EncoderServer(_)
            | Error::NoDenseLeg { .. }
            | Error::OtherEncoder { .. }
            | Error::NoEncoder { .. }
            | Error::Llm(_)
            | Error::NoAnswer { .. }
            | Error::Store(StoreError::EncoderMismatch { .. } | StoreError::Dimension { .. }) => ErrorKind::Model,
            Error::Store(_)
            | Error::UnknownLocation { .. }
            | Error::MigrationDiffers { .. }
            | Error::AdapterRecord { .. }
            | Error::Write(_) => ErrorKind::Store,
            Error::Search(_) => ErrorKind::Internal,
        }
    }
}

fn of_source(error: &SourceError) -> ErrorKind {
    use std::io::ErrorKind::{FileTooLarge, InvalidInput, NotFound};
    match error {
        SourceError::NoMatch { .. } => ErrorKind::NotFound,
        SourceError::Unreadable { source, .. } => match source.kind() {
            NotFound => ErrorKind::NotFound,
            InvalidInput | FileTooLarge => ErrorKind::InvalidInput,
            _ => ErrorKind::Store,
        },
        _ => ErrorKind::InvalidInput,
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Store(error) => Error::Store(error),
            other => Error::Search(other),
        }
    }
}

impl From<InvalidMemory> for Error {
    fn from(error: InvalidMemory) -> Self {
        Error::Store(StoreError::Invalid(error))
    }
}

/// The speakers that there are, as far as they are shown.
fn speaker_list(known: &[String], total: usize) -> String {
    match known {
        [] => "nobody has said anything there".to_owned(),
        known if known.len() == total => format!("there are: {}", quoted(known)),
        known => format!("of {total} speakers the nearest are: {}", quoted(known)),
    }
}

fn few_of(names: &[String], total: usize) -> String {
    let more = total.saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{total} ({}{more})", quoted(names))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

fn in_conversation(conversation: &Option<ConversationId>) -> String {
    conversation.as_ref().map(|name| format!(", conversation {:?}", name.as_str())).unwrap_or_default()
}

fn candidate_list(candidates: &[MemoryRef], more: bool) -> String {
    let one = |candidate: &MemoryRef| match &candidate.conversation {
        Some(conversation) => format!("{:?} in {:?}", candidate.id.as_str(), conversation.as_str()),
        None => format!("{:?}", candidate.id.as_str()),
    };
    let mut list = candidates.iter().map(one).collect::<Vec<_>>().join(", ");
    if more {
        list.push_str(", ...");
    }
    list
}

fn few(conversations: &[ConversationId]) -> String {
    const SHOWN: usize = 5;
    let mut text = conversations.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if conversations.len() > SHOWN {
        text.push_str(", ...");
    }
    text
}
