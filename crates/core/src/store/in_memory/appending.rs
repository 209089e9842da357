//! A batch on its way into a namespace: nothing changes there until the whole of it is known to fit.

use std::collections::HashMap;

use super::{
    counters::Group,
    tenant::{Tenant, check_dim},
};
use crate::{
    error::StoreError,
    store::{Fate, numbers::allocate_id},
    types::{ConversationId, Draft, EncoderId, Memory, MemoryId, Namespace, Seq},
};

pub(super) struct Appending<'t> {
    tenant: &'t Tenant,
    namespace: &'t Namespace,
    memories: Vec<Memory>,
    /// Places in `memories`.
    ids: HashMap<(MemoryId, Option<ConversationId>), usize>,
    counters: HashMap<Group, u64>,
    serving: Option<EncoderId>,
    vectors: Vec<(Seq, Vec<f32>)>,
}

/// What a batch adds.
pub(super) struct Addition {
    pub(super) memories: Vec<Memory>,
    pub(super) counters: HashMap<Group, u64>,
    pub(super) serving: Option<EncoderId>,
    pub(super) vectors: Vec<(Seq, Vec<f32>)>,
}

impl<'t> Appending<'t> {
    pub(super) fn start(tenant: &'t Tenant, namespace: &'t Namespace) -> Self {
        Self {
            tenant,
            namespace,
            memories: Vec::new(),
            ids: HashMap::new(),
            counters: HashMap::new(),
            serving: tenant.serving.clone(),
            vectors: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, draft: &Draft) -> Result<Fate, StoreError> {
        draft.check()?;
        if let Some(id) = draft.id()
            && let Some(stored) = self.find(id, draft.conversation())
        {
            return same(stored, draft, id).map(Fate::Unchanged);
        }
        let group = Group::of(draft);
        let highest = self.highest(&group);
        let (id, number) = match draft.id() {
            Some(id) => (id.clone(), highest + 1),
            None => allocate_id(draft, highest, |id| Ok(self.find(id, draft.conversation()).is_some()))?,
        };
        self.counters.insert(group, number);
        self.ids.insert((id.clone(), draft.conversation().cloned()), self.memories.len());
        let memory = draft.clone().into_memory(self.next(), id.clone());
        self.memories.push(memory);
        Ok(Fate::Added(id))
    }

    /// Keeps the vector of the memory added last, in the set that serves.
    pub(super) fn add_vector(&mut self, encoder: &EncoderId, vector: &[f32]) -> Result<(), StoreError> {
        self.tenant.settle(self.namespace, encoder)?;
        match self.vectors.first() {
            Some((_, first)) => check_dim(encoder, Some(first.len()), vector.len())?,
            None => self.tenant.check_dim(encoder, vector.len())?,
        }
        self.serving = Some(encoder.clone());
        self.vectors.extend(self.memories.last().map(|memory| (memory.seq, vector.to_vec())));
        Ok(())
    }

    pub(super) fn finish(self) -> Addition {
        let Self { memories, counters, serving, vectors, .. } = self;
        Addition { memories, counters, serving, vectors }
    }

    fn next(&self) -> Seq {
        Seq(self.tenant.last + self.memories.len() as u64 + 1)
    }

    fn find(&self, id: &MemoryId, conversation: Option<&ConversationId>) -> Option<&Memory> {
        match self.ids.get(&(id.clone(), conversation.cloned())) {
            Some(&place) => self.memories.get(place),
            None => self.tenant.find(id, conversation),
        }
    }

    fn highest(&self, group: &Group) -> u64 {
        let known = self.counters.get(group).copied().or_else(|| self.tenant.counters.highest(group));
        known.unwrap_or_else(|| {
            self.tenant.counters.start(group, |conversation| self.highest(&Group::Notes(Some(conversation.clone()))))
        })
    }
}

/// The id of what is stored, where a draft says the same.
pub(super) fn same(stored: &Memory, draft: &Draft, id: &MemoryId) -> Result<MemoryId, StoreError> {
    let new = draft.clone().into_memory(stored.seq, id.clone());
    match stored.difference(&new) {
        None => Ok(id.clone()),
        Some(field) => Err(StoreError::Conflict { id: id.clone(), conversation: draft.conversation().cloned(), field }),
    }
}
