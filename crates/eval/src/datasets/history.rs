//! Where the units of one group are.

use std::collections::HashMap;

use aforesaid::types::{Draft, Granularity};

/// The memories and sessions of a group, by name.
#[derive(Debug, Default)]
pub(super) struct History {
    memories: HashMap<String, Spot>,
    /// The position of a session's first memory.
    sessions: HashMap<String, usize>,
}

#[derive(Debug)]
struct Spot {
    position: usize,
    session: Option<String>,
}

impl History {
    /// Adds the next memory; `false` where its id is taken.
    #[must_use]
    pub(super) fn push(&mut self, draft: &Draft) -> bool {
        let position = self.memories.len();
        let session = match draft {
            Draft::Turn(turn) => Some(turn.session.as_str().to_owned()),
            Draft::Note(_) => None,
        };
        if let Some(session) = &session {
            self.sessions.entry(session.clone()).or_insert(position);
        }
        let id = draft.id().map(ToString::to_string).unwrap_or_default();
        self.memories.insert(id, Spot { position, session }).is_none()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// How many memories came before this one.
    pub(super) fn position(&self, memory: &str) -> Option<usize> {
        self.memories.get(memory).map(|spot| spot.position)
    }

    /// The session a memory belongs to; a note has none.
    pub(super) fn session_of(&self, memory: &str) -> Option<&str> {
        self.memories.get(memory)?.session.as_deref()
    }

    pub(super) fn has_session(&self, name: &str) -> bool {
        self.sessions.contains_key(name)
    }

    /// How many memories came before this unit began.
    pub(super) fn start(&self, unit: Granularity, name: &str) -> Option<usize> {
        match unit {
            Granularity::Turn => self.position(name),
            Granularity::Session => self.sessions.get(name).copied(),
        }
    }
}
