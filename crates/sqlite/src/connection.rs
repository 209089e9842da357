//! Connections to one file, for readers and the writer.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid_core::StoreError;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, ffi};

use crate::{
    check, erasure,
    errors::{Context, location_error},
    filter, header, identity, journal,
    paths::{beside, folder_of},
    place::{self, Creation},
    schema,
};

/// How long one process waits for another's write to finish.
pub(crate) const BUSY: Duration = Duration::from_secs(90);

/// How long a connection that cannot share a log waits for those that use it.
const OTHERS: Duration = Duration::from_secs(5);

/// Bytes of the file that are read where they lie in memory.
const MAPPED: i64 = 1 << 32;

/// What a connection keeps of the pages it writes, negative in KiB: the indexes that a long import adds to.
const CACHE: i64 = -16_384;

/// Connections to one file.
pub(crate) struct Pool {
    path: PathBuf,
    location: String,
    access: Access,
    idle: Mutex<Vec<Connection>>,
    /// The one connection of a view that stands still, in an open transaction.
    steady: Option<Mutex<Connection>>,
}

/// What is done where a store is opened whose last user did not close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UncleanEnd {
    /// A short look for damage.
    Checked,
    /// Nothing: who opens it wants to see the damage.
    Ignored,
}

/// What this process may do with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    ReadWrite,
    /// Read-only beside a log that somebody else keeps.
    ReadOnly,
    /// Read-only where nobody can write: SQLite is told that nothing changes, and makes no file beside it.
    Sealed,
}

/// How a connection uses the log of a store that it may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// With others, through a file beside the store.
    Shared,
    /// With nobody, since there is no space for that file: it is in the way of all others while it lives.
    Alone,
}

impl Pool {
    /// Refuses a file that ends within a page. SQLite refuses one where a whole page is missing, and takes what is missing of the
    /// last one for zeros. Without a log: with one, a page that was not written whole is in the log.
    fn require_whole_pages(&self, connection: &Connection) -> Result<(), StoreError> {
        let page = header::pragma(connection, "page_size", &self.location)?;
        let bytes = fs::metadata(&self.path).map_or(0, |file| file.len());
        match u64::try_from(page).is_ok_and(|page| page > 0 && !bytes.is_multiple_of(page)) {
            true => Err(self.context("open the store").damaged("the file ends within a page")),
            false => Ok(()),
        }
    }

