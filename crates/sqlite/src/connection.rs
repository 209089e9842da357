//! Opening the file, and connections for readers and the writer.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid_core::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::{
    errors::{Context, location_error},
    schema,
};

/// How long one process waits for another's write to finish.
pub(crate) const BUSY: Duration = Duration::from_secs(90);

/// Bytes of a page; a vector of 384 components with its key fits one cell.
const PAGE: u32 = 8192;

/// Bytes of the file that are read where they lie in memory.
const MAPPED: i64 = 1 << 32;

/// What a connection keeps of the pages it writes, negative in KiB: the indexes that a long import adds to.
const CACHE: i64 = -16_384;

/// Whether opening may make a new store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// Make an empty store where there is none.
    Allowed,
    /// A missing store is an error.
    Forbidden,
}

/// Connections to one file.
pub(crate) struct Pool {
    path: PathBuf,
    location: String,
    access: Access,
    idle: Mutex<Vec<Connection>>,
    /// The one connection of a view that stands still, in an open transaction.
    steady: Option<Mutex<Connection>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadWrite,
    ReadOnly,
    /// Read-only in a folder that cannot be written either: SQLite may not even make its shared
    /// memory there, and must be told that nothing changes.
    Sealed,
}

impl Pool {
    pub(crate) fn open(path: &Path, creation: Creation) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        let exists = check_path(path, &location, creation)?;
        let mut pool =
            Self { path: path.to_owned(), location, access: Access::ReadWrite, idle: Mutex::default(), steady: None };
        if exists {
            pool.access = access(path);
        }
        let mut connection = pool.connect(creation)?;
        if pool.access == Access::ReadWrite {
            schema::prepare(&mut connection, &pool.location)?;
        } else {
            schema::check(&connection, &pool.location)?;
        }
        pool.give_back(connection);
        Ok(pool)
    }

    /// A pool of one connection, which sees the file as it is now for as long as it lives.
    pub(crate) fn steady(&self) -> Result<Self, StoreError> {
        let connection = self.connect(Creation::Forbidden)?;
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

    /// Runs `work` with a connection of its own.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if let Some(steady) = &self.steady {
            return work(&mut steady.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect(Creation::Forbidden)?,
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

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    fn connect(&self, creation: Creation) -> Result<Connection, StoreError> {
        let context = Context::new(&self.location, "open the store");
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags |= match self.access {
            Access::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Sealed => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        };
        if creation == Creation::Allowed && self.access == Access::ReadWrite {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let connection = match self.access {
            Access::Sealed => context.run(Connection::open_with_flags(immutable(&self.location), flags))?,
            Access::ReadWrite | Access::ReadOnly => context.run(Connection::open_with_flags(&self.path, flags))?,
        };
        context.run(connection.busy_timeout(BUSY))?;
        if self.access == Access::ReadWrite {
            context.run(connection.pragma_update(None, "page_size", PAGE))?;
            context.run(connection.pragma_update(None, "journal_mode", "WAL"))?;
            context.run(connection.pragma_update(None, "synchronous", "FULL"))?;
            context.run(connection.pragma_update(None, "secure_delete", "ON"))?;
        }
        context.run(connection.pragma_update(None, "mmap_size", MAPPED))?;
        context.run(connection.pragma_update(None, "cache_size", CACHE))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}

/// Whether there is a store at `path`; errors where there cannot be one.
fn check_path(path: &Path, location: &str, creation: Creation) -> Result<bool, StoreError> {
    // SQLite would take these for a store that ends with the process.
    if location.is_empty() || location == ":memory:" || location.starts_with("file:") {
        return Err(location_error(
            &format!("{location:?}"),
            "names no file",
            "give a path with --store, or memory: for a store that ends with the process",
        ));
    }
    if path.is_dir() {
        return Err(location_error(location, "is a directory", "name a file in it, such as memory.db, with --store"));
    }
    if path.exists() {
        return Ok(true);
    }
    if creation == Creation::Forbidden {
        return Err(location_error(
            location,
            "does not exist",
            "make one with `aforesaid import` or `aforesaid add`, or name another with --store",
        ));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            location_error(
                location,
                format!("its folder cannot be made ({error})"),
                "make the folder, or name another file with --store",
            )
        })?;
    }
    Ok(false)
}

/// What may be done with an existing store; a read-only mount is only found by the first write.
fn access(path: &Path) -> Access {
    if std::fs::OpenOptions::new().write(true).open(path).is_ok() {
        return Access::ReadWrite;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let log = path.as_os_str().to_string_lossy().into_owned() + "-wal";
    // A log means that somebody writes here, or that the last words are still in it.
    match !Path::new(&log).exists() && tempfile::tempfile_in(folder).is_err() {
        true => Access::Sealed,
        false => Access::ReadOnly,
    }
}

/// The path as an SQLite URI that promises nothing will change.
fn immutable(path: &str) -> String {
    let escaped: String = path
        .chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            c => c.to_string(),
        })
        .collect();
    format!("file:{escaped}?immutable=1")
}
