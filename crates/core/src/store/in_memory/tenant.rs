//! One namespace in this process.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Bound,
};

use super::{
    appending::{Addition, same},
    counters::Counters,
    cues::CueTable,
};
use crate::{
    error::StoreError,
    store::{Audience, Version},
    types::{ConversationId, CueId, Draft, EncoderId, Memory, MemoryId, Namespace, Scope, Sensitivity, Seq, SessionId},
};

#[derive(Debug, Default)]
pub(super) struct Tenant {
    pub(super) epoch: u64,
    pub(super) last: u64,
    pub(super) memories: BTreeMap<Seq, Memory>,
    ids: BTreeMap<(MemoryId, Option<ConversationId>), Seq>,
    conversations: HashMap<ConversationId, BTreeSet<Seq>>,
    /// Turns by session and its conversation.
    sessions: HashMap<SessionId, HashMap<ConversationId, BTreeSet<Seq>>>,
    pub(super) counters: Counters,
    pub(super) vectors: BTreeMap<EncoderId, BTreeMap<Seq, Vec<f32>>>,
    pub(super) serving: Option<EncoderId>,
    pub(super) cues: CueTable,
    pub(super) snapshots: HashMap<String, Vec<u8>>,
}

impl Tenant {
    pub(super) fn of_epoch(epoch: u64) -> Self {
        Self { epoch, ..Self::default() }
    }

    pub(super) fn find(&self, id: &MemoryId, conversation: Option<&ConversationId>) -> Option<&Memory> {
        self.memories.get(self.ids.get(&(id.clone(), conversation.cloned()))?)
    }

    /// What stands under an id in all conversations and outside of them, in order of arrival.
    pub(super) fn find_all(&self, id: &MemoryId) -> Vec<&Memory> {
        let under = self.ids.range((id.clone(), None)..).take_while(|((other, _), _)| other == id);
        let places: BTreeSet<&Seq> = under.map(|(_, seq)| seq).collect();
        places.into_iter().filter_map(|seq| self.memories.get(seq)).collect()
    }

    pub(super) fn known(&self, draft: &Draft) -> Result<Option<MemoryId>, StoreError> {
        draft.check()?;
        let Some(id) = draft.id() else { return Ok(None) };
        let Some(stored) = self.find(id, draft.conversation()) else { return Ok(None) };
        same(stored, draft, id).map(Some)
    }

    pub(super) fn append(&mut self, addition: Addition) {
        let Addition { memories, counters, serving, vectors } = addition;
        for memory in memories {
            self.last = memory.seq.0;
            if let Some(conversation) = &memory.conversation {
                self.conversations.entry(conversation.clone()).or_default().insert(memory.seq);
                if let Some(session) = &memory.session {
                    let namesakes = self.sessions.entry(session.clone()).or_default();
                    namesakes.entry(conversation.clone()).or_default().insert(memory.seq);
                }
            }
            self.ids.insert((memory.id.clone(), memory.conversation.clone()), memory.seq);
            self.memories.insert(memory.seq, memory);
        }
        counters.into_iter().for_each(|(group, highest)| self.counters.set(group, highest));
        self.serving = serving;
        if let Some(encoder) = self.serving.clone().filter(|_| !vectors.is_empty()) {
            self.vectors.entry(encoder).or_default().extend(vectors);
        }
    }

    /// Takes memories away, with sessions and conversations that are empty then.
    pub(super) fn remove(&mut self, places: &[Seq]) -> Vec<Memory> {
        let gone: Vec<Memory> = places.iter().filter_map(|seq| self.memories.remove(seq)).collect();
        self.counters.pass(&gone);
        let (mut sessions, mut conversations) = (Vec::new(), HashSet::new());
        for memory in &gone {
            self.ids.remove(&(memory.id.clone(), memory.conversation.clone()));
            let Some(conversation) = &memory.conversation else { continue };
            if let Some(session) =
                memory.session.as_ref().filter(|session| self.leave(memory.seq, conversation, session))
            {
                sessions.push((conversation.clone(), session.clone()));
            }
            let Some(left) = self.conversations.get_mut(conversation) else { continue };
            left.remove(&memory.seq);
            if left.is_empty() {
                self.conversations.remove(conversation);
                conversations.insert(conversation.clone());
            }
        }
        self.counters.drop_groups(sessions, &conversations);
        gone
    }

    /// Takes a turn out of its session; says whether the session is gone with it.
    fn leave(&mut self, seq: Seq, conversation: &ConversationId, session: &SessionId) -> bool {
        let Some(namesakes) = self.sessions.get_mut(session) else { return false };
        let Some(turns) = namesakes.get_mut(conversation) else { return false };
        turns.remove(&seq);
        if !turns.is_empty() {
            return false;
        }
        namesakes.remove(conversation);
        if namesakes.is_empty() {
            self.sessions.remove(session);
        }
        true
    }

