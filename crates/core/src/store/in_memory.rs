//! A store that forgets everything when it is dropped: the model others are tested against.

mod appending;
mod counters;
mod cues;
mod tenant;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use self::{appending::Appending, tenant::Tenant};
use super::{
    Address, Audience, Batch, Doomed, Erasure, Fate, Fingerprint, Forgotten, IndexRow, IndexSink, NamespaceStats,
    NewVectors, Store, Unembedded, Version,
};
use crate::{
    error::StoreError,
    types::{
        ConversationId, CueId, Draft, EncoderId, Kind, Memory, MemoryId, Namespace, Scope, Seq, SessionId, Vectors,
    },
};

/// Staged vectors by the namespace they belong to.
type Staged = HashMap<(Namespace, EncoderId, Fingerprint), Vec<f32>>;

/// Keeps memories in this process only.
///
/// Meant for tests and small histories.
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
        // What may fail is tried before anything is changed below: a panic
        // elsewhere while the lock was held left no half of a change.
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_tenant(&self) -> Tenant {
        // A namespace that was forgotten and made again must not repeat an old version.
        Tenant::of_epoch(self.made.fetch_add(1, Ordering::Relaxed) << 32)
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
        let fresh = self.new_tenant();
        let mut appending = Appending::start(tenants.get(namespace).unwrap_or(&fresh), namespace);
        let mut staged = self.staging();
        let mut fates = Vec::with_capacity(batch.drafts.len());
        for (i, draft) in batch.drafts.iter().enumerate() {
            let fate = appending.add(draft)?;
            if matches!(fate, Fate::Added(_)) {
                match batch.vectors {
                    NewVectors::None => {}
                    NewVectors::Given { encoder, vectors } => {
                        if let Some(vector) = vectors.get(i).copied().flatten() {
                            appending.add_vector(encoder, vector)?;
                        }
                    }
                    NewVectors::Staged { encoder, fingerprints } => {
                        if let Some(print) = fingerprints.get(i).copied().flatten() {
                            let vector = staged
                                .get(&(namespace.clone(), encoder.clone(), print))
                                .ok_or_else(|| StoreError::Unstaged { encoder: encoder.clone() })?;
                            appending.add_vector(encoder, vector)?;
                        }
                    }
                }
            }
            fates.push(fate);
        }
        let addition = appending.finish();
        if let NewVectors::Staged { encoder, fingerprints } = batch.vectors {
            for print in fingerprints.iter().flatten() {
                staged.remove(&(namespace.clone(), encoder.clone(), *print));
            }
        }
        tenants.entry(namespace.clone()).or_insert(fresh).append(addition);
        Ok(fates)
    }

    fn serving(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| tenant.serving.clone()))
    }

    fn serve(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(0) };
        let missing = tenant.unembedded(encoder, audience, Seq(0)).count() as u64;
        if missing == 0 && tenant.serving.as_ref() != Some(encoder) {
            tenant.serving = Some(encoder.clone());
            tenant.snapshots.clear();
            tenant.epoch += 1;
        }
        Ok(missing)
    }

    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError> {
        self.read(namespace, |_| ())?;
        let mut tenants = self.tenants();
        let Some(tenant) = tenants.get_mut(namespace) else { return Ok(0) };
        let Tenant { vectors, serving, cues, .. } = tenant;
        let idle_cues = cues.drop_idle(serving.as_ref());
        let idle = vectors.iter().filter(|(encoder, _)| serving.as_ref() != Some(encoder));
        let idle_vectors = idle.map(|(_, vectors)| vectors.len() as u64).sum::<u64>();
        vectors.retain(|encoder, _| serving.as_ref() == Some(encoder));
        self.staging().retain(|(owner, encoder, _), _| owner != namespace || serving.as_ref() == Some(encoder));
        Ok(idle_vectors + idle_cues)
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
            let (after, after_cue) = match since.filter(|since| since.epoch == version.epoch) {
                Some(since) => (since.last, since.cues),
                None => {
                    sink.reset();
                    (Seq(0), CueId(0))
                }
            };
            for memory in tenant.after(after) {
                let vector = encoder.and_then(|encoder| tenant.vector(encoder, memory.seq));
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
                    vector,
                })?;
            }
            tenant.cues.feed(encoder, after_cue, sink)?;
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
        Ok(self.read_or_empty(namespace, |tenant| match &address.conversation {
            None => tenant.find_all(&address.id).into_iter().cloned().collect(),
            some => tenant.find(&address.id, some.as_ref()).cloned().into_iter().collect(),
        }))
    }

    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Memory>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| {
            let Some(center) = tenant.memories.get(&seq) else { return Vec::new() };
            let Some(session) = tenant.session_of(center) else { return vec![center.clone()] };
            let earlier = session.range(..seq).rev().take(before as usize);
            let mut places: Vec<&Seq> = earlier.collect();
            places.reverse();
            places.extend(session.range(seq..).take(after as usize + 1));
            places.into_iter().filter_map(|place| tenant.memories.get(place).cloned()).collect()
        }))
    }

    fn conversations_with(
        &self,
        namespace: &Namespace,
        session: &SessionId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| tenant.conversations_with(session)))
    }

    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let memories = self.read(namespace, |tenant| {
            let mut memories: Vec<Memory> = tenant.within(scope).cloned().collect();
            memories.sort_by_cached_key(tenant.order());
            memories
        })?;
        memories.into_iter().try_for_each(visit)
    }

    fn vectors(&self, namespace: &Namespace, encoder: &EncoderId, places: &[Seq]) -> Result<Vectors, StoreError> {
        self.read(namespace, |tenant| {
            let mut data = Vec::new();
            let mut dim = 1;
            for seq in places {
                let vector = tenant.vector(encoder, *seq).ok_or_else(|| StoreError::Damaged {
                    location: self.location(),
                    found: format!("memory {} has lost its vector by {encoder}", seq.0),
                })?;
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
                .unembedded(encoder, audience, after)
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
                tenant.vectors.entry(encoder.clone()).or_default().insert(*seq, vector.to_vec());
            }
        }
        tenant.epoch += u64::from(tenant.serving.as_ref() == Some(encoder));
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
        for memory in tenant.remove(&seqs) {
            match memory.kind {
                Kind::Turn => forgotten.turns += 1,
                Kind::Note => forgotten.notes += 1,
            }
        }
        for vectors in tenant.vectors.values_mut() {
            forgotten.vectors += seqs.iter().filter_map(|seq| vectors.remove(seq)).count() as u64;
        }
        let cues = tenant.cues.remove(&seqs);
        forgotten.vectors += cues.vectors;
        forgotten.cues = cues.questions;
        forgotten.sessions = sessions - tenant.sessions();
        forgotten.conversations = conversations - tenant.conversations();
        tenant.snapshots.clear();
        let mut staged = self.staging();
        forgotten.staged = staged.len() as u64;
        staged.retain(|(owner, _, _), _| owner != namespace);
        forgotten.staged -= staged.len() as u64;
        tenant.epoch += 1;
        if matches!(doomed, Doomed::Within(scope) if scope.is_everything()) {
            tenants.remove(namespace);
        }
        Ok(forgotten)
    }

    fn erasure(&self) -> Result<Erasure, StoreError> {
        Ok(Erasure::Complete)
    }

    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError> {
        let staged = self.staging().keys().filter(|(owner, _, _)| owner == namespace).count() as u64;
        self.read(namespace, |tenant| {
            let vectors = tenant.vectors.iter().filter(|(_, vectors)| !vectors.is_empty());
            let vectors = vectors.map(|(encoder, vectors)| (encoder.to_string(), vectors.len() as u64)).collect();
            let turns = tenant.memories.values().filter(|memory| memory.kind == Kind::Turn).count() as u64;
            NamespaceStats {
                conversations: tenant.conversations(),
                sessions: tenant.sessions(),
                turns,
                notes: tenant.memories.len() as u64 - turns,
                vectors,
                serving: tenant.serving.clone(),
                staged,
                first: tenant.memories.values().filter_map(|memory| memory.said_at).min(),
                last: tenant.memories.values().filter_map(|memory| memory.said_at).max(),
            }
        })
    }

    fn snapshot(&self, namespace: &Namespace, index: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.read_or_empty(namespace, |tenant| tenant.snapshots.get(index).cloned()))
    }

    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        index: &str,
        version: Version,
        snapshot: &[u8],
    ) -> Result<(), StoreError> {
        if let Some(tenant) = self.tenants().get_mut(namespace).filter(|tenant| tenant.epoch == version.epoch) {
            tenant.snapshots.insert(index.to_owned(), snapshot.to_vec());
        }
        Ok(())
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
        self.tenants().entry(namespace.clone()).or_insert_with(|| self.new_tenant());
        let mut staged = self.staging();
        for (print, vector) in vectors {
            staged.insert((namespace.clone(), encoder.clone(), *print), vector.to_vec());
        }
        Ok(())
    }
}
