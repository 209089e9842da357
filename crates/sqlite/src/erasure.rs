//! Making sure that what was forgotten is in no file any more.
//!
//! `secure_delete` overwrites a row where it lies when it is deleted. Two places still hold its bytes then. Pages of other
//! rows have kept copies since rows were moved between pages: [`crate::free_space`] clears these within the
//! transaction of the forget. And the write-ahead log holds pages as they were: it is emptied after the commit, which has to wait for
//! readers. A row of `erasure` says from the commit on that the log is still to be emptied, so that a process that was killed in between, or
//! a reader that stayed, leaves it to whoever opens the store next.

use std::time::Duration;

use aforesaid_core::{StoreError, store::Erasure};
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::{
    errors::Context,
    free_space::{self, Remains},
};

/// How long a forget waits for readers before it leaves the log to others.
const PATIENCE: Duration = Duration::from_secs(2);

/// Clears the pages of a store in the transaction that deletes from it, and notes that the log is still to be emptied.
pub(crate) fn begin(transaction: &Transaction<'_>, context: Context<'_>) -> Result<Remains, StoreError> {
    let remains = free_space::clear(transaction, context)?;
    // A token of its own, so that who empties the log takes no later forget for the one it did.
    context.run(transaction.execute("INSERT OR REPLACE INTO erasure (id, token) VALUES (1, random())", []))?;
    Ok(remains)
}

/// Finishes, after the commit, what [`begin`] began.
pub(crate) fn end(connection: &Connection, context: Context<'_>, remains: Remains) -> Result<Erasure, StoreError> {
    if remains == Remains::InPages && context.run_or_busy(free_space::rewrite(connection))?.is_none() {
        return Ok(Erasure::Pending);
    }
    finish(connection, context, PATIENCE)
}

/// Whether a log may still hold what was forgotten.
pub(crate) fn state(connection: &Connection, context: Context<'_>) -> Result<Erasure, StoreError> {
    Ok(if token(connection, context)?.is_some() { Erasure::Pending } else { Erasure::Complete })
}

/// Empties the log if that is still to be done and no other connection needs it for longer than `patience`.
pub(crate) fn finish(connection: &Connection, context: Context<'_>, patience: Duration) -> Result<Erasure, StoreError> {
    let Some(token) = token(connection, context)? else { return Ok(Erasure::Complete) };
    let before: i64 = context.run(connection.pragma_query_value(None, "busy_timeout", |row| row.get(0)))?;
    context.run(connection.busy_timeout(patience))?;
    let emptied = empty_log(connection, context).and_then(|emptied| match emptied {
        true => context.run_or_busy(connection.execute("DELETE FROM erasure WHERE token = ?1", [token])),
        false => Ok(None),
    });
    context.run(connection.pragma_update(None, "busy_timeout", before))?;
    Ok(if emptied?.is_some() { Erasure::Complete } else { Erasure::Pending })
}

fn token(connection: &Connection, context: Context<'_>) -> Result<Option<i64>, StoreError> {
    context.run(
        connection
            .prepare_cached("SELECT token FROM erasure")
            .and_then(|mut select| select.query_row([], |row| row.get(0)).optional()),
    )
}

/// Writes the log into the file and cuts it to nothing; says whether nobody was in the way.
fn empty_log(connection: &Connection, context: Context<'_>) -> Result<bool, StoreError> {
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    Ok(context.run_or_busy(busy)? == Some(false))
}