    /// Says whether the vectors of an encoder serve or may be the first to; those of another are refused.
    pub(super) fn settle(&self, namespace: &Namespace, encoder: &EncoderId) -> Result<(), StoreError> {
        match &self.serving {
            Some(serving) if serving != encoder => Err(StoreError::EncoderMismatch {
                namespace: namespace.clone(),
                serving: serving.clone(),
                asked: encoder.clone(),
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn version(&self) -> Version {
        Version { epoch: self.epoch, last: Seq(self.last), cues: CueId(self.cues.last) }
    }

    /// Memories that came after one, in order.
    pub(super) fn after(&self, after: Seq) -> impl Iterator<Item = &Memory> {
        self.memories.range((Bound::Excluded(after), Bound::Unbounded)).map(|(_, memory)| memory)
    }

    /// Memories after one without a vector by `encoder` that `audience` may see, in order.
    pub(super) fn unembedded(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
    ) -> impl Iterator<Item = &Memory> {
        let vectors = self.vectors.get(encoder);
        self.after(after)
            .filter(move |memory| is_visible(memory, audience))
            .filter(move |memory| vectors.is_none_or(|vectors| !vectors.contains_key(&memory.seq)))
    }

    pub(super) fn vector(&self, encoder: &EncoderId, seq: Seq) -> Option<&[f32]> {
        self.vectors.get(encoder)?.get(&seq).map(Vec::as_slice)
    }

    pub(super) fn check_dim(&self, encoder: &EncoderId, found: usize) -> Result<(), StoreError> {
        let stored = self.vectors.get(encoder).and_then(|vectors| vectors.first_key_value());
        check_dim(encoder, stored.map(|(_, vector)| vector.len()), found)
    }

    pub(super) fn within<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a Memory> {
        self.within_after(scope, Seq(0))
    }

    /// Memories of a scope that came after one, in order.
    pub(super) fn within_after<'a>(&'a self, scope: &'a Scope, after: Seq) -> impl Iterator<Item = &'a Memory> {
        let all: Box<dyn Iterator<Item = &'a Memory>> = match &scope.conversation {
            None => Box::new(self.after(after)),
            Some(conversation) => {
                let places = self.conversations.get(conversation).into_iter();
                let places = places.flat_map(move |all| all.range((Bound::Excluded(after), Bound::Unbounded)));
                Box::new(places.filter_map(|seq| self.memories.get(seq)))
            }
        };
        all.filter(move |memory| {
            let session = scope.session.as_ref().is_none_or(|s| memory.session.as_ref() == Some(s));
            session && scope.covers(memory.said_at)
        })
    }

    /// The turns of a memory's session, if it has one.
    pub(super) fn session_of(&self, memory: &Memory) -> Option<&BTreeSet<Seq>> {
        self.sessions.get(memory.session.as_ref()?)?.get(memory.conversation.as_ref()?)
    }

    /// Conversations with a session of that name, by its first turn.
    pub(super) fn conversations_with(&self, session: &SessionId) -> Vec<ConversationId> {
        let namesakes = self.sessions.get(session).into_iter().flatten();
        let by_first: BTreeMap<_, _> = namesakes.map(|(conversation, turns)| (turns.first(), conversation)).collect();
        by_first.into_values().cloned().collect()
    }

    /// Conversation and session numbers in order of arrival, to sort an export by.
    pub(super) fn order(&self) -> impl Fn(&Memory) -> (u64, u64, u64) {
        let first = |places: Option<&BTreeSet<Seq>>| places.and_then(BTreeSet::first).map_or(u64::MAX, |seq| seq.0);
        move |memory| {
            let conversation = memory.conversation.as_ref().and_then(|c| self.conversations.get(c));
            (first(conversation), first(self.session_of(memory)), memory.seq.0)
        }
    }

    pub(super) fn sessions(&self) -> u64 {
        self.sessions.values().map(HashMap::len).sum::<usize>() as u64
    }

    pub(super) fn conversations(&self) -> u64 {
        self.conversations.len() as u64
    }
}

pub(super) fn check_dim(encoder: &EncoderId, stored: Option<usize>, found: usize) -> Result<(), StoreError> {
    match stored {
        Some(expected) if expected != found => Err(StoreError::Dimension { encoder: encoder.clone(), expected, found }),
        _ => Ok(()),
    }
}

pub(super) fn is_visible(memory: &Memory, audience: Audience) -> bool {
    audience == Audience::LocalModels || memory.sensitivity == Sensitivity::Ordinary
}
