//! The rows of memories, and of the conversations and sessions they belong to.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::selection::Selection;
use crate::{
    error::StoreError,
    store::{
        browse::{SessionSummary, SpeakerSummary},
        lookup::{MemoryRef, NamespaceStats},
        sink::IndexSink,
    },
    types::{ConversationId, EncoderId, Kind, MemoryId, Record, Scope, Seq, SessionId},
};

/// The number of no conversation and of no session; real ones count from 1.
pub const NO_GROUP: u64 = 0;

/// The row of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationRow {
    /// Its number, in order of arrival.
    pub number: u64,
    /// The number above which sessions that are made later begin.
    pub floor: u64,
    /// The highest number of its notes.
    pub notes: u64,
}

/// The row of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionRow {
    /// Its number, in order of arrival.
    pub number: u64,
    /// The highest number of its turns.
    pub given: u64,
}

/// The groups a memory belongs to, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Its conversation, or [`NO_GROUP`].
    pub conversation: u64,
    /// Its session, or [`NO_GROUP`].
    pub session: u64,
}

/// A number that only grows, from which ids are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter<'a> {
    /// Where conversations that are made later begin.
    Floor,
    /// Notes outside of conversations.
    Notes,
    /// Where sessions that are made later in a conversation begin.
    ConversationFloor(u64),
    /// Notes of a conversation.
    ConversationNotes(u64),
    /// Turns of a session.
    Session(u64),
    /// Turns of the session of that name.
    SessionNamed {
        /// The number of its conversation.
        conversation: u64,
        /// Its name.
        name: &'a str,
    },
    /// Turns of every session whose name begins so.
    SessionsStarting {
        /// The number of their conversation.
        conversation: u64,
        /// How their names begin.
        prefix: &'a str,
    },
}

/// What a deletion has to know of a memory.
#[derive(Debug, Clone, Copy)]
pub struct IdRow<'a> {
    /// Its position.
    pub seq: Seq,
    /// Turn or note.
    pub kind: Kind,
    /// The number of its conversation, or [`NO_GROUP`].
    pub conversation: u64,
    /// Its id.
    pub id: &'a str,
}

/// Conversations and sessions that had no memory and were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmptiedGroups {
    /// Sessions.
    pub sessions: Vec<EmptiedSession>,
    /// Conversations.
    pub conversations: Vec<ConversationRow>,
}

/// A session that was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptiedSession {
    /// The number of its conversation.
    pub conversation: u64,
    /// The highest number of its turns.
    pub given: u64,
}

/// Rows that a namespace counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Turns and notes.
    Memories,
    /// Cue questions.
    Questions,
}

/// Memories, conversations and sessions, in a transaction.
pub trait MemoryTable {
    /// A conversation by name.
    fn conversation(&self, name: &ConversationId) -> Result<Option<ConversationRow>, StoreError>;

    /// A session by name.
    fn session(&self, conversation: u64, name: &SessionId) -> Result<Option<SessionRow>, StoreError>;

    /// Conversations that have a session of that name, in order of arrival of the sessions.
    fn conversations_with(&self, session: &SessionId) -> Result<Vec<ConversationId>, StoreError>;

    /// Conversations that have a session of that title, in order of arrival of the sessions; none twice.
    fn conversations_titled(&self, title: &str) -> Result<Vec<ConversationId>, StoreError>;

    /// The memory under an id in a conversation, or among notes that have none ([`NO_GROUP`]).
    fn with_id(&self, conversation: u64, id: &MemoryId) -> Result<Option<Record>, StoreError>;

