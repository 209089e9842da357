//! The write-ahead log, which every store keeps.

use std::{
    thread,
    time::{Duration, Instant},
};

use aforesaid_core::StoreError;
use rusqlite::{Connection, ErrorCode};

use crate::errors::{Context, location_error};

/// Has a store keep a write-ahead log, and makes sure that it does.
///
/// In another mode the last transaction may come undone when the power is lost. All stores of ours are in this one but those that another
/// tool has copied. SQLite waits for nobody when it changes the mode, so this tries again for as long as `patience`.
pub(crate) fn keep(connection: &Connection, context: Context<'_>, patience: Duration) -> Result<(), StoreError> {
    let until = Instant::now() + patience;
    loop {
        match mode(connection, "PRAGMA journal_mode = WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(10));
            }
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(location_error(
                    context.location(),
                    format!("cannot keep a write-ahead log (its journal mode stays {mode:?})"),
                    "try again, and check the disk and its free space; nothing was written",
                ));
            }
            Err(error) => return context.run(Err(error)),
        }
    }
}

/// The journal mode that a pragma answers with last: SQLite answers with the new one before it is written, and who does not go on
/// asking misses the error that comes after.
fn mode(connection: &Connection, pragma: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(pragma)?;
    let mut rows = statement.query([])?;
    let mut mode = String::new();
    while let Some(row) = rows.next()? {
        mode = row.get(0)?;
    }
    Ok(mode)
}
