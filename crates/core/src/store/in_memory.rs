//! A store that forgets everything when it is dropped: the model others are tested against.

mod cues;
mod tenant;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use self::tenant::{Tenant, is_visible};
use super::{
    Address, Audience, Batch, Doomed, Fate, Fingerprint, Forgotten, IndexSink, Kept, NamespaceStats, NewVectors,
    Removed, Rows, Segment, SnapshotName, Spans, Store, Taken, Unembedded, Version,
};
use crate::{
    error::StoreError,
    types::{
        ConversationId, CueId, Draft, EncoderId, Kind, Memory, MemoryId, Namespace, Scope, Seq, SessionId, Vectors,
    },
};

/// Staged vectors belong to a namespace that may not exist yet.
type Staged = HashMap<(Namespace, EncoderId, Fingerprint), Vec<f32>>;

/// Keeps memories in this process only.
///
/// Meant for tests and small histories: an append works on a copy of its namespace.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    tenants: Mutex<BTreeMap<Namespace, Tenant>>,
    staged: Mutex<Staged>,
    made: AtomicU64,
}

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn tenants(&self) -> MutexGuard<'_, BTreeMap<Namespace, Tenant>> {
        // Every change below is made on a copy or by a single insertion: a panic
        // elsewhere while the lock was held left no half of one.
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn staging(&self) -> MutexGuard<'_, Staged> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, namespace: &Namespace, read: impl FnOnce(&Tenant) -> T) -> Result<T, StoreError> {
        let tenants = self.tenants();
        match tenants.get(namespace) {
            Some(tenant) => Ok(read(tenant)),
            None => Err(StoreError::UnknownNamespace {
                namespace: namespace.clone(),
                known: tenants.keys().cloned().collect(),
            }),
        }
    }

    fn read_or_empty<T>(&self, namespace: &Namespace, read: impl FnOnce(&Tenant) -> T) -> T {
        match self.tenants().get(namespace) {
            Some(tenant) => read(tenant),
            None => read(&Tenant::default()),
        }
    }
}

impl Store for InMemoryStore {
    fn location(&self) -> String {
        "memory:".to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        Ok(self.tenants().keys().cloned().collect())
    }

    fn version(&self, namespace: &Namespace) -> Result<Option<Version>, StoreError> {
        Ok(self.tenants().get(namespace).map(Tenant::version))
    }

    fn known(&self, namespace: &Namespace, drafts: &[Draft]) -> Result<Vec<Option<MemoryId>>, StoreError> {
        self.read_or_empty(namespace, |tenant| drafts.iter().map(|draft| tenant.known(draft)).collect())
    }

    fn append(&self, namespace: &Namespace, batch: Batch<'_>) -> Result<Vec<Fate>, StoreError> {
        let mut tenants = self.tenants();
        // A namespace that was forgotten and made again must not repeat an old version.
        let new = || Tenant { epoch: self.made.fetch_add(1, Ordering::Relaxed) << 32, ..Tenant::default() };
        let mut tenant = tenants.get(namespace).cloned().unwrap_or_else(new);
        let mut staged = self.staging();
        let mut fates = Vec::with_capacity(batch.drafts.len());
        for (i, draft) in batch.drafts.iter().enumerate() {
            let fate = tenant.add(draft)?;
            if matches!(fate, Fate::Added(_)) {
                match batch.vectors {
                    NewVectors::None => {}
                    NewVectors::Given { encoder, vectors } => {
                        if let Some(vector) = vectors.get(i).copied().flatten() {
                            tenant.add_vector(namespace, encoder, vector)?;
                        }
                    }
                    NewVectors::Staged { encoder, fingerprints } => {
                        if let Some(print) = fingerprints.get(i).copied().flatten() {
                            let vector = staged
                                .get(&(namespace.clone(), encoder.clone(), print))
                                .ok_or_else(|| StoreError::Unstaged { encoder: encoder.clone() })?;
                            tenant.add_vector(namespace, encoder, vector)?;
                        }
                    }
                }
            }
            fates.push(fate);
        }
        if let NewVectors::Staged { encoder, fingerprints } = batch.vectors {
            for print in fingerprints.iter().flatten() {
                staged.remove(&(namespace.clone(), encoder.clone(), *print));
            }
        }
        tenants.insert(namespace.clone(), tenant);
        Ok(fates)
    }

