//! A store that ends with the process.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    backend::{Backend, Change, MissingNamespace, View, Written},
    contract::Store,
    deletion::Erasure,
    keyed::{Key, KeyedRows, Row, make_namespace},
    tables::Tables,
};
use crate::{error::StoreError, types::Namespace};

/// Keeps memories in this process only.
///
/// Meant for tests and small histories.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    namespaces: Mutex<BTreeMap<Namespace, Arc<Table>>>,
    made: AtomicU64,
}

/// The rows of a namespace. Values are shared with the views that are held of it.
type Table = BTreeMap<Key, Arc<Row>>;

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Namespace, Arc<Table>>> {
        // A panic leaves no half of a change; see [`Transaction`].
        self.namespaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new namespace, of an epoch far from those of all others.
    fn new_table(&self) -> Result<Arc<Table>, StoreError> {
        let mut rows = Rows::of(Arc::default());
        make_namespace(&mut rows, self.made.fetch_add(1, Ordering::Relaxed) << 32)?;
        Ok(rows.table)
    }
}

impl Backend for InMemoryStore {
    fn location(&self) -> String {
        "memory:".to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        Ok(self.lock().keys().cloned().collect())
    }

    fn read<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let table = self.lock().get(view.namespace).cloned();
        table.map(|table| work(&Rows::of(table))).transpose()
    }

    fn write<T>(
        &self,
        change: Change<'_>,
        mut work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        let mut namespaces = self.lock();
        let before = match (namespaces.remove(change.namespace), change.missing) {
            (Some(table), _) => Some(table),
            (None, MissingNamespace::Make) => None,
            (None, MissingNamespace::Report) => return Ok(Written::NoNamespace),
        };
        let is_new = before.is_none();
        let rows = Rows::of(before.map_or_else(|| self.new_table(), Ok)?);
        let mut transaction = Transaction { namespaces, namespace: change.namespace, rows, is_new, is_kept: false };
        let done = work(&mut transaction.rows)?;
        transaction.is_kept = true;
        Ok(Written::Kept(done, Erasure::Complete))
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(Self { namespaces: Mutex::new(self.lock().clone()), ..Self::default() }))
    }
}

/// A change under way. When it ends, also by a panic, its namespace is back: changed, or as it was before.
struct Transaction<'a> {
    namespaces: MutexGuard<'a, BTreeMap<Namespace, Arc<Table>>>,
    namespace: &'a Namespace,
    rows: Rows,
    /// Whether the namespace was made for this change.
    is_new: bool,
    /// Whether the change is kept.
    is_kept: bool,
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.rows.undo();
        }
        let is_there = self.rows.table.contains_key(&Key::State);
        if is_there && (self.is_kept || !self.is_new) {
            self.namespaces.insert(self.namespace.clone(), std::mem::take(&mut self.rows.table));
        }
    }
}

/// The rows of a view, or of a change with what undoes it.
struct Rows {
    /// Copied by the first change where a view is held of it.
    table: Arc<Table>,
    /// Keys that were written, each with what was under it before.
    undo: Vec<(Key, Option<Arc<Row>>)>,
}

impl Rows {
    fn of(table: Arc<Table>) -> Self {
        Self { table, undo: Vec::new() }
    }

    /// Makes the table what it was before.
    fn undo(&mut self) {
        let table = Arc::make_mut(&mut self.table);
        for (key, row) in self.undo.drain(..).rev() {
            match row {
                Some(row) => table.insert(key, row),
                None => table.remove(&key),
            };
        }
    }
}

impl KeyedRows for Rows {
    fn get(&self, key: &Key) -> Result<Option<Cow<'_, Row>>, StoreError> {
        Ok(self.table.get(key).map(|row| Cow::Borrowed(&**row)))
    }

    fn scan(
        &self,
        first: &Key,
        visit: &mut dyn FnMut(&Key, &Row) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        for (key, row) in self.table.range(first..) {
            if visit(key, row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn put(&mut self, key: Key, row: Row) -> Result<(), StoreError> {
        let before = Arc::make_mut(&mut self.table).insert(key.clone(), Arc::new(row));
        self.undo.push((key, before));
        Ok(())
    }

    fn delete(&mut self, key: &Key) -> Result<(), StoreError> {
        if let Some(before) = Arc::make_mut(&mut self.table).remove(key) {
            self.undo.push((key.clone(), Some(before)));
        }
        Ok(())
    }
}
