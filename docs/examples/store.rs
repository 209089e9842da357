//! A store of your own, in a hundred lines: an append-only log of rows.
//!
//! A store does not decide anything about memories. Which draft is which memory, which ids are given, which encoder is
//! active, what a search index is told: all of that is written once, in `aforesaid_core`. A store keeps rows. Whoever
//! implements the trait `Backend` has a `Store`, and there are two ways to do it:
//!
//! - Over SQL: implement the traits of `aforesaid_core::store::tables`, each operation as a statement.
//! - Over anything that keeps values under keys: implement the four methods of `KeyedRows`, as here.
//!
//! The rows of this one are a `Vec` that only grows. The last entry under a key counts, a deletion is an entry too, and a
//! transaction that fails is undone by cutting the log to its former length. It is no store to use: every look reads the
//! whole log, and what is forgotten stays in it. `crates/core/tests/store_example.rs` runs the suite over it that every
//! store must pass.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use aforesaid_core::{
    StoreError,
    store::{
        Backend, Change, Erasure, MissingNamespace, Store, View, Written,
        keyed::{Key, KeyedRows, Row, make_namespace},
        tables::Tables,
    },
    types::Namespace,
};

/// The rows of one namespace, as they were written: a key with its row, or with none where it was deleted.
#[derive(Debug, Clone, Default)]
struct Log(Vec<(Key, Option<Row>)>);

impl KeyedRows for Log {
    fn get(&self, key: &Key) -> Result<Option<Cow<'_, Row>>, StoreError> {
        let last = self.0.iter().rev().find(|(written, _)| written == key);
        Ok(last.and_then(|(_, row)| row.as_ref()).map(Cow::Borrowed))
    }

    fn scan(
        &self,
        first: &Key,
        visit: &mut dyn FnMut(&Key, &Row) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let entries = self.0.iter().filter(|(key, _)| key >= first);
        let current: BTreeMap<&Key, Option<&Row>> = entries.map(|(key, row)| (key, row.as_ref())).collect();
        for (key, row) in current {
            if let Some(row) = row
                && visit(key, row)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }

    fn put(&mut self, key: Key, row: Row) -> Result<(), StoreError> {
        self.0.push((key, Some(row)));
        Ok(())
    }

    fn delete(&mut self, key: &Key) -> Result<(), StoreError> {
        self.0.push((key.clone(), None));
        Ok(())
    }
}

/// Logs by namespace.
#[derive(Debug, Default)]
pub struct LogStore {
    logs: Mutex<BTreeMap<Namespace, Log>>,
    /// How many namespaces were made, so that each begins at an epoch of its own.
    made: AtomicU64,
}

impl LogStore {
    fn logs(&self) -> MutexGuard<'_, BTreeMap<Namespace, Log>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for LogStore {
    fn location(&self) -> String {
        "log:".to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        Ok(self.logs().keys().cloned().collect())
    }

    fn read<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        // A copy, so that `work` may use the store again.
        let log = self.logs().get(view.namespace).cloned();
        log.map(|log| work(&log)).transpose()
    }

    fn write<T>(
        &self,
        change: Change<'_>,
        mut work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        let mut logs = self.logs();
        if !logs.contains_key(change.namespace) && change.missing == MissingNamespace::Report {
            return Ok(Written::NoNamespace);
        }
        let log = logs.entry(change.namespace.clone()).or_default();
        let before = log.0.len();
        if before == 0 {
            make_namespace(log, self.made.fetch_add(1, Ordering::Relaxed) << 32)?;
        }
        let done = work(log);
        if done.is_err() {
            log.0.truncate(before);
        }
        // A namespace is there as long as this row is.
        if log.get(&Key::State)?.is_none() {
            logs.remove(change.namespace);
        }
        Ok(Written::Kept(done?, Erasure::Complete))
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(Self { logs: Mutex::new(self.logs().clone()), ..Self::default() }))
    }
}
