//! Derived indexes held in memory, within a budget.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use aforesaid_core::{
    StoreError,
    index::{Index, IndexSpec},
    store::{IndexSink, Segment, SnapshotOutcome, Store},
    types::Namespace,
};

/// Segments are kept when they would save the next process reading this many rows.
const WORTH_KEEPING: usize = 512;

/// Bytes of segments that are kept in one transaction, more or less: others may write between two.
const AT_ONCE: usize = 4 << 20;

/// Bytes that an index holds of a turn of 20 words beside its vector, of which it holds a byte a component where turns are
/// many; an estimate, to tell namespaces that cannot be held.
const BYTES_A_MEMORY: usize = 300;

type Key = (Namespace, IndexSpec);

struct HeldIndex {
    index: RwLock<Index>,
    bytes: AtomicUsize,
    used: AtomicU64,
}

/// Indexes by namespace and kind; the least recently used goes first.
pub(crate) struct IndexCache {
    budget: usize,
    clock: AtomicU64,
    held: Mutex<HashMap<Key, Arc<HeldIndex>>>,
}

impl IndexCache {
    /// Holds up to `budget` bytes; an index above it serves its search and goes.
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, clock: AtomicU64::new(0), held: Mutex::default() }
    }

    /// Runs `work` on an index that reflects every write finished before the call.
    pub(crate) fn with<T>(
        &self,
        store: &dyn Store,
        namespace: &Namespace,
        spec: &IndexSpec,
        dim: usize,
        work: impl FnOnce(&Index) -> T,
    ) -> Result<T, StoreError> {
        let held = self.hold(namespace, spec, dim);
        let current = store.version(namespace)?;
        let stale = {
            let index = held.index.read().unwrap_or_else(PoisonError::into_inner);
            index.version().is_none() || index.version() != current
        };
        if stale {
            let mut index = held.index.write().unwrap_or_else(PoisonError::into_inner);
            refresh(store, namespace, &held, &mut index)?;
        }
        let index = held.index.read().unwrap_or_else(PoisonError::into_inner);
        let result = work(&index);
        drop(index);
        self.shrink(store);
        Ok(result)
    }

    /// Runs `work` on an index and a view of the store that is at the same version, and stays there; no other thread gets
    /// at the index meanwhile.
    pub(crate) fn with_steady<T>(
        &self,
        store: &dyn Store,
        namespace: &Namespace,
        spec: &IndexSpec,
        dim: usize,
        work: impl FnOnce(&dyn Store, &Index) -> T,
    ) -> Result<(Box<dyn Store>, T), StoreError> {
        let held = self.hold(namespace, spec, dim);
        // SegmentUse first: an index is never ahead of a view that is made later.
        let mut index = held.index.write().unwrap_or_else(PoisonError::into_inner);
        let view = store.steady()?;
        refresh(&*view, namespace, &held, &mut index)?;
        let result = work(&*view, &index);
        drop(index);
        self.shrink(store);
        Ok((view, result))
    }

    /// Takes what a store has lost out of the indexes held of a namespace, or drops those where that is not done at once.
    pub(crate) fn take_out(&self, store: &dyn Store, namespace: &Namespace) {
        let all: Vec<(Key, Arc<HeldIndex>)> = {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            let of = held.iter().filter(|((name, _), _)| name == namespace);
            of.map(|(key, held)| (key.clone(), Arc::clone(held))).collect()
        };
        for (key, held) in all {
            let mut index = held.index.write().unwrap_or_else(PoisonError::into_inner);
            if take_out(store, namespace, &mut index) {
                held.bytes.store(index.heap_bytes(), Ordering::Relaxed);
                continue;
            }
            // Another thread may hold it still: what is gone goes now.
            index.reset();
            self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        }
    }

    /// Keeps what the next process would have to read, where it is worth it, and as long as nobody else is writing.
    pub(crate) fn keep(&self, store: &dyn Store) {
        let all: Vec<(Key, Arc<HeldIndex>)> = {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.iter().map(|(key, held)| (key.clone(), Arc::clone(held))).collect()
        };
        all.into_iter().for_each(|((namespace, _), held)| keep(store, &namespace, &held));
    }

    /// Memories of a namespace whose index fits into the budget, with vectors of so many components.
    pub(crate) fn fits(&self, dim: usize) -> u64 {
        (self.budget / (BYTES_A_MEMORY + dim)) as u64
    }

    /// Bytes held, approximately.
    pub(crate) fn bytes(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.values().map(|held| held.bytes.load(Ordering::Relaxed)).sum()
    }

    fn hold(&self, namespace: &Namespace, spec: &IndexSpec, dim: usize) -> Arc<HeldIndex> {
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.entry((namespace.clone(), spec.clone())).or_insert_with(|| {
            Arc::new(HeldIndex {
                index: RwLock::new(Index::new(spec.clone(), dim)),
                bytes: AtomicUsize::new(0),
                used: AtomicU64::new(0),
            })
        });
        held.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Arc::clone(held)
    }

    fn shrink(&self, store: &dyn Store) {
        for ((namespace, _), gone) in self.surplus() {
            keep(store, &namespace, &gone);
        }
    }

    /// Takes out what is too much to hold.
    fn surplus(&self) -> Vec<(Key, Arc<HeldIndex>)> {
        let mut surplus = Vec::new();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: usize = held.values().map(|held| held.bytes.load(Ordering::Relaxed)).sum();
        while bytes > self.budget {
            let oldest = held.iter().min_by_key(|(_, held)| held.used.load(Ordering::Relaxed));
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            if let Some(gone) = held.remove(&key) {
                bytes -= gone.bytes.load(Ordering::Relaxed);
                surplus.push((key, gone));
            }
        }
        surplus
    }
}

