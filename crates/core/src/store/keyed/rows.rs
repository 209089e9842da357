//! What a backend of keys and rows implements.

use std::{borrow::Cow, ops::ControlFlow};

use super::key::{Key, Row};
use crate::{
    error::StoreError,
    store::{tables::NamespaceState, version::Version},
    types::{CueId, Seq},
};

/// The rows of one namespace, in one transaction.
pub trait KeyedRows {
    /// The row under a key.
    ///
    /// # Errors
    /// When the backend fails.
    fn get(&self, key: &Key) -> Result<Option<Cow<'_, Row>>, StoreError>;

    /// Visits rows in order of their keys, from `first` on, until the visitor breaks.
    ///
    /// # Errors
    /// What the visitor answers, or when the backend fails.
    #[allow(clippy::type_complexity, reason = "a visitor is easier to read in place")]
    fn scan(
        &self,
        first: &Key,
        visit: &mut dyn FnMut(&Key, &Row) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError>;

    /// Keeps a row, in the place of what is under its key.
    ///
    /// # Errors
    /// When the backend fails.
    fn put(&mut self, key: Key, row: Row) -> Result<(), StoreError>;

    /// Deletes the row under a key, if there is one.
    ///
    /// # Errors
    /// When the backend fails.
    fn delete(&mut self, key: &Key) -> Result<(), StoreError>;
}

/// Writes the row of a new namespace.
///
/// A namespace that was forgotten and made again must not repeat an old version: `epoch` is one that no namespace of that
/// name had before, nor may come to by counting from the epoch of another.
///
/// # Errors
/// When the backend fails.
pub fn make_namespace(rows: &mut impl KeyedRows, epoch: u64) -> Result<(), StoreError> {
    let version = Version { epoch, last: Seq(0), cues: CueId(0), removed: 0 };
    rows.put(Key::State, Row::State(NamespaceState { version, active_encoder: None, floor: 0, notes: 0 }))
}

/// The row under a key, read as one kind of row.
pub(super) fn get<T>(
    rows: &(impl KeyedRows + ?Sized),
    key: &Key,
    read: impl FnOnce(Cow<'_, Row>) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    Ok(rows.get(key)?.and_then(read))
}

/// Whether there is a row under a key.
pub(super) fn has(rows: &(impl KeyedRows + ?Sized), key: &Key) -> Result<bool, StoreError> {
    Ok(rows.get(key)?.is_some())
}

/// Visits the rows from `first` on as long as `read` takes their keys.
pub(super) fn each<K>(
    rows: &(impl KeyedRows + ?Sized),
    first: &Key,
    read: impl Fn(&Key) -> Option<K>,
    mut visit: impl FnMut(K, &Row) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    rows.scan(first, &mut |key, row| match read(key) {
        Some(key) => visit(key, row),
        None => Ok(ControlFlow::Break(())),
    })
}

/// The keys from `first` on as long as `read` takes them.
pub(super) fn keys<K>(
    rows: &(impl KeyedRows + ?Sized),
    first: &Key,
    read: impl Fn(&Key) -> Option<K>,
) -> Result<Vec<K>, StoreError> {
    let mut found = Vec::new();
    each(rows, first, read, |key, _| {
        found.push(key);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Deletes the rows under some keys; says how many keys there were.
pub(super) fn delete_all(
    rows: &mut (impl KeyedRows + ?Sized),
    keys: impl IntoIterator<Item = Key>,
) -> Result<u64, StoreError> {
    let mut count = 0;
    for key in keys {
        rows.delete(&key)?;
        count += 1;
    }
    Ok(count)
}
