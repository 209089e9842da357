//! What a namespace holds: ids and groups, without texts.

use std::collections::{HashMap, HashSet};

use aforesaid::{
    Error, Memory,
    types::{ConversationId, Granularity, MemoryId, Namespace, Record, Scope, Seq, SessionId},
};
use sha2::{Digest, Sha256};

use super::LabelledQuery;
use crate::{EvalError, datasets::DataError};

/// A memory without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) seq: Seq,
    pub(super) conversation: Option<ConversationId>,
}

/// All memories of a namespace by id, and what each is called in a ranking.
pub(super) struct Catalogue {
    by_id: HashMap<MemoryId, Vec<Entry>>,
    turns: HashMap<Seq, String>,
    sessions: HashMap<Seq, String>,
    conversations: HashSet<ConversationId>,
    sha256: [u8; 32],
}

/// What of a memory names it.
struct Names {
    seq: Seq,
    id: MemoryId,
    conversation: Option<ConversationId>,
    session: Option<SessionId>,
}

impl Catalogue {
    /// Reads a namespace.
    pub(super) fn of(memory: &Memory, namespace: &Namespace) -> Result<Self, Error> {
        // A namespace that is not there is an error of its own.
        memory.stats(namespace)?;
        let (mut all, mut sha256) = (Vec::new(), Sha256::new());
        memory.visit(namespace, &Scope::default(), &mut |record| {
            sha256.update(serde_json::to_vec(&record).unwrap_or_default());
            let Record { seq, id, conversation, session, .. } = record;
            all.push(Names { seq, id, conversation, session });
        })?;
        Ok(Self::read(all, sha256.finalize().into()))
    }

    fn read(all: Vec<Names>, sha256: [u8; 32]) -> Self {
        let (mut by_id, mut homes): (HashMap<_, Vec<_>>, HashMap<_, HashSet<_>>) = Default::default();
        for Names { seq, id, conversation, session } in &all {
            by_id.entry(id.clone()).or_default().push(Entry { seq: *seq, conversation: conversation.clone() });
            if let Some(session) = session {
                homes.entry(session.clone()).or_default().insert(conversation.clone());
            }
        }
        // The conversation stands before a name that several have.
        let within = |conversation: &Option<ConversationId>, name: &str, count: usize| match conversation {
            Some(conversation) if count > 1 => format!("{conversation}/{name}"),
            _ => name.to_owned(),
        };
        let (mut turns, mut sessions) = (HashMap::new(), HashMap::new());
        for Names { seq, id, conversation, session } in &all {
            turns.insert(*seq, within(conversation, id.as_str(), by_id.get(id).map_or(0, Vec::len)));
            if let Some(session) = session {
                let count = homes.get(session).map_or(0, HashSet::len);
                sessions.insert(*seq, within(conversation, session.as_str(), count));
            }
        }
        let conversations = all.iter().filter_map(|names| names.conversation.clone()).collect();
        Self { by_id, turns, sessions, conversations, sha256 }
    }

    /// What a memory, or its session, is called.
    pub(super) fn unit(&self, memory: Seq, unit: Granularity) -> Option<&str> {
        let names = match unit {
            Granularity::Turn => &self.turns,
            Granularity::Session => &self.sessions,
        };
        names.get(&memory).map(String::as_str)
    }

    /// The memory that an id of a query means; `None` where nothing has it.
    pub(super) fn find(&self, id: &MemoryId, query: &LabelledQuery) -> Result<Option<Entry>, EvalError> {
        let is_within =
            |entry: &&Entry| query.conversation.is_none() || entry.conversation.as_ref() == query.conversation.as_ref();
        let found: Vec<&Entry> = self.by_id.get(id).into_iter().flatten().filter(is_within).collect();
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some((*one).clone())),
            several => Err(DataError::Wrong {
                place: query.place.clone(),
                what: format!("gold id {:?}", id.as_str()),
                found: format!("in {} conversations", several.len()),
                expected: "one memory; name its \"conversation\"".to_owned(),
            }
            .into()),
        }
    }

    /// Refuses a query that names a conversation of which nothing is stored.
    pub(super) fn must_have_conversation(&self, query: &LabelledQuery) -> Result<(), EvalError> {
        let Some(conversation) = &query.conversation else { return Ok(()) };
        if self.conversations.contains(conversation) {
            return Ok(());
        }
        Err(DataError::Wrong {
            place: query.place.clone(),
            what: "field \"conversation\"".to_owned(),
            found: format!("{:?}, of which nothing is stored", conversation.as_str()),
            expected: "the id of a conversation of the namespace".to_owned(),
        }
        .into())
    }

    pub(super) fn sha256(&self) -> &[u8] {
        &self.sha256
    }
}