fn refresh(store: &dyn Store, namespace: &Namespace, held: &HeldIndex, index: &mut Index) -> Result<(), StoreError> {
    follow(store, namespace, index)?;
    if index.is_needlessly_coded() {
        index.start_over();
        follow(store, namespace, index)?;
    }
    held.bytes.store(index.heap_bytes(), Ordering::Relaxed);
    Ok(())
}

fn follow(store: &dyn Store, namespace: &Namespace, index: &mut Index) -> Result<(), StoreError> {
    let (since, encoder) = (index.version(), index.spec().encoder.clone());
    match store.catch_up(namespace, encoder.as_ref(), since, index) {
        Ok(version) => {
            index.set_version(version);
            Ok(())
        }
        Err(error) => {
            // Rows may have been taken already; a second catch-up would take them twice.
            index.reset();
            Err(error)
        }
    }
}

/// Takes what a store has lost out of an index; says whether it could without making it anew.
fn take_out(store: &dyn Store, namespace: &Namespace, index: &mut Index) -> bool {
    let Some(before) = index.version() else { return true };
    let Ok(Some(now)) = store.version(namespace) else { return false };
    before.epoch == now.epoch && follow(store, namespace, index).is_ok() && !index.is_needlessly_coded()
}

fn keep(store: &dyn Store, namespace: &Namespace, held: &HeldIndex) {
    let name = {
        let index = held.index.read().unwrap_or_else(PoisonError::into_inner);
        if index.unkept_rows() < WORTH_KEEPING {
            return;
        }
        index.spec().snapshot_name()
    };
    loop {
        let (version, segments) = {
            let index = held.index.read().unwrap_or_else(PoisonError::into_inner);
            let Some(version) = index.version() else { return };
            (version, some_of(index.unkept_segments()))
        };
        // A store that cannot be written to still answers; the next process reads the rows.
        match store.keep_snapshot(namespace, &name, version, &segments) {
            Ok(SnapshotOutcome::Yes) if !segments.is_empty() => {}
            _ => return,
        }
        let mut index = held.index.write().unwrap_or_else(PoisonError::into_inner);
        if !index.set_kept(version, &segments) {
            return;
        }
    }
}

