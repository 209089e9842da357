//! How far the numbers of each group have come; see [`numbers`](crate::store::numbers).

use std::collections::{HashMap, HashSet};

use crate::{
    store::numbers::{GROUP_CHARS, NOTES, group, numbered},
    types::{ConversationId, Draft, Memory, SessionId},
};

/// What is numbered together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Group {
    Turns(ConversationId, SessionId),
    Notes(Option<ConversationId>),
}

impl Group {
    pub(super) fn of(draft: &Draft) -> Self {
        match draft {
            Draft::Turn(turn) => Self::Turns(turn.conversation.clone(), turn.session.clone()),
            Draft::Note(note) => Self::Notes(note.conversation.clone()),
        }
    }

    fn conversation(&self) -> Option<&ConversationId> {
        match self {
            Self::Turns(conversation, _) => Some(conversation),
            Self::Notes(conversation) => conversation.as_ref(),
        }
    }
}

/// The counters of one namespace.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Where conversations that are made later begin.
    floor: u64,
    /// Where sessions that begin later do, by conversation.
    floors: HashMap<ConversationId, u64>,
    /// Of the groups that are there.
    highest: HashMap<Group, u64>,
}

impl Counters {
    pub(super) fn highest(&self, group: &Group) -> Option<u64> {
        self.highest.get(group).copied()
    }

    /// Where a group begins; `notes` is how far the notes of its conversation have come.
    pub(super) fn start(&self, group: &Group, notes: impl FnOnce(&ConversationId) -> u64) -> u64 {
        match group {
            Group::Notes(None) => 0,
            Group::Notes(Some(_)) => self.floor,
            Group::Turns(conversation, session) => {
                let floor = self.floors.get(conversation).copied().unwrap_or(self.floor);
                // The turns of a session of that name have ids like those of the notes.
                if session.as_str() == NOTES { floor.max(notes(conversation)) } else { floor }
            }
        }
    }

    pub(super) fn set(&mut self, group: Group, highest: u64) {
        if let Some(conversation) = group.conversation().filter(|c| !self.floors.contains_key(*c)).cloned() {
            self.floors.insert(conversation.clone(), self.floor);
            self.highest.entry(Group::Notes(Some(conversation))).or_insert(self.floor);
        }
        self.highest.insert(group, highest);
    }

    /// Moves groups that are there above ids that go.
    pub(super) fn pass(&mut self, gone: &[Memory]) {
        let mut passed: HashMap<(Option<&ConversationId>, &str), u64> = HashMap::new();
        for memory in gone {
            if let Some((group, number)) = numbered(memory.id.as_str()) {
                let highest = passed.entry((memory.conversation.as_ref(), group)).or_default();
                *highest = number.max(*highest);
            }
        }
        for ((conversation, name), number) in passed {
            let raise = |highest: &mut u64| *highest = number.max(*highest);
            let Some(conversation) = conversation else {
                if name == NOTES {
                    self.highest.get_mut(&Group::Notes(None)).map(raise);
                }
                continue;
            };
            if name == NOTES {
                self.highest.get_mut(&Group::Notes(Some(conversation.clone()))).map(raise);
            }
            let is_cut = name.chars().count() == GROUP_CHARS;
            let was_there = match SessionId::new(name) {
                Ok(session) if !is_cut => {
                    self.highest.get_mut(&Group::Turns(conversation.clone(), session)).map(raise).is_some()
                }
                _ => {
                    for (other, highest) in &mut self.highest {
                        if matches!(other, Group::Turns(c, session) if c == conversation && group(session.as_str()) == name)
                        {
                            raise(highest);
                        }
                    }
                    false
                }
            };
            if !was_there && name != NOTES {
                self.floors.get_mut(conversation).map(raise);
            }
        }
    }

    /// Drops the counters of sessions and conversations that are gone; their names go, and their numbers stay.
    pub(super) fn drop_groups(
        &mut self,
        sessions: impl IntoIterator<Item = (ConversationId, SessionId)>,
        conversations: &HashSet<ConversationId>,
    ) {
        for (conversation, session) in sessions {
            let gone = self.highest.remove(&Group::Turns(conversation.clone(), session)).unwrap_or(0);
            if let Some(floor) = self.floors.get_mut(&conversation) {
                *floor = gone.max(*floor);
            }
        }
        for conversation in conversations {
            let floor = self.floors.remove(conversation).unwrap_or(0);
            let notes = self.highest.remove(&Group::Notes(Some(conversation.clone()))).unwrap_or(0);
            self.floor = self.floor.max(floor).max(notes);
        }
    }
}
