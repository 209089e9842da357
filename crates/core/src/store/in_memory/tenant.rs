//! One namespace in this process.

use std::collections::{BTreeMap, HashMap};

use super::cues::CueTable;
use crate::{
    error::StoreError,
    store::{
        Audience, Fate, IndexRow, IndexSink, Removed, Rows, Segment, SnapshotName, Spans, Version, allocate_id,
        removed::RemovalLog,
    },
    types::{
        ConversationId, CueId, Draft, EncoderId, Kind, Memory, MemoryId, Namespace, Scope, Sensitivity, Seq, SessionId,
    },
};

#[derive(Debug, Default, Clone)]
pub(super) struct Tenant {
    pub(super) epoch: u64,
    pub(super) last: u64,
    pub(super) memories: BTreeMap<Seq, Memory>,
    pub(super) vectors: BTreeMap<(EncoderId, Seq), Vec<f32>>,
    pub(super) serving: Option<EncoderId>,
    pub(super) cues: CueTable,
    pub(super) removals: RemovalLog,
    pub(super) snapshots: BTreeMap<(Rows, u64, String), (String, Segment)>,
}

impl Tenant {
    pub(super) fn find(&self, id: &MemoryId, conversation: Option<&ConversationId>) -> Option<&Memory> {
        self.memories.values().find(|memory| memory.id == *id && memory.conversation.as_ref() == conversation)
    }

    pub(super) fn known(&self, draft: &Draft) -> Result<Option<MemoryId>, StoreError> {
        draft.check()?;
        let Some(id) = draft.id() else { return Ok(None) };
        let Some(stored) = self.find(id, draft.conversation()) else { return Ok(None) };
        let new = draft.clone().into_memory(stored.seq, id.clone());
        match stored.difference(&new) {
            None => Ok(Some(id.clone())),
            Some(field) => {
                Err(StoreError::Conflict { id: id.clone(), conversation: draft.conversation().cloned(), field })
            }
        }
    }

    pub(super) fn add(&mut self, draft: &Draft) -> Result<Fate, StoreError> {
        if let Some(id) = self.known(draft)? {
            return Ok(Fate::Unchanged(id));
        }
        let in_group = self.memories.values().filter(|memory| match draft {
            Draft::Turn(turn) => {
                memory.conversation.as_ref() == Some(&turn.conversation)
                    && memory.session.as_ref() == Some(&turn.session)
            }
            Draft::Note(note) => memory.kind == Kind::Note && memory.conversation == note.conversation,
        });
        let before = in_group.count() as u64;
        let id = match draft.id() {
            Some(id) => id.clone(),
            None => allocate_id(draft, before, |id| Ok(self.find(id, draft.conversation()).is_some()))?,
        };
        self.last += 1;
        let seq = Seq(self.last);
        self.memories.insert(seq, draft.clone().into_memory(seq, id.clone()));
        Ok(Fate::Added(id))
    }

    /// Keeps the vector of the memory added last, in the set that serves.
    pub(super) fn add_vector(
        &mut self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vector: &[f32],
    ) -> Result<(), StoreError> {
        self.settle(namespace, encoder)?;
        self.check_dim(encoder, vector.len())?;
        self.vectors.insert((encoder.clone(), Seq(self.last)), vector.to_vec());
        Ok(())
    }

    /// Has the first vectors serve; those of another encoder are refused.
    pub(super) fn settle(&mut self, namespace: &Namespace, encoder: &EncoderId) -> Result<(), StoreError> {
        let serving = self.serving.get_or_insert_with(|| encoder.clone());
        match serving == encoder {
            true => Ok(()),
            false => Err(StoreError::EncoderMismatch {
                namespace: namespace.clone(),
                serving: serving.clone(),
                asked: encoder.clone(),
            }),
        }
    }

    pub(super) fn version(&self) -> Version {
        let (last, cues) = (Seq(self.last), CueId(self.cues.last));
        Version { epoch: self.epoch, last, cues, removed: self.removals.last }
    }

    /// Has every index made anew.
    pub(super) fn begin_epoch(&mut self) {
        self.epoch += 1;
        self.snapshots.clear();
    }

    /// Notes what went, and takes the segments along that held it; `cues` are those that went with memories too.
    pub(super) fn lose(&mut self, removed: Removed, cues: &Spans) {
        let (memories, cues) = (removed.memories.blocks(), cues.blocks());
        self.snapshots.retain(|(rows, block, _), _| match rows {
            Rows::Memories => memories.binary_search(block).is_err(),
            Rows::Cues => cues.binary_search(block).is_err(),
        });
        self.removals.push(removed);
    }

