//! Keys and rows of a namespace.

use crate::{
    store::{
        batch::Fingerprint,
        removed::Removed,
        segment::{Segment, SegmentKind},
        tables::{ConversationRow, NamespaceState, SessionRow},
    },
    types::{ConversationId, CueId, CueSource, EncoderId, MemoryId, Record, Seq, SessionId},
};

/// The key of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The namespace itself; it is there as long as the namespace is.
    State,
    /// The highest number of a conversation or session.
    LastGroup,
    /// A conversation, by number.
    Conversation(u64),
    /// The number of a conversation, by name.
    ConversationName(ConversationId),
    /// A session, by number.
    Session(u64),
    /// The number of a session, by name and number of its conversation.
    SessionName(SessionId, u64),
    /// The title of a session, by number.
    Title(u64),
    /// A memory.
    Memory(Seq),
    /// The position of a memory, by its id and the number of its conversation.
    Id(MemoryId, u64),
    /// A memory in the order of an export: by conversation, session and position. Those of no group come last.
    Order(u64, u64, Seq),
    /// An encoder, by number.
    Encoder(u64),
    /// The vector of a memory, by the number of its encoder.
    Vector(u64, Seq),
    /// A staged vector, by passage and encoder.
    Staged(Fingerprint, String),
    /// The source of a memory's cues.
    Cued(Seq),
    /// A cue.
    Cue(CueId),
    /// A cue of a memory.
    CueOf(Seq, CueId),
    /// The vector of a cue, by the number of its encoder.
    CueVector(CueId, u64),
    /// How many spans all removals have together.
    RemovalSpans,
    /// A removal, by number.
    Removal(u64),
    /// A segment, by block and index.
    Segment(SegmentKind, u64, String),
}

/// What is kept under a [`Key`].
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// Of [`Key::State`].
    State(NamespaceState),
    /// Of [`Key::LastGroup`], [`Key::ConversationName`], [`Key::SessionName`] and [`Key::RemovalSpans`].
    Number(u64),
    /// Of [`Key::Conversation`].
    Conversation(ConversationId, ConversationRow),
    /// Of [`Key::Session`], with the number of its conversation.
    Session(u64, SessionId, SessionRow),
    /// Of [`Key::Title`].
    Title(String),
    /// Of [`Key::Memory`].
    Memory(Box<StoredMemory>),
    /// Of [`Key::Id`].
    Position(Seq),
    /// Of [`Key::Order`] and [`Key::CueOf`], which say everything.
    Nothing,
    /// Of [`Key::Encoder`].
    Encoder {
        /// Its id.
        id: EncoderId,
        /// Components of its vectors.
        dim: usize,
    },
    /// Of [`Key::Vector`], [`Key::Staged`] and [`Key::CueVector`].
    Vector(Vec<f32>),
    /// Of [`Key::Cued`].
    Source(CueSource),
    /// Of [`Key::Cue`].
    Cue {
        /// The memory.
        seq: Seq,
        /// The question; `None` for the text with all questions.
        question: Option<String>,
    },
    /// Of [`Key::Removal`].
    Removal(Removed),
    /// Of [`Key::Segment`].
    Segment {
        /// What made it.
        maker: String,
        /// The segment.
        segment: Segment,
    },
}

/// A memory with the numbers of its groups.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory; its title is in a row of its own.
    pub record: Record,
    /// The number of its conversation.
    pub conversation: u64,
    /// The number of its session.
    pub session: u64,
}
