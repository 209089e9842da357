//! Whose file it is, found out without changing a byte of it.

use std::path::Path;

use aforesaid_core::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::{
    errors::Context,
    header::{self, APPLICATION_ID, foreign, pragma},
    paths::beside,
};

/// Refuses a file that is no store of ours.
///
/// It goes by the header alone, through SQLite: a descriptor of our own, once closed, would drop every lock
/// that this process has on the file (POSIX locks). The file is taken as immutable, so that neither a log is read back into
/// it nor a file made beside it.
pub(crate) fn check(path: &Path, location: &str) -> Result<(), StoreError> {
    let context = Context::new(location, "read the header");
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = context.run(Connection::open_with_flags(immutable(path), flags))?;
    let application = pragma(&connection, "application_id", location);
    if matches!(application, Ok(APPLICATION_ID)) {
        return Ok(());
    }
    // All of a database may still be in its log; and where the power went while the log was being moved into the file, the
    // header is ahead of the rest, or torn, until the log is read. Reading both leaves the file as it is, too.
    let without_log = match &application {
        Ok(_) => pragma(&connection, "schema_version", location)? == 0,
        Err(_) => true,
    };
    if without_log && beside(path, "-wal").exists() {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = context.run(Connection::open_with_flags(path, flags))?;
        if header::is_ours(&connection, location)? {
            return Ok(());
        }
    }
    application?;
    Err(foreign(location))
}

/// The path as an SQLite URI that promises nothing will change.
pub(crate) fn immutable(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) || bytes.starts_with(b"/") {
        // An empty host, so that no part of the path is taken for one.
        uri.push_str("//");
    }
    if cfg!(windows) && path.is_absolute() {
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'.' | b'-' | b'_' | b':' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
