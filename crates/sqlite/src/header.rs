//! What the header of a file says.

use aforesaid_core::StoreError;
use rusqlite::Connection;

use crate::errors::{Context, location_error};

/// Marks a file as ours: "afsd".
pub(crate) const APPLICATION_ID: i64 = 0x6166_7364;

/// Whether a file is ours, as its log has it; it may be without a table yet.
pub(crate) fn is_ours(connection: &Connection, location: &str) -> Result<bool, StoreError> {
    let tables: i64 = Context::new(location, "read the schema").run(connection.query_row(
        "SELECT count(*) FROM sqlite_schema",
        [],
        |row| row.get(0),
    ))?;
    Ok(pragma(connection, "application_id", location)? == APPLICATION_ID || tables == 0)
}

/// What to say of a file of another program.
pub(crate) fn foreign(location: &str) -> StoreError {
    location_error(location, "is an SQLite file of another program", "name another store")
}

/// A number of the header.
pub(crate) fn pragma(connection: &Connection, name: &str, location: &str) -> Result<i64, StoreError> {
    Context::new(location, "read the header").run(connection.pragma_query_value(None, name, |row| row.get(0)))
}