fn some_of(segments: impl Iterator<Item = Segment>) -> Vec<Segment> {
    let mut bytes = 0;
    let enough = |segment: &Segment| {
        let fits = bytes < AT_ONCE;
        bytes += segment.bytes.len();
        fits
    };
    segments.take_while(enough).collect()
}

#[cfg(test)]
mod tests {
    use aforesaid_core::{
        analysis::Analyzer,
        store::{Batch, DeleteTarget, InMemoryStore, NewVectors, WindowRef},
        types::{ConversationId, Draft, EncoderId, Scope, Seq, SessionId, Turn, VectorSet},
    };

    use super::*;

    fn turn(text: &str) -> Draft {
        Draft::Turn(Turn::new(ConversationId::new("c").unwrap(), SessionId::new("s").unwrap(), "Ann", text))
    }

    #[test]
    fn a_steady_index_and_its_view_are_of_one_state_whatever_others_do() {
        let store = InMemoryStore::new();
        let (namespace, encoder) = (Namespace::new("me").unwrap(), EncoderId::new("test@1").unwrap());
        let drafts = ["one", "two", "three"].map(turn);
        let vectors =
            NewVectors::Given { set: VectorSet { encoder: &encoder, dim: 2 }, vectors: &[Some(&[1.0, 0.0][..]); 3] };
        store.append(&namespace, Batch { drafts: &drafts, vectors }).unwrap();
        let cache = IndexCache::new(1 << 20);
        let spec = IndexSpec { analyzer: Analyzer::English, encoder: Some(encoder.clone()) };
        cache.with(&store, &namespace, &spec, 2, |index| assert_eq!(index.documents().len(), 3)).unwrap();
        store.forget(&namespace, &DeleteTarget::One(Seq(1))).unwrap();
        let (view, ()) = cache
            .with_steady(&store, &namespace, &spec, 2, |view, index| {
                store.forget(&namespace, &DeleteTarget::One(Seq(2))).unwrap();
                let at = index.version().unwrap();
                let windows = [2, 3].map(|seq| WindowRef::first(Seq(seq)));
                assert_eq!((index.documents().len(), view.version(&namespace).unwrap()), (2, Some(at)));
                assert!(view.vectors(&namespace, &encoder, &windows, at).is_ok());
                assert!(store.vectors(&namespace, &encoder, &windows, at).is_err());
            })
            .unwrap();
        assert_eq!(view.fetch(&namespace, &[Seq(2)]).unwrap().len(), 1, "it stands still for what comes after");
        cache.with(&store, &namespace, &spec, 2, |index| assert_eq!(index.documents().len(), 1)).unwrap();
    }

    #[test]
    fn what_is_gone_leaves_the_memory_of_the_process_at_once() {
        let store = InMemoryStore::new();
        let namespace = Namespace::new("me").unwrap();
        store.append(&namespace, Batch::of(&["a kite", "xyzzyplugh"].map(turn))).unwrap();
        let cache = IndexCache::new(1 << 20);
        let spec = IndexSpec { analyzer: Analyzer::English, encoder: None };
        cache.with(&store, &namespace, &spec, 1, |_| ()).unwrap();
        let held = cache.hold(&namespace, &spec, 1);
        let knows = || held.index.read().unwrap().postings().number_of("xyzzyplugh").is_some();
        assert!(knows());
        store.forget(&namespace, &DeleteTarget::One(Seq(2))).unwrap();
        cache.take_out(&store, &namespace);
        assert!(!knows() && cache.bytes() > 0, "the rest is held still");
        store.forget(&namespace, &DeleteTarget::Within(Scope::default())).unwrap();
        cache.take_out(&store, &namespace);
        assert_eq!((cache.bytes(), held.index.read().unwrap().documents().len()), (0, 0));
    }
}
