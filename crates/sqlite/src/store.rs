//! The backend: namespaces in one file, over connections of a pool.

use std::{path::Path, sync::atomic::AtomicBool, time::Duration};

use aforesaid_core::{
    StoreError,
    store::{
        BackedUp, Backend, Change, ChangeKind, CheckDepth, Erasure, Existing, Extent, Finding, MissingNamespace,
        Salvaged, Store, View, Written, tables::Tables,
    },
    types::{Namespace, Record},
};
use rusqlite::{Connection, Transaction};

use crate::{
    backup, check,
    connection::{Access, BUSY, Pool, UncleanEnd},
    erasure,
    errors::Context,
    place::Creation,
    tables::{NamespaceTables, namespaces},
    transaction,
};

/// Memories in one SQLite file.
pub struct SqliteStore {
    pool: Pool,
}

impl SqliteStore {
    /// Opens a store, and brings an older one to this version.
    ///
    /// # Errors
    /// When the path is no store, cannot be used, or comes from a newer version.
    pub fn open(path: impl AsRef<Path>, creation: Creation) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::open(path.as_ref(), creation, UncleanEnd::Checked)? })
    }

    /// Opens a store to look for damage in it or to save what can be read: what would keep others from opening it does not.
    ///
    /// # Errors
    /// When the path is no store, cannot be used, or comes from a newer version.
    pub fn inspect(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::open(path.as_ref(), Creation::Forbidden, UncleanEnd::Ignored)? })
    }

    /// Opens a store that may not grow above `pages` pages, to see what happens when a disk is full.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_limited(path: impl AsRef<Path>, pages: u32) -> Result<Self, StoreError> {
        let store = Self::open(path, Creation::Forbidden)?;
        let context = store.context("limit the store");
        store.pool.with(|connection| context.run(connection.pragma_update(None, "max_page_count", pages)))?;
        Ok(store)
    }

    fn context(&self, action: &'static str) -> Context<'_> {
        Context::new(self.pool.location(), action)
    }
}

/// Runs `work` on the namespace of a change, in its transaction; `None` where there is no such namespace.
fn change_namespace<T>(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    change: Change<'_>,
    work: impl FnOnce(&mut dyn Tables) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let tables = match change.missing {
        MissingNamespace::Make => Some(NamespaceTables::open_or_make(transaction, context, change.namespace)?),
        MissingNamespace::Report => NamespaceTables::open(transaction, context, change.namespace)?,
    };
    tables.map(|mut tables| work(&mut tables)).transpose()
}

/// Deletes from a namespace, and has what went leave no bytes in any file; says how far that has come.
fn erase<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<Option<T>, StoreError>,
) -> Result<Option<(T, Erasure)>, StoreError> {
    let deleted = transaction::write(connection, context, |transaction| {
        let deleted = work(transaction)?;
        if deleted.is_some() {
            erasure::begin(transaction, context)?;
        }
        Ok(deleted)
    })?;
    // What is deleted is deleted: the rest is finished later where it fails now.
    let erasure = || erasure::end(connection, context).unwrap_or(Erasure::Pending);
    Ok(deleted.map(|deleted| (deleted, erasure())))
}

/// Writes what survives a crash.
fn write<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<Option<T>, StoreError>,
) -> Result<Written<T>, StoreError> {
    transaction::write(connection, context, work).map(kept)
}

/// Writes unless another connection is writing.
fn write_if_idle<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<Option<T>, StoreError>,
) -> Result<Written<T>, StoreError> {
    context.run(connection.busy_timeout(Duration::ZERO))?;
    let written = transaction::write_if_idle(connection, context, work);
    context.run(connection.busy_timeout(BUSY))?;
    Ok(written?.map_or(Written::Busy, kept))
}

fn kept<T>(done: Option<T>) -> Written<T> {
    done.map_or(Written::NoNamespace, |done| Written::Kept(done, Erasure::Complete))
}

impl Backend for SqliteStore {
    fn location(&self) -> String {
        self.pool.location().to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        self.pool.with(|connection| namespaces(connection, self.context("list namespaces")))
    }

    fn read<T>(
        &self,
        view: View<'_>,
        work: impl FnOnce(&dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let context = self.context(view.action);
        let read = |connection: &mut Connection| {
            transaction::read(connection, context, |connection| {
                let tables = NamespaceTables::open(connection, context, view.namespace)?;
                tables.map(|tables| work(&tables)).transpose()
            })
        };
        match view.extent {
            Extent::Rows => self.pool.with(read),
            Extent::Everything => self.pool.with_unmapped(context, read),
        }
    }

    fn write<T>(
        &self,
        change: Change<'_>,
        work: impl FnMut(&mut dyn Tables) -> Result<T, StoreError>,
    ) -> Result<Written<T>, StoreError> {
        let context = self.context(change.action);
        let work = |transaction: &Transaction<'_>| change_namespace(transaction, context, change, work);
        let pool = &self.pool;
        match change.kind {
            ChangeKind::Lasting => pool.with(|connection| write(connection, context, work)),
            ChangeKind::TakesStaged => pool.with_unmapped(context, |connection| write(connection, context, work)),
            ChangeKind::SavesWork => pool.with_cached_writes(context, |connection| write(connection, context, work)),
            ChangeKind::SavesWorkIfIdle => {
                pool.with_cached_writes(context, |connection| write_if_idle(connection, context, work))
            }
            ChangeKind::Erases => {
                let erased = pool.with(|connection| erase(connection, context, work))?;
                Ok(erased.map_or(Written::NoNamespace, |(done, erasure)| Written::Kept(done, erasure)))
            }
        }
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(Self { pool: self.pool.steady()? }))
    }

    fn erasure(&self) -> Result<Erasure, StoreError> {
        let context = self.context("finish a forget");
        self.pool.with(|connection| match self.pool.access() {
            Access::ReadWrite => erasure::finish(connection, context, Duration::ZERO),
            Access::ReadOnly | Access::Sealed => erasure::state(connection, context),
        })
    }

    fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        let context = self.context("check the store");
        self.pool.with_unmapped(context, |connection| {
            transaction::read(connection, context, |connection| check::check(connection, context, depth, step))
        })
    }

    fn back_up(
        &self,
        file: &Path,
        existing: Existing,
        step: &mut dyn FnMut(&str),
        stop: &AtomicBool,
    ) -> Result<BackedUp, StoreError> {
        let context = self.context("back up the store");
        self.pool.with_unmapped(context, |connection| backup::back_up(connection, context, file, existing, step, stop))
    }

    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Option<Salvaged>, StoreError> {
        let context = self.context("salvage memories");
        self.pool.with_unmapped(context, |connection| {
            transaction::read(connection, context, |connection| {
                let tables = NamespaceTables::open(connection, context, namespace)?;
                tables.map(|tables| tables.salvage(visit)).transpose()
            })
        })
    }
}
