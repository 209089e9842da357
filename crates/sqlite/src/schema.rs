//! Tables, and how an older store becomes a newer one.

use aforesaid_core::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::errors::{Context, location_error};

/// Marks a file as ours: "afsd".
pub(crate) const APPLICATION_ID: i64 = 0x6166_7364;

/// Step `i` takes a store from version `i` to `i + 1`. Steps are only ever added.
const MIGRATIONS: [&str; 1] = [
    // Tenant first in every key, so that one namespace lies together on disk.
    // `seq` counts arrivals in a namespace and is never given twice.
    "
    CREATE TABLE namespace (
        id    INTEGER PRIMARY KEY,
        name  TEXT NOT NULL UNIQUE,
        epoch INTEGER NOT NULL,
        last  INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE conversation (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        name      TEXT NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session (
        namespace    INTEGER NOT NULL,
        id           INTEGER NOT NULL,
        conversation INTEGER NOT NULL,
        name         TEXT NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, conversation, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE memory (
        namespace     INTEGER NOT NULL,
        seq           INTEGER NOT NULL,
        id            TEXT NOT NULL,
        kind          INTEGER NOT NULL,
        conversation  INTEGER NOT NULL,
        session       INTEGER NOT NULL,
        speaker       TEXT,
        text          TEXT NOT NULL,
        said_at       INTEGER,
        image_caption TEXT,
        importance    REAL NOT NULL,
        sensitive     INTEGER NOT NULL,
        tags          TEXT,
        source        TEXT,
        meta          TEXT,
        PRIMARY KEY (namespace, seq),
        UNIQUE (namespace, conversation, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_by_id ON memory (namespace, id);
    CREATE INDEX memory_by_session ON memory (namespace, session, seq);
    CREATE TABLE encoder (
        namespace INTEGER NOT NULL,
        id        INTEGER NOT NULL,
        name      TEXT NOT NULL,
        dim       INTEGER NOT NULL,
        PRIMARY KEY (namespace, id),
        UNIQUE (namespace, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE vector (
        namespace INTEGER NOT NULL,
        encoder   INTEGER NOT NULL,
        seq       INTEGER NOT NULL,
        data      BLOB NOT NULL,
        PRIMARY KEY (namespace, encoder, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshot (
        namespace INTEGER NOT NULL,
        name      TEXT NOT NULL,
        part      INTEGER NOT NULL,
        data      BLOB NOT NULL,
        PRIMARY KEY (namespace, name, part)
    ) STRICT, WITHOUT ROWID;
    -- By order of arrival: fingerprints are random, and rows that large would be written all over the file.
    CREATE TABLE staged (
        id          INTEGER PRIMARY KEY,
        namespace   TEXT NOT NULL,
        encoder     TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        data        BLOB NOT NULL,
        UNIQUE (namespace, encoder, fingerprint)
    ) STRICT;
    ",
];

/// The version this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Checks whose file it is and brings it to [`VERSION`].
pub(crate) fn prepare(connection: &mut Connection, location: &str) -> Result<(), StoreError> {
    if is_current(connection, location)? {
        return Ok(());
    }
    let context = Context::new(location, "bring the store to this version");
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    // Another process may have been first: look again under the lock.
    if !is_current(&transaction, location)? {
        let from = pragma(&transaction, "user_version", location)?;
        for step in &MIGRATIONS[from as usize..] {
            context.run(transaction.execute_batch(step))?;
        }
        context.run(transaction.pragma_update(None, "application_id", APPLICATION_ID))?;
        context.run(transaction.pragma_update(None, "user_version", VERSION))?;
    }
    context.run(transaction.commit())
}

/// Checks that a store which cannot be written can at least be read.
pub(crate) fn check(connection: &Connection, location: &str) -> Result<(), StoreError> {
    match is_current(connection, location)? {
        true => Ok(()),
        false => Err(location_error(
            location,
            "is of an older format and cannot be written",
            "open it once where it can be written",
        )),
    }
}

fn is_current(connection: &Connection, location: &str) -> Result<bool, StoreError> {
    let version = pragma(connection, "user_version", location)?;
    let application = pragma(connection, "application_id", location)?;
    let tables: i64 = Context::new(location, "read the schema").run(connection.query_row(
        "SELECT count(*) FROM sqlite_schema",
        [],
        |row| row.get(0),
    ))?;
    if application != APPLICATION_ID && tables > 0 {
        return Err(location_error(location, "is an SQLite file of another program", "name another file with --store"));
    }
    if !(0..=VERSION).contains(&version) {
        return Err(location_error(
            location,
            format!("has format {version}; this program knows formats up to {VERSION}"),
            "use the newer version of aforesaid that wrote it",
        ));
    }
    Ok(version == VERSION)
}

fn pragma(connection: &Connection, name: &str, location: &str) -> Result<i64, StoreError> {
    Context::new(location, "read the header").run(connection.pragma_query_value(None, name, |row| row.get(0)))
}
