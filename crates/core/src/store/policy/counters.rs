//! How far the numbers of ids have come; see [`numbers`](super::numbers).

use std::collections::HashMap;

use super::numbers::{GROUP_CHARS, NOTES, numbered};
use crate::{
    error::StoreError,
    store::tables::{ConversationRow, Counter, EmptiedGroups, Groups, NO_GROUP, Tables},
};

/// The counters that a batch moves.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// By conversation and session; that of notes has no session.
    highest: HashMap<(u64, u64), Highest>,
    /// Where new sessions of a conversation begin.
    floors: HashMap<u64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Highest {
    stored: u64,
    now: u64,
}

impl Counters {
    /// Takes the counter of a group as it is stored.
    pub(super) fn know(&mut self, group: Groups, stored: u64) {
        self.highest.insert(key(group), Highest { stored, now: stored });
    }

    /// Takes the counters of a conversation as they are stored.
    pub(super) fn know_conversation(&mut self, row: ConversationRow) {
        self.floors.insert(row.number, row.floor);
        self.know(Groups { conversation: row.number, session: NO_GROUP }, row.notes);
    }

    /// How far a group has come.
    pub(super) fn highest(&self, group: Groups) -> u64 {
        self.highest.get(&key(group)).map_or(0, |highest| highest.now)
    }

    /// Where a new session begins.
    pub(super) fn start(&self, conversation: u64, session: &str) -> u64 {
        let floor = self.floors.get(&conversation).copied().unwrap_or(0);
        // The turns of a session of that name have ids like those of the notes.
        match session == NOTES {
            true => floor.max(self.highest(Groups { conversation, session: NO_GROUP })),
            false => floor,
        }
    }

    pub(super) fn set(&mut self, group: Groups, number: u64) {
        self.highest.entry(key(group)).or_insert(Highest { stored: 0, now: 0 }).now = number;
    }

    /// Writes what moved.
    pub(super) fn write(&self, tables: &mut dyn Tables) -> Result<(), StoreError> {
        for ((conversation, session), highest) in
            self.highest.iter().filter(|(_, highest)| highest.now != highest.stored)
        {
            let counter = match (*conversation, *session) {
                (NO_GROUP, _) => Counter::Notes,
                (conversation, NO_GROUP) => Counter::ConversationNotes(conversation),
                (_, session) => Counter::Session(session),
            };
            tables.raise(counter, highest.now)?;
        }
        Ok(())
    }
}

fn key(group: Groups) -> (u64, u64) {
    (group.conversation, group.session)
}

/// Ids that are deleted, as far as the numbering must stay above them: the highest number by conversation and what the
/// ids begin with.
#[derive(Debug, Default)]
pub(super) struct DeletedIds(HashMap<(u64, String), u64>);

impl DeletedIds {
    /// Takes an id.
    pub(super) fn note(&mut self, conversation: u64, id: &str) {
        if let Some((group, number)) = numbered(id) {
            let highest = self.0.entry((conversation, group.to_owned())).or_default();
            *highest = number.max(*highest);
        }
    }

    /// Moves the counters above these ids.
    pub(super) fn raise(self, tables: &mut dyn Tables) -> Result<(), StoreError> {
        for ((conversation, group), number) in self.0 {
            let is_notes = group == NOTES;
            if conversation == NO_GROUP {
                if is_notes {
                    tables.raise(Counter::Notes, number)?;
                }
                continue;
            }
            if is_notes {
                tables.raise(Counter::ConversationNotes(conversation), number)?;
            }
            // A name of that length may be one that was cut.
            let is_cut = group.chars().count() == GROUP_CHARS;
            let counter = match is_cut {
                true => Counter::SessionsStarting { conversation, prefix: &group },
                false => Counter::SessionNamed { conversation, name: &group },
            };
            let has_session = tables.raise(counter, number)? > 0 && !is_cut;
            if !has_session && !is_notes {
                tables.raise(Counter::ConversationFloor(conversation), number)?;
            }
        }
        Ok(())
    }
}

/// Saves the numbers of groups that were deleted: their names go, and the group around them counts on from there.
pub(super) fn save_numbers(tables: &mut dyn Tables, emptied: &EmptiedGroups) -> Result<(), StoreError> {
    let mut floors: HashMap<u64, u64> = HashMap::new();
    for session in &emptied.sessions {
        let floor = floors.entry(session.conversation).or_default();
        *floor = session.given.max(*floor);
    }
    let of_conversations = emptied.conversations.iter().map(|row| {
        let of_sessions = floors.remove(&row.number).unwrap_or(0);
        row.floor.max(row.notes).max(of_sessions)
    });
    if let Some(floor) = of_conversations.max() {
        tables.raise(Counter::Floor, floor)?;
    }
    for (conversation, floor) in floors {
        tables.raise(Counter::ConversationFloor(conversation), floor)?;
    }
    Ok(())
}
