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
const BUSY: Duration = Duration::from_secs(90);

/// Bytes of a page; a vector of 384 components with its key fits one cell.
const PAGE: u32 = 8192;

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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadWrite,
    ReadOnly,
}

impl Pool {
    pub(crate) fn open(path: &Path, creation: Creation) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        let exists = check_path(path, &location, creation)?;
        let mut pool =
            Self { path: path.to_owned(), location, access: Access::ReadWrite, idle: Mutex::new(Vec::new()) };
        if exists && pool.is_read_only() {
            pool.access = Access::ReadOnly;
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

    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    /// Runs `work` with a connection of its own.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
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

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    /// Permission bits say it cheaply; a read-only mount is only found by the first write.
    fn is_read_only(&self) -> bool {
        std::fs::OpenOptions::new().write(true).open(&self.path).is_err()
    }

    fn connect(&self, creation: Creation) -> Result<Connection, StoreError> {
        let context = Context::new(&self.location, "open the store");
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags |= match self.access {
            Access::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        if creation == Creation::Allowed {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let connection = context.run(Connection::open_with_flags(&self.path, flags))?;
        context.run(connection.busy_timeout(BUSY))?;
        if self.access == Access::ReadWrite {
            context.run(connection.pragma_update(None, "page_size", PAGE))?;
            context.run(connection.pragma_update(None, "journal_mode", "WAL"))?;
            context.run(connection.pragma_update(None, "synchronous", "FULL"))?;
            context.run(connection.pragma_update(None, "secure_delete", "ON"))?;
        }
        context.run(connection.pragma_update(None, "mmap_size", 1i64 << 32))?;
        context.run(connection.pragma_update(None, "cache_size", -65_536))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}

/// Whether there is a store at `path`; errors where there cannot be one.
fn check_path(path: &Path, location: &str, creation: Creation) -> Result<bool, StoreError> {
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