    /// Whether an id is in use in a conversation.
    fn has_id(&self, conversation: u64, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self.with_id(conversation, id)?.is_some())
    }

    /// Whether there is a memory at a position.
    fn has_memory(&self, seq: Seq) -> Result<bool, StoreError>;

    /// Memories by position; those that are gone are left out.
    fn fetch(&self, positions: &[Seq]) -> Result<Vec<Record>, StoreError>;

    /// Memories under an id: none, one, or one in each of several conversations, in order of arrival.
    fn find(&self, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError>;

    /// Up to `before` and `after` turns around a turn in its session, itself included.
    fn around(&self, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError>;

    /// Positions of a scope's memories by conversation, session and order of arrival; conversations and sessions in
    /// order of theirs, what belongs to none after them.
    fn positions(&self, scope: &Scope) -> Result<Vec<Seq>, StoreError>;

    /// How many memories a scope holds.
    fn count(&self, scope: &Scope) -> Result<u64, StoreError> {
        Ok(self.positions(scope)?.len() as u64)
    }

    /// Visits a scope's memories in the order of [`MemoryTable::positions`].
    fn export(&self, scope: &Scope, visit: &mut dyn FnMut(Record) -> Result<(), StoreError>) -> Result<(), StoreError> {
        for seq in self.positions(scope)? {
            self.fetch(&[seq])?.into_iter().try_for_each(&mut *visit)?;
        }
        Ok(())
    }

    /// Visits the memories whose ids begin as that of `beginning` does, by id, until the visitor breaks; those of its
    /// conversation, where it names one.
    #[allow(clippy::type_complexity, reason = "a visitor is easier to read in place")]
    fn each_id_starting(
        &self,
        beginning: &MemoryRef,
        visit: &mut dyn FnMut(MemoryRef) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError>;

    /// A scope's sessions, and its notes by conversation, in the order of [`MemoryTable::positions`].
    fn sessions(&self, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError> {
        let mut all: Vec<SessionSummary> = Vec::new();
        self.export(scope, &mut |Record { seq, conversation, session, title, said_at, .. }| {
            let of = |last: &&mut SessionSummary| last.conversation == conversation && last.session == session;
            match all.last_mut().filter(of) {
                Some(last) => {
                    last.memories += 1;
                    last.first = [last.first, said_at].into_iter().flatten().min();
                    last.last = last.last.max(said_at);
                    last.latest = last.latest.max(seq);
                }
                None => all.push(SessionSummary {
                    conversation,
                    session,
                    title,
                    memories: 1,
                    first: said_at,
                    last: said_at,
                    latest: seq,
                }),
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// A scope's speakers, by the bytes of their names.
    fn speakers(&self, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError> {
        let mut all: BTreeMap<String, SpeakerSummary> = BTreeMap::new();
        self.export(scope, &mut |Record { seq, speaker, said_at, .. }| {
            let Some(speaker) = speaker else { return Ok(()) };
            let of = all.entry(speaker).or_insert_with_key(|speaker| SpeakerSummary {
                speaker: speaker.clone(),
                turns: 0,
                first: said_at,
                last: said_at,
                latest: seq,
            });
            of.turns += 1;
            of.first = [of.first, said_at].into_iter().flatten().min();
            of.last = of.last.max(said_at);
            of.latest = of.latest.max(seq);
            Ok(())
        })?;
        Ok(all.into_values().collect())
    }

    /// Up to `limit` positions of a scope, what was said last first, what has no time last; of equals what arrived last.
    fn latest(&self, scope: &Scope, limit: usize) -> Result<Vec<Seq>, StoreError> {
        let mut all = Vec::new();
        self.export(scope, &mut |memory| {
            all.push((memory.said_at, memory.seq));
            Ok(())
        })?;
        all.sort_unstable_by(|a, b| b.cmp(a));
        Ok(all.into_iter().take(limit).map(|(_, seq)| seq).collect())
    }

    /// Visits the ids of memories that a deletion is about, in any order.
    fn each_id(
        &self,
        selection: Selection<'_>,
        visit: &mut dyn FnMut(IdRow<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Shows an index the titles of sessions whose number is above `after`, in order of their numbers.
    fn feed_titles(&self, after: u64, sink: &mut dyn IndexSink) -> Result<(), StoreError>;

    /// Shows an index the memories after the first position, up to the second; says how many.
    fn feed_memories(
        &self,
        encoder: Option<&EncoderId>,
        after_upto: (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError>;

    /// Compares the number of rows found in the whole namespace with the number recorded as they were written, where
    /// a backend records one; [`StoreError::Damaged`] where they differ.
    fn expect(&self, _kind: RowKind, _found: u64) -> Result<(), StoreError> {
        Ok(())
    }

    /// How much the namespace holds; without the active encoder.
    fn stats(&self) -> Result<NamespaceStats, StoreError>;

    /// Makes a conversation; its floor and its notes begin at `floor`.
    fn insert_conversation(&mut self, name: &ConversationId, floor: u64) -> Result<ConversationRow, StoreError>;

    /// Makes a session, whose numbers begin above `given`.
    fn insert_session(&mut self, conversation: u64, name: &SessionId, given: u64) -> Result<SessionRow, StoreError>;

    /// Gives a session a title; says whether it is another than before.
    fn set_title(&mut self, session: u64, title: &str) -> Result<bool, StoreError>;

    /// Adds a memory; its title is not of this row.
    fn insert_memory(&mut self, memory: &Record, groups: Groups) -> Result<(), StoreError>;

    /// Replaces what is kept of a memory at its position, but for its id, its groups and what an index holds of it.
    fn update_memory(&mut self, memory: &Record) -> Result<(), StoreError>;

    /// Records the position of the last memory, and how many were added.
    fn advance_memories(&mut self, last: Seq, added: u64) -> Result<(), StoreError>;

    /// Raises a counter to a number, unless it is higher; says how many rows have that counter.
    fn raise(&mut self, counter: Counter<'_>, number: u64) -> Result<u64, StoreError>;

    /// Deletes memories, and their vectors by every encoder; says how many vectors there were.
    fn delete_memories(&mut self, selection: Selection<'_>) -> Result<u64, StoreError>;

    /// Deletes sessions and conversations that have no memory.
    fn delete_empty_groups(&mut self) -> Result<EmptiedGroups, StoreError>;
}
