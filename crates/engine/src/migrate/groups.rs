//! Conversations and sessions: their order, counters and titles.
//!
//! Their numbers differ between stores, their order does not. They are made before their memories: a session whose first
//! turns were forgotten is older than what its remaining turns say.

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::tables::{ConversationRow, Counter, Groups, NO_GROUP, Tables},
    types::{ConversationId, Record, Scope, SessionId},
};

/// Conversations and sessions that are written at once.
const AT_ONCE: usize = 256;

/// All groups of a namespace that hold something, each in order of arrival.
#[derive(Debug, Default)]
pub(super) struct AllGroups {
    pub(super) conversations: Vec<(ConversationId, ConversationRow)>,
    pub(super) sessions: Vec<SessionGroup>,
}

/// A session.
#[derive(Debug)]
pub(super) struct SessionGroup {
    number: u64,
    pub(super) conversation: ConversationId,
    pub(super) name: SessionId,
    pub(super) title: Option<String>,
    pub(super) given: u64,
}

impl AllGroups {
    pub(super) fn read(tables: &dyn Tables) -> Result<Self, StoreError> {
        let mut conversations: HashMap<ConversationId, ConversationRow> = HashMap::new();
        let mut sessions = Vec::new();
        for summary in tables.sessions(&Scope::default())? {
            let Some(name) = summary.conversation else { continue };
            let row = match conversations.get(&name) {
                Some(row) => *row,
                None => {
                    let Some(row) = tables.conversation(&name)? else { continue };
                    conversations.insert(name.clone(), row);
                    row
                }
            };
            let Some(session) = summary.session else { continue };
            if let Some(found) = tables.session(row.number, &session)? {
                let (number, given) = (found.number, found.given);
                sessions.push(SessionGroup { number, conversation: name, name: session, title: summary.title, given });
            }
        }
        sessions.sort_by_key(|session| session.number);
        let mut conversations: Vec<_> = conversations.into_iter().collect();
        conversations.sort_by_key(|(_, row)| row.number);
        Ok(Self { conversations, sessions })
    }

    /// Parts of the groups, in the order in which they are made.
    pub(super) fn parts(&self) -> impl Iterator<Item = GroupPart<'_>> {
        let conversations = self.conversations.chunks(AT_ONCE).map(GroupPart::Conversations);
        conversations.chain(self.sessions.chunks(AT_ONCE).map(GroupPart::Sessions))
    }
}

/// Some of the groups.
#[derive(Clone, Copy)]
pub(super) enum GroupPart<'a> {
    Conversations(&'a [(ConversationId, ConversationRow)]),
    Sessions(&'a [SessionGroup]),
}

impl GroupPart<'_> {
    /// Makes those that are missing, and brings the others' counters and titles to what they should be.
    pub(super) fn write(self, tables: &mut dyn Tables) -> Result<(), StoreError> {
        match self {
            Self::Conversations(all) => all.iter().try_for_each(|(name, row)| conversation(tables, name, *row)),
            Self::Sessions(all) => {
                let mut places = Places::default();
                all.iter().try_for_each(|wanted| session(tables, &mut places, wanted))
            }
        }
    }
}

fn conversation(tables: &mut dyn Tables, name: &ConversationId, wanted: ConversationRow) -> Result<(), StoreError> {
    let found = match tables.conversation(name)? {
        Some(found) => found,
        // Its notes begin at the floor it is made with.
        None => tables.insert_conversation(name, wanted.floor.min(wanted.notes))?,
    };
    if found.floor < wanted.floor {
        tables.raise(Counter::ConversationFloor(found.number), wanted.floor)?;
    }
    if found.notes < wanted.notes {
        tables.raise(Counter::ConversationNotes(found.number), wanted.notes)?;
    }
    Ok(())
}

fn session(tables: &mut dyn Tables, places: &mut Places, wanted: &SessionGroup) -> Result<(), StoreError> {
    let conversation = places.conversation(tables, &wanted.conversation)?;
    let found = match tables.session(conversation, &wanted.name)? {
        Some(found) => found,
        None => tables.insert_session(conversation, &wanted.name, wanted.given)?,
    };
    if found.given < wanted.given {
        tables.raise(Counter::Session(found.number), wanted.given)?;
    }
    if let Some(title) = &wanted.title {
        tables.set_title(found.number, title)?;
    }
    Ok(())
}

/// Numbers of groups, looked up once a transaction.
#[derive(Default)]
pub(super) struct Places {
    conversations: HashMap<ConversationId, u64>,
    sessions: HashMap<(u64, SessionId), u64>,
}

impl Places {
    fn conversation(&mut self, tables: &mut dyn Tables, name: &ConversationId) -> Result<u64, StoreError> {
        if let Some(number) = self.conversations.get(name) {
            return Ok(*number);
        }
        let number = match tables.conversation(name)? {
            Some(row) => row.number,
            None => tables.insert_conversation(name, 0)?.number,
        };
        self.conversations.insert(name.clone(), number);
        Ok(number)
    }

    /// The groups of a memory.
    pub(super) fn of(&mut self, tables: &mut dyn Tables, record: &Record) -> Result<Groups, StoreError> {
        let conversation = match &record.conversation {
            Some(name) => self.conversation(tables, name)?,
            None => NO_GROUP,
        };
        let Some(name) = &record.session else { return Ok(Groups { conversation, session: NO_GROUP }) };
        if let Some(session) = self.sessions.get(&(conversation, name.clone())) {
            return Ok(Groups { conversation, session: *session });
        }
        let session = match tables.session(conversation, name)? {
            Some(row) => row.number,
            None => tables.insert_session(conversation, name, 0)?.number,
        };
        self.sessions.insert((conversation, name.clone()), session);
        Ok(Groups { conversation, session })
    }
}
