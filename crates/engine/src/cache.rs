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
    store::{IndexSink, Store},
    types::Namespace,
};

/// A snapshot is kept when it would save the next process reading this many rows,
const WORTH_KEEPING: usize = 512;
/// or this share of them, whichever is more.
const WORTH_KEEPING_SHARE: f64 = 0.05;

type Key = (Namespace, IndexSpec);

struct Held {
    index: RwLock<Index>,
    bytes: AtomicUsize,
    used: AtomicU64,
    /// Rows in the snapshot the store has.
    kept: AtomicUsize,
}

/// Indexes by namespace and kind; the least recently used goes first.
pub(crate) struct IndexCache {
    budget: usize,
    clock: AtomicU64,
    held: Mutex<HashMap<Key, Arc<Held>>>,
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
        self.shrink();
        Ok(result)
    }

    /// Drops what is held of a namespace.
    pub(crate) fn drop_namespace(&self, namespace: &Namespace) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).retain(|(name, _), _| name != namespace);
    }

    /// Bytes held, approximately.
    pub(crate) fn bytes(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.values().map(|held| held.bytes.load(Ordering::Relaxed)).sum()
    }

    fn hold(&self, namespace: &Namespace, spec: &IndexSpec, dim: usize) -> Arc<Held> {
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = all.entry((namespace.clone(), spec.clone())).or_insert_with(|| {
            Arc::new(Held {
                index: RwLock::new(Index::new(spec.clone(), dim)),
                bytes: AtomicUsize::new(0),
                used: AtomicU64::new(0),
                kept: AtomicUsize::new(0),
            })
        });
        held.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Arc::clone(held)
    }

    fn shrink(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: usize = held.values().map(|held| held.bytes.load(Ordering::Relaxed)).sum();
        while bytes > self.budget {
            let oldest = held.iter().min_by_key(|(_, held)| held.used.load(Ordering::Relaxed));
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            if let Some(gone) = held.remove(&key) {
                bytes -= gone.bytes.load(Ordering::Relaxed);
            }
        }
    }
}

fn refresh(store: &dyn Store, namespace: &Namespace, held: &Held, index: &mut Index) -> Result<(), StoreError> {
    if index.version().is_none() {
        let key = index.spec().key();
        // A snapshot that cannot be read costs time, nothing else: the rows have everything.
        if let Some(Ok(kept)) =
            store.snapshot(namespace, &key)?.map(|bytes| Index::from_snapshot(index.spec().clone(), &bytes))
        {
            *index = kept;
            held.kept.store(index.rows(), Ordering::Relaxed);
        }
    }
    let since = index.version();
    let encoder = index.spec().encoder.clone();
    match store.catch_up(namespace, encoder.as_ref(), since, index) {
        Ok(version) => index.set_version(version),
        Err(error) => {
            // Rows may have been taken already; a second catch-up would take them twice.
            index.reset();
            return Err(error);
        }
    }
    held.bytes.store(index.heap_bytes(), Ordering::Relaxed);
    keep_if_worth_it(store, namespace, held, index);
    Ok(())
}

fn keep_if_worth_it(store: &dyn Store, namespace: &Namespace, held: &Held, index: &Index) {
    let rows = index.rows();
    let kept = held.kept.load(Ordering::Relaxed);
    let unkept = if kept > rows { rows } else { rows - kept };
    if unkept < WORTH_KEEPING.max((rows as f64 * WORTH_KEEPING_SHARE) as usize) {
        return;
    }
    if let (Some(version), Some(snapshot)) = (index.version(), index.to_snapshot()) {
        // A store that cannot be written to still answers; the next process reads the rows.
        if store.keep_snapshot(namespace, &index.spec().key(), version, &snapshot).is_ok() {
            held.kept.store(rows, Ordering::Relaxed);
        }
    }
}
