//! Connections to one file, for readers and the writer.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use aforesaid_core::StoreError;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use crate::{
    check, erasure,
    errors::{Context, location_error},
    identity,
    place::{self, Creation, beside, folder_of},
    schema,
};

/// How long one process waits for another's write to finish.
const BUSY: Duration = Duration::from_secs(90);

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

impl Pool {
    pub(crate) fn open(path: &Path, creation: Creation, unclean_end: UncleanEnd) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        place::settle(path, &location, creation)?;
        // Closing empties it, so that somebody is using the store or was interrupted.
        let log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
        identity::check(path, &location)?;
        let mut pool =
            Self { path: path.to_owned(), location, access: Access::ReadWrite, idle: Mutex::new(Vec::new()) };
        // Where it may not be written SQLite opens it to read, and says so. This connection reads nothing: doing so
        // would make files beside the store.
        let context = pool.context("open the store");
        if context.run(pool.unused_connection().and_then(|connection| connection.is_readonly(MAIN_DB)))? {
            pool.access = reading(path, &pool.location)?;
        }
        let mut connection = pool.connect()?;
        if pool.access == Access::ReadWrite {
            use_log(&connection, pool.context("open the store"))?;
            schema::prepare(&mut connection, &pool.location)?;
            // Where this fails it stays to be done, and whoever asks is told.
            let _ = erasure::finish(&connection, pool.context("finish a forget"), Duration::ZERO);
        } else {
            schema::check(&connection, &pool.location)?;
        }
        if log && unclean_end == UncleanEnd::Checked {
            check::after_unclean_end(&connection, pool.context("check the store"))?;
        }
        pool.give_back(connection);
        Ok(pool)
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
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = work(&mut connection);
        // A failed statement may have left a transaction open; such a connection is not used again.
        if connection.is_autocommit() {
            self.give_back(connection);
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
    pub(crate) fn with_cached_writes(
        &self,
        context: Context<'_>,
        work: impl FnOnce(&mut Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.with(|connection| {
            context.run(connection.pragma_update(None, "synchronous", "NORMAL"))?;
            let result = work(connection);
            context.run(connection.pragma_update(None, "synchronous", "FULL"))?;
            result
        })
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
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

    fn connect(&self) -> Result<Connection, StoreError> {
        let context = self.context("open the store");
        let connection = context.run(self.unused_connection())?;
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
        Ok(connection)
    }
}

/// Has a store use a write-ahead log; all of ours do but one that another tool has copied.
fn use_log(connection: &Connection, context: Context<'_>) -> Result<(), StoreError> {
    let mode: String = context.run(connection.pragma_query_value(None, "journal_mode", |row| row.get(0)))?;
    if mode == "wal" {
        return Ok(());
    }
    // For this change alone SQLite does not wait for others.
    let until = Instant::now() + BUSY;
    loop {
        match ask_for_log(connection) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(10));
            }
            result => return context.run(result),
        }
    }
}

/// Asks for a write-ahead log to the end: SQLite answers before the change is written, and who stops at the answer misses
/// the error that comes after, and goes on without a log.
pub(crate) fn ask_for_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut change = connection.prepare("PRAGMA journal_mode = WAL")?;
    let mut answers = change.query([])?;
    while answers.next()?.is_some() {}
    Ok(())
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
            "open it once with write permission, or name another file with --store",
        ));
    }
    if nobody_writes(path) {
        return Ok(Access::Sealed);
    }
    Err(location_error(
        location,
        "may be written by others and not here, so that it can change while it is read",
        "ask its owner for write permission or for a copy made with `aforesaid backup`",
    ))
}

/// Whether nobody has permission to write a file, or nothing can be written where it lies.
fn nobody_writes(path: &Path) -> bool {
    let denied = fs::metadata(path).is_ok_and(|file| file.permissions().readonly());
    let sealed = || {
        let made = tempfile::tempfile_in(folder_of(path));
        made.is_err_and(|error| error.kind() == io::ErrorKind::ReadOnlyFilesystem)
    };
    denied || sealed()
}