    fn serving(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| tenant.serving.clone()))
    }

    fn serve(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(0) };
        let missing = tenant.unembedded(encoder, audience).count() as u64;
        if missing == 0 && tenant.serving.as_ref() != Some(encoder) {
            tenant.serving = Some(encoder.clone());
            tenant.begin_epoch();
        }
        Ok(missing)
    }

    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(0) };
        let Tenant { vectors, serving, cues, .. } = tenant;
        let before = vectors.len();
        let idle_cues = cues.drop_idle(serving.as_ref());
        vectors.retain(|(encoder, _), _| serving.as_ref() == Some(encoder));
        self.staging().retain(|(owner, encoder, _), _| owner != namespace || serving.as_ref() == Some(encoder));
        Ok((before - vectors.len()) as u64 + idle_cues)
    }

    fn catch_up(
        &self,
        namespace: &Namespace,
        encoder: Option<&EncoderId>,
        since: Option<Version>,
        sink: &mut dyn IndexSink,
    ) -> Result<Version, StoreError> {
        self.read(namespace, |tenant| {
            let version = tenant.version();
            let since = since.filter(|since| since.epoch == version.epoch);
            let missed = since.and_then(|since| Some((since, tenant.removals.since(since.removed)?)));
            let Some((since, gone)) = missed else {
                sink.reset();
                let name = sink.kept_as();
                let segments = |rows| name.iter().flat_map(move |name| tenant.segments(name, rows));
                let mut last = Seq(0);
                for segment in segments(Rows::Memories) {
                    tenant.feed(encoder, last, Seq(Segment::first(segment.block)), sink)?;
                    last = last.max(Seq(Segment::first(segment.block).saturating_sub(1)));
                    if sink.segment(segment) == Taken::Yes {
                        last = Seq(segment.upto);
                    }
                }
                tenant.feed(encoder, last, Seq(u64::MAX), sink)?;
                let mut last = CueId(0);
                for segment in segments(Rows::Cues) {
                    tenant.cues.feed(encoder, last, CueId(Segment::first(segment.block)), sink)?;
                    last = last.max(CueId(Segment::first(segment.block).saturating_sub(1)));
                    if sink.segment(segment) == Taken::Yes {
                        last = CueId(segment.upto);
                    }
                }
                tenant.cues.feed(encoder, last, CueId(u64::MAX), sink)?;
                return Ok(version);
            };
            if !gone.is_empty() {
                sink.remove(&gone)?;
            }
            tenant.feed(encoder, since.last, Seq(u64::MAX), sink)?;
            tenant.cues.feed(encoder, since.cues, CueId(u64::MAX), sink)?;
            Ok(version)
        })?
    }

    fn fetch(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Memory>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            places.iter().filter_map(|seq| tenant.memories.get(seq).cloned()).collect()
        }))
    }

    fn ids(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<MemoryId>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            places.iter().filter_map(|seq| tenant.memories.get(seq).map(|memory| memory.id.clone())).collect()
        }))
    }

    fn find(&self, namespace: &Namespace, address: &Address) -> Result<Vec<Memory>, StoreError> {
        let wanted = |memory: &&Memory| {
            memory.id == address.id
                && address.conversation.as_ref().is_none_or(|c| memory.conversation.as_ref() == Some(c))
        };
        Ok(self.read_or_empty(namespace, |tenant| tenant.memories.values().filter(wanted).cloned().collect()))
    }

    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Memory>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let Some(center) = tenant.memories.get(&seq) else { return Vec::new() };
            if center.session.is_none() {
                return vec![center.clone()];
            }
            let session: Vec<&Memory> = tenant
                .memories
                .values()
                .filter(|m| m.conversation == center.conversation && m.session == center.session)
                .collect();
            let at = session.iter().position(|memory| memory.seq == seq).unwrap_or(0);
            let end = session.len().min(at + 1 + after as usize);
            session[at.saturating_sub(before as usize)..end].iter().map(|memory| (*memory).clone()).collect()
        }))
    }

    fn conversations_with(
        &self,
        namespace: &Namespace,
        session: &SessionId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let mut found: Vec<ConversationId> = Vec::new();
            for memory in tenant.memories.values().filter(|memory| memory.session.as_ref() == Some(session)) {
                if let Some(conversation) = memory.conversation.clone().filter(|c| !found.contains(c)) {
                    found.push(conversation);
                }
            }
            found
        }))
    }

    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let memories = self.read(namespace, |tenant| {
            let mut memories: Vec<Memory> = tenant.within(scope).cloned().collect();
            memories.sort_by_key(tenant.order());
            memories
        })?;
        memories.into_iter().try_for_each(visit)
    }

    fn vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        places: &[Seq],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        self.read(namespace, |tenant| {
            let mut data = Vec::new();
            let mut dim = 1;
            for seq in places {
                let vector = tenant.vectors.get(&(encoder.clone(), *seq));
                let vector = vector.ok_or_else(|| tenant.lacks(namespace, at, "memory", seq.0, encoder))?;
                dim = vector.len();
                data.extend_from_slice(vector);
            }
            Ok(Vectors::new(dim, data).unwrap_or_default())
        })?
    }

    fn unembedded(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        self.read(namespace, |tenant| {
            tenant
                .unembedded(encoder, audience)
                .filter(|memory| memory.seq > after)
                .take(limit)
                .map(|memory| Unembedded { seq: memory.seq, passage: memory.passage() })
                .collect()
        })
    }

    fn embed(&self, namespace: &Namespace, encoder: &EncoderId, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError> {
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(()) };
        for (_, vector) in vectors {
            tenant.check_dim(encoder, vector.len())?;
        }
        for (seq, vector) in vectors {
            if tenant.memories.contains_key(seq) {
                tenant.vectors.insert((encoder.clone(), *seq), vector.to_vec());
            }
        }
        if tenant.serving.as_ref() == Some(encoder) {
            tenant.begin_epoch();
        }
        Ok(())
    }

    fn forget(&self, namespace: &Namespace, doomed: &Doomed) -> Result<Forgotten, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(Forgotten::default()) };
        let seqs: Vec<Seq> = match doomed {
            Doomed::One(seq) => tenant.memories.get(seq).map(|memory| memory.seq).into_iter().collect(),
            Doomed::Within(scope) => tenant.within(scope).map(|memory| memory.seq).collect(),
        };
        let (sessions, conversations) = (tenant.sessions(), tenant.conversations());
        let mut forgotten = Forgotten::default();
        for seq in &seqs {
            match tenant.memories.remove(seq).map(|memory| memory.kind) {
                Some(Kind::Turn) => forgotten.turns += 1,
                Some(Kind::Note) => forgotten.notes += 1,
                None => {}
            }
        }
        let vectors = tenant.vectors.len();
        tenant.vectors.retain(|(_, seq), _| !seqs.contains(seq));
        let goes = |seq| seqs.contains(&seq);
        let cue_ids = tenant.cues.ids_of(goes);
        let cues = tenant.cues.remove(goes);
        forgotten.vectors = (vectors - tenant.vectors.len()) as u64 + cues.vectors;
        forgotten.cues = cues.questions;
        forgotten.sessions = sessions - tenant.sessions();
        forgotten.conversations = conversations - tenant.conversations();
        let memories = Spans::of(seqs.iter().map(|seq| seq.0));
        tenant.lose(Removed { memories, cues: Spans::default() }, &cue_ids);
        self.staging().retain(|(owner, _, _), _| owner != namespace);
        if matches!(doomed, Doomed::Within(scope) if scope.is_everything()) {
            tenants.remove(namespace);
        }
        Ok(forgotten)
    }

    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError> {
        self.read(namespace, |tenant| {
            let mut vectors = BTreeMap::new();
            for (encoder, _) in tenant.vectors.keys() {
                *vectors.entry(encoder.to_string()).or_insert(0) += 1;
            }
            let turns = tenant.memories.values().filter(|memory| memory.kind == Kind::Turn).count() as u64;
            NamespaceStats {
                conversations: tenant.conversations(),
                sessions: tenant.sessions(),
                turns,
                notes: tenant.memories.len() as u64 - turns,
                vectors,
                serving: tenant.serving.clone(),
                first: tenant.memories.values().filter_map(|memory| memory.said_at).min(),
                last: tenant.memories.values().filter_map(|memory| memory.said_at).max(),
            }
        })
    }

    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        name: &SnapshotName,
        version: Version,
        segments: &[Segment],
    ) -> Result<Kept, StoreError> {
        match self.tenants().get_mut(namespace).filter(|tenant| tenant.version().continues(version)) {
            Some(tenant) => {
                tenant.keep(name, segments);
                Ok(Kept::Yes)
            }
            None => Ok(Kept::Outdated),
        }
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        let copy = Self { tenants: Mutex::new(self.tenants().clone()), ..Self::default() };
        Ok(Box::new(copy))
    }

    fn staged(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<bool>, StoreError> {
        let staged = self.staging();
        let key = |print: &Fingerprint| (namespace.clone(), encoder.clone(), *print);
        Ok(fingerprints.iter().map(|print| staged.contains_key(&key(print))).collect())
    }

    fn stage(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(Fingerprint, &[f32])],
    ) -> Result<(), StoreError> {
        let mut staged = self.staging();
        for (print, vector) in vectors {
            staged.insert((namespace.clone(), encoder.clone(), *print), vector.to_vec());
        }
        Ok(())
    }
}
