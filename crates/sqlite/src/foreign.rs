//! Databases of other programs, read and never written.
//!
//! They have no tenants: each is one person's. What is read of them goes through the readers of the engine's formats.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, types::ValueRef};

/// How long another program's write is waited for, in milliseconds.
const BUSY: u64 = 2_000;

/// Another program's database could not be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: the database could not be read; close the program that it is of, or update this one if its tables have changed"
)]
pub struct ForeignError {
    path: String,
    source: rusqlite::Error,
}

/// A database of another program.
#[derive(Debug)]
pub struct ForeignDatabase {
    path: String,
    connection: Connection,
}

impl ForeignDatabase {
    /// Opens a database to read it.
    ///
    /// # Errors
    /// When it is not there, or no database.
    pub fn open(path: &Path) -> Result<Self, ForeignError> {
        let shown = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(std::time::Duration::from_millis(BUSY))?;
            Ok(connection)
        };
        match open() {
            Ok(connection) => Ok(Self { path: shown, connection }),
            Err(source) => Err(ForeignError { path: shown, source }),
        }
    }

    fn context<T>(&self, result: rusqlite::Result<T>) -> Result<T, ForeignError> {
        result.map_err(|source| ForeignError { path: self.path.clone(), source })
    }

    /// The columns of a table's rows as text, in the order of its rows.
    fn rows(&self, sql: &str, parameters: &[&str]) -> Result<Vec<Vec<Option<String>>>, ForeignError> {
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            let columns = statement.column_count();
            let rows = statement.query_map(rusqlite::params_from_iter(parameters), |row| {
                (0..columns).map(|column| row.get_ref(column).map(text)).collect::<rusqlite::Result<Vec<_>>>()
            })?;
            rows.collect()
        };
        self.context(read())
    }

    /// OpenCode's sessions: id, parent, folder, title, and when each was changed, in milliseconds since 1970.
    ///
    /// # Errors
    /// When the database cannot be read, or its tables are others.
    pub fn opencode_sessions(&self) -> Result<Vec<Vec<Option<String>>>, ForeignError> {
        let sql = "SELECT s.id, s.parent_id, s.directory, s.title, \
                   max(s.time_updated, coalesce((SELECT max(p.time_updated) FROM part p WHERE p.session_id = s.id), 0)) \
                   FROM session s ORDER BY s.time_created, s.id";
        self.rows(sql, &[])
    }

    /// The messages of one of OpenCode's sessions: id and data.
    ///
    /// # Errors
    /// As [`ForeignDatabase::opencode_sessions`].
    pub fn opencode_messages(&self, session: &str) -> Result<Vec<Vec<Option<String>>>, ForeignError> {
        self.rows("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id", &[session])
    }

    /// The parts of one of OpenCode's sessions: id, message and data.
    ///
    /// # Errors
    /// As [`ForeignDatabase::opencode_sessions`].
    pub fn opencode_parts(&self, session: &str) -> Result<Vec<Vec<Option<String>>>, ForeignError> {
        self.rows("SELECT id, message_id, data FROM part WHERE session_id = ?1 ORDER BY id", &[session])
    }

    /// The keys of Cursor's table of keys and values that begin so.
    ///
    /// # Errors
    /// When the database cannot be read, or has no such table.
    pub fn cursor_keys(&self, prefix: &str) -> Result<Vec<String>, ForeignError> {
        let end = format!("{prefix}\u{10FFFF}");
        let rows =
            self.rows("SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 ORDER BY key", &[prefix, &end])?;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
    }

    /// The value of a key of Cursor's table.
    ///
    /// # Errors
    /// As [`ForeignDatabase::cursor_keys`].
    pub fn cursor_value(&self, key: &str) -> Result<Option<String>, ForeignError> {
        let sql = "SELECT value FROM cursorDiskKV WHERE key = ?1";
        let read = self.connection.query_row(sql, [key], |row| row.get_ref(0).map(text)).optional();
        Ok(self.context(read)?.flatten())
    }

    /// The value of a key of an editor's table of settings.
    ///
    /// # Errors
    /// When the database cannot be read, or has no such table.
    pub fn editor_value(&self, key: &str) -> Result<Option<String>, ForeignError> {
        let sql = "SELECT value FROM ItemTable WHERE key = ?1";
        let read = self.connection.query_row(sql, [key], |row| row.get_ref(0).map(text)).optional();
        Ok(self.context(read)?.flatten())
    }
}

/// A value as text: a blob by its bytes, a number by its digits.
fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}
