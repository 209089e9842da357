//! Making sure that what was forgotten is in no file any more.
//!
//! `secure_delete` overwrites a row where it lies when it is deleted. Two places still hold its bytes then. Pages of other
//! rows have kept copies since rows were moved between pages: [`crate::free_space`] clears these within the
//! transaction of the forget. And the write-ahead log holds pages as they were: it is emptied after the commit, which has to wait for
//! readers. A row of `erasure` says from the commit on that the log is still to be emptied, so that a process that was killed in between, or
//! a reader that stayed, leaves it to whoever opens the store next.

use std::{fs, io, path::Path, time::Duration};

use aforesaid_core::{StoreError, store::Erasure};
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::{
    errors::Context,
    free_space::{self, Remains},
    paths::beside,
};

/// How long a forget waits for readers before it leaves the log to others.
const PATIENCE: Duration = Duration::from_secs(2);

/// Clears the pages of a store in the transaction that deletes from it, and notes what is still to be done after the commit.
pub(crate) fn begin(transaction: &Transaction<'_>, context: Context<'_>) -> Result<(), StoreError> {
    let remains = free_space::clear(transaction, context)?;
    note(transaction, context, remains)
}

/// Notes that the log is still to be emptied; below zero, that the file is to be rewritten before.
///
/// Each has a token of its own, so that who empties the log takes no later forget for the one it did.
fn note(transaction: &Transaction<'_>, context: Context<'_>, remains: Remains) -> Result<(), StoreError> {
    let sign = match remains {
        Remains::Nowhere => 1,
        Remains::InPages => -1,
    };
    let token = "INSERT OR REPLACE INTO erasure (id, token) VALUES (1, ?1 * (abs(random() >> 1) + 1))";
    context.run(transaction.execute(token, [sign]))?;
    Ok(())
}

/// Finishes, after the commit, what [`begin`] began.
pub(crate) fn end(connection: &Connection, context: Context<'_>) -> Result<Erasure, StoreError> {
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
    let done = finish_now(connection, context, token);
    context.run(connection.pragma_update(None, "busy_timeout", before))?;
    Ok(if done? { Erasure::Complete } else { Erasure::Pending })
}

/// Does what a token stands for; says whether nobody was in the way.
fn finish_now(connection: &Connection, context: Context<'_>, token: i64) -> Result<bool, StoreError> {
    let rewritten = token > 0 || context.run_or_busy(free_space::rewrite(connection))?.is_some();
    if !rewritten || !empty_log(connection, context)? || sync_log(connection).is_err() {
        return Ok(false);
    }
    let done = connection.execute("DELETE FROM erasure WHERE token = ?1", [token]);
    Ok(context.run_or_busy(done)?.is_some())
}

fn token(connection: &Connection, context: Context<'_>) -> Result<Option<i64>, StoreError> {
    context.run(
        connection
            .prepare_cached("SELECT token FROM erasure")
            .and_then(|mut select| select.query_row([], |row| row.get(0)).optional()),
    )
}

/// Has the log stay as short as it was made, also where the power is lost: SQLite does not wait for that.
///
/// No lock is on the log itself, so that closing a descriptor of it takes none away.
fn sync_log(connection: &Connection) -> io::Result<()> {
    let Some(path) = connection.path() else { return Ok(()) };
    match fs::OpenOptions::new().write(true).open(beside(Path::new(path), "-wal")) {
        Ok(log) => log.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the log into the file and cuts it to nothing; says whether nobody was in the way.
fn empty_log(connection: &Connection, context: Context<'_>) -> Result<bool, StoreError> {
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    Ok(context.run_or_busy(busy)? == Some(false))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A store of rows that were moved between pages, every second one of them deleted; its `erasure` is still to be done.
    fn littered(path: &Path) -> Connection {
        let mut file = Connection::open(path).unwrap();
        file.execute_batch(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;
             CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT) WITHOUT ROWID;
             CREATE TABLE erasure (id INTEGER PRIMARY KEY, token INTEGER);",
        )
        .unwrap();
        // Rows come between others, so that full pages are split.
        let rows = file.transaction().unwrap();
        for n in 0..2_000 {
            let (id, text) = (n * 7_919 % 2_000, format!("<{}>", ["even", "odd"][n % 2]).repeat(1 + n % 60));
            rows.execute("INSERT INTO text VALUES (?1, ?2)", (id as i64, text)).unwrap();
        }
        rows.commit().unwrap();
        file
    }

    fn holds_deleted(path: &Path) -> bool {
        let log = path.with_extension("db-wal");
        let bytes = [path, &log].map(|file| std::fs::read(file).unwrap_or_default()).concat();
        bytes.windows(5).any(|window| window == b"<odd>")
    }

    /// Deletes the odd texts, and what they left after that, where `clears` by pages or else by rewriting.
    fn left_by(clears: Option<Remains>) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let mut file = littered(&path);
        let context = Context::new("m.db", "forget");
        let transaction = file.transaction().unwrap();
        transaction.execute("DELETE FROM text WHERE text LIKE '<odd>%'", []).unwrap();
        match clears {
            Some(Remains::Nowhere) => begin(&transaction, context).unwrap(),
            Some(Remains::InPages) => note(&transaction, context, Remains::InPages).unwrap(),
            None => note(&transaction, context, Remains::Nowhere).unwrap(),
        }
        let token: i64 = transaction.query_row("SELECT token FROM erasure", [], |row| row.get(0)).unwrap();
        assert_eq!(token < 0, clears == Some(Remains::InPages), "this build shows its pages");
        transaction.commit().unwrap();
        if clears == Some(Remains::InPages) {
            // Somebody reads: the log cannot be emptied, and whoever comes next has to rewrite the file as well.
            let reader = Connection::open(&path).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM text").unwrap();
            assert_eq!(finish(&file, context, Duration::ZERO).unwrap(), Erasure::Pending);
        }
        assert_eq!(end(&file, context).unwrap(), Erasure::Complete);
        let kept: i64 = file.query_row("SELECT count(*) FROM text", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1_000);
        let sound: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        holds_deleted(&path)
    }

    #[test]
    fn deleted_rows_are_gone_by_either_way() {
        assert!(left_by(None), "without a way they stay: else this tests nothing");
        assert!(!left_by(Some(Remains::Nowhere)), "free space cleared within the transaction");
        assert!(!left_by(Some(Remains::InPages)), "the file rewritten after it");
    }
}