    pub(crate) fn open(path: &Path, creation: Creation, unclean_end: UncleanEnd) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        place::find_or_make(path, &location, creation)?;
        // Closing empties it, so that somebody is using the store or was interrupted.
        let log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
        identity::check(path, &location)?;
        let mut pool =
            Self { path: path.to_owned(), location, access: Access::ReadWrite, idle: Mutex::default(), steady: None };
        // Where it may not be written SQLite opens it to read, and says so. This connection reads nothing: doing so
        // would make files beside the store.
        let unused = pool.context("open the store").run(pool.unused_connection())?;
        if pool.context("open the store").run(unused.is_readonly(MAIN_DB))? {
            pool.access = reading(path, &pool.location)?;
        }
        drop(unused);
        let (mut connection, sharing) = match pool.connect() {
            Err(_) if pool.access == Access::ReadWrite && pool.may_make_no_log()? => {
                pool.access = reading(path, &pool.location)?;
                pool.connect()?
            }
            opened => opened?,
        };
        if !log {
            pool.require_whole_pages(&connection)?;
        }
        if pool.access == Access::ReadWrite {
            journal::keep(&connection, pool.context("open the store"), BUSY)?;
            schema::prepare(&mut connection, &pool.location)?;
            // Where this fails it stays to be done, and whoever asks is told.
            let _ = erasure::finish(&connection, pool.context("finish a forget"), Duration::ZERO);
        } else {
            schema::check(&connection, &pool.location)?;
        }
        if log && unclean_end == UncleanEnd::Checked {
            check::after_unclean_end(&connection, pool.context("check the store"))?;
        }
        pool.give_back(connection, sharing);
        Ok(pool)
    }

    /// A pool of one connection, which sees the file as it is now for as long as it lives.
    pub(crate) fn steady(&self) -> Result<Self, StoreError> {
        let (connection, _) = self.connect()?;
        let context = Context::new(&self.location, "hold a view of the store");
        // A transaction's view begins with its first look.
        context.run(connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;"))?;
        let Self { path, location, access, .. } = self;
        let (path, location, access) = (path.clone(), location.clone(), *access);
        Ok(Self { path, location, access, idle: Mutex::default(), steady: Some(Mutex::new(connection)) })
    }

    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    pub(crate) fn access(&self) -> Access {
        self.access
    }

    fn context(&self, action: &'static str) -> Context<'_> {
        Context::new(&self.location, action)
    }

    /// Runs `work` with a connection of its own.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if let Some(steady) = &self.steady {
            return work(&mut steady.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut connection, sharing) = match idle {
            Some(connection) => (connection, Sharing::Shared),
            None => self.connect()?,
        };
        let result = work(&mut connection);
        // A failed statement may have left a transaction open; such a connection is not used again.
        if connection.is_autocommit() {
            self.give_back(connection, sharing);
        }
        result
    }

    /// Like [`Pool::with`], but what is read is not mapped: for what goes through the whole file once, and would
    /// count it all as memory of the process.
    pub(crate) fn with_unmapped<T>(
        &self,
        context: Context<'_>,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|connection| {
            context.run(connection.pragma_update(None, "mmap_size", 0))?;
            let result = work(connection);
            context.run(connection.pragma_update(None, "mmap_size", MAPPED))?;
            result
        })
    }

    /// Like [`Pool::with`], but what is written need not be on the disk when `work` is done: a crash of the
    /// machine may lose it, and never what was written otherwise.
    pub(crate) fn with_cached_writes<T>(
        &self,
        context: Context<'_>,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with(|connection| {
            context.run(connection.pragma_update(None, "synchronous", "NORMAL"))?;
            let result = work(connection);
            context.run(connection.pragma_update(None, "synchronous", "FULL"))?;
            result
        })
    }

    fn give_back(&self, connection: Connection, sharing: Sharing) {
        if sharing == Sharing::Shared {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }

    /// A connection that has not looked at the file yet.
    fn unused_connection(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self.access {
            Access::Sealed => {
                let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(identity::immutable(&self.path), flags)
            }
            Access::ReadOnly => Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY),
            // Never one that makes the file: a store is made whole, and one that went away is an error.
            Access::ReadWrite => Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE),
        }
    }

    fn connect(&self) -> Result<(Connection, Sharing), StoreError> {
        let context = self.context("open the store");
        let connection = context.run(self.unused_connection())?;
        context.run(connection.busy_timeout(BUSY))?;
        if self.access == Access::ReadWrite && look(&connection).is_err_and(|error| lacks_space(&error)) {
            drop(connection);
            return Ok((self.connect_alone(context)?, Sharing::Alone));
        }
        self.set_up(&connection)?;
        Ok((connection, Sharing::Shared))
    }

    /// A connection that keeps in memory what connections share in a file, and all others out.
    fn connect_alone(&self, context: Context<'_>) -> Result<Connection, StoreError> {
        let connection = context.run(self.unused_connection())?;
        context.run(connection.busy_timeout(OTHERS))?;
        // Before its first look at the file.
        context.run(connection.pragma_update(None, "locking_mode", "EXCLUSIVE"))?;
        context.run(look(&connection))?;
        self.set_up(&connection)?;
        Ok(connection)
    }

    /// Whether permissions keep this process from making a log beside a store that it may write.
    fn may_make_no_log(&self) -> Result<bool, StoreError> {
        let connection = self.context("open the store").run(self.unused_connection())?;
        let code = look(&connection).err().and_then(|error| error.sqlite_error_code());
        let denied = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        Ok(matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
            && beside_fails(&self.path).is_some_and(|kind| denied.contains(&kind)))
    }

    fn set_up(&self, connection: &Connection) -> Result<(), StoreError> {
        let context = self.context("open the store");
        context.run(connection.busy_timeout(BUSY))?;
        if self.access == Access::ReadWrite {
            context.run(connection.pragma_update(None, "synchronous", "FULL"))?;
            context.run(connection.pragma_update(None, "secure_delete", "ON"))?;
        }
        // What a query sorts may be text, and would else be left on the disk beside the store.
        context.run(connection.pragma_update(None, "temp_store", "MEMORY"))?;
        context.run(connection.pragma_update(None, "mmap_size", MAPPED))?;
        context.run(connection.pragma_update(None, "cache_size", CACHE))?;
        connection.set_prepared_statement_cache_capacity(64);
        context.run(filter::define(connection))?;
        Ok(())
    }
}

/// Has a connection read the header of the file, and use the log.
fn look(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))
}

/// Whether the disk has no space for the file through which connections share a log.
fn lacks_space(error: &rusqlite::Error) -> bool {
    let lacking = [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_SHMMAP];
    error.sqlite_error().is_some_and(|error| lacking.contains(&error.extended_code))
}

/// How a store can be read that may not be written.
///
/// A reader that made a log, or the shared memory beside it, would own them, and the owner of the store could not write any more.
fn reading(path: &Path, location: &str) -> Result<Access, StoreError> {
    let log = fs::metadata(beside(path, "-wal"));
    if log.is_ok() && beside(path, "-shm").exists() {
        return Ok(Access::ReadOnly);
    }
    if log.is_ok_and(|log| log.len() > 0) {
        return Err(location_error(
            location,
            "may not be written here, and its last writes are in a log that only who may write can read",
            "open it once with write permission, or name another store",
        ));
    }
    if nobody_writes(path) {
        return Ok(Access::Sealed);
    }
    Err(location_error(
        location,
        "may be written by others and not here, so that it can change while it is read",
        "ask its owner for write permission or for a backup",
    ))
}

/// Whether nobody has permission to write a file, or to make a log where it lies, or nothing can be written there.
fn nobody_writes(path: &Path) -> bool {
    let is_denied = |path: &Path| fs::metadata(path).is_ok_and(|found| found.permissions().readonly());
    is_denied(path) || is_denied(folder_of(path)) || beside_fails(path) == Some(ErrorKind::ReadOnlyFilesystem)
}

/// Why no file can be made beside a store.
fn beside_fails(path: &Path) -> Option<ErrorKind> {
    tempfile::tempfile_in(folder_of(path)).err().map(|error| error.kind())
}