    /// Shows an index the memories after `after`, and before `before`.
    pub(super) fn feed(
        &self,
        encoder: Option<&EncoderId>,
        after: Seq,
        before: Seq,
        sink: &mut dyn IndexSink,
    ) -> Result<(), StoreError> {
        for memory in self.memories.values().filter(|memory| after < memory.seq && memory.seq < before) {
            let vector = encoder.and_then(|encoder| self.vectors.get(&(encoder.clone(), memory.seq)));
            sink.row(IndexRow {
                seq: memory.seq,
                kind: memory.kind,
                conversation: memory.conversation.as_ref().map(ConversationId::as_str),
                session: memory.session.as_ref().map(SessionId::as_str),
                speaker: memory.speaker.as_deref(),
                text: &memory.text,
                image_caption: memory.image_caption.as_deref(),
                said_at: memory.said_at,
                importance: memory.importance.value(),
                vector: vector.map(Vec::as_slice),
            })?;
        }
        Ok(())
    }

    /// What it means that a vector is missing which an index of version `at` knows of.
    pub(super) fn lacks(
        &self,
        namespace: &Namespace,
        at: Version,
        what: &str,
        number: u64,
        encoder: &EncoderId,
    ) -> StoreError {
        match self.version().continues(at) {
            true => StoreError::Damaged {
                location: "memory:".to_owned(),
                found: format!("{what} {number} has lost its vector by {encoder}"),
            },
            false => StoreError::Outdated { namespace: namespace.clone() },
        }
    }

    /// Segments of one kind of rows, in order.
    pub(super) fn segments(&self, name: &SnapshotName, rows: Rows) -> impl Iterator<Item = &Segment> {
        let of = self.snapshots.iter().filter(move |((kind, _, index), (maker, _))| {
            *kind == rows && *index == name.index && *maker == name.maker
        });
        of.map(|(_, (_, segment))| segment)
    }

    pub(super) fn keep(&mut self, name: &SnapshotName, segments: &[Segment]) {
        self.snapshots.retain(|_, (maker, _)| *maker == name.maker);
        for segment in segments {
            let key = (segment.rows, segment.block, name.index.clone());
            self.snapshots.insert(key, (name.maker.clone(), segment.clone()));
        }
    }

    /// Memories without a vector by `encoder` that `audience` may see, in order.
    pub(super) fn unembedded(&self, encoder: &EncoderId, audience: Audience) -> impl Iterator<Item = &Memory> {
        self.memories
            .values()
            .filter(move |memory| is_visible(memory, audience))
            .filter(|memory| !self.vectors.contains_key(&(encoder.clone(), memory.seq)))
    }

    pub(super) fn check_dim(&self, encoder: &EncoderId, found: usize) -> Result<(), StoreError> {
        let stored = self.vectors.iter().find(|((by, _), _)| by == encoder).map(|(_, vector)| vector.len());
        match stored {
            Some(expected) if expected != found => {
                Err(StoreError::Dimension { encoder: encoder.clone(), expected, found })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn within<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a Memory> {
        self.memories.values().filter(move |memory| {
            let conversation = scope.conversation.as_ref().is_none_or(|c| memory.conversation.as_ref() == Some(c));
            let session = scope.session.as_ref().is_none_or(|s| memory.session.as_ref() == Some(s));
            conversation && session && scope.covers(memory.said_at)
        })
    }

    /// Conversation and session numbers in order of arrival, to sort an export by.
    pub(super) fn order(&self) -> impl Fn(&Memory) -> (u64, u64, u64) {
        let mut conversations: HashMap<Option<ConversationId>, u64> = HashMap::new();
        let mut sessions: HashMap<(Option<ConversationId>, Option<SessionId>), u64> = HashMap::new();
        for memory in self.memories.values() {
            conversations.entry(memory.conversation.clone()).or_insert(memory.seq.0);
            sessions.entry((memory.conversation.clone(), memory.session.clone())).or_insert(memory.seq.0);
        }
        move |memory| {
            let first = |map: Option<&u64>| map.copied().unwrap_or(u64::MAX);
            let conversation =
                if memory.conversation.is_none() { u64::MAX } else { first(conversations.get(&memory.conversation)) };
            let session = if memory.session.is_none() {
                u64::MAX
            } else {
                first(sessions.get(&(memory.conversation.clone(), memory.session.clone())))
            };
            (conversation, session, memory.seq.0)
        }
    }

    pub(super) fn count<T: Ord>(&self, key: impl Fn(&Memory) -> Option<T>) -> u64 {
        let mut keys: Vec<T> = self.memories.values().filter_map(key).collect();
        keys.sort();
        keys.dedup();
        keys.len() as u64
    }

    pub(super) fn sessions(&self) -> u64 {
        self.count(|memory| memory.session.clone().map(|session| (memory.conversation.clone(), session)))
    }

    pub(super) fn conversations(&self) -> u64 {
        self.count(|memory| memory.conversation.clone())
    }
}

pub(super) fn is_visible(memory: &Memory, audience: Audience) -> bool {
    audience == Audience::LocalModels || memory.sensitivity == Sensitivity::Ordinary
}
