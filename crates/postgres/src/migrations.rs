//! The tables, as steps from one format of a store to the next.
//!
//! Each step is a transaction of its own, under a lock that ends with it: one process at a time makes one, whoever was
//! interrupted is followed by the next, and a pooler may stand in between. Steps add; they take nothing away.

use aforesaid_core::StoreError;

use crate::{
    connection::Connection,
    errors::Context,
    shared,
    store::Creation,
    value::{Value, values},
};

/// Taken by whoever changes a format: bytes of "aforesai".
pub(crate) const LOCK: i64 = 0x61_66_6f_72_65_73_61_69;

/// The oldest server, as `server_version_num` says it.
const OLDEST: i64 = 160_000;

/// Step `i` takes a store from version `i` to `i + 1`; `@` stands for the schema. Steps are only ever added.
///
/// `tenant` is made from the name of the namespace and comes first in every key. Numbers are given in the transaction that
/// holds the row of the namespace: no sequence, which all tenants would share. No table refers to another, so that all can
/// be distributed by `tenant`. Names compare by their bytes.
const STEPS: [&str; 1] = ["
    CREATE TABLE @namespace (
        tenant    uuid PRIMARY KEY,
        name      text COLLATE \"C\" NOT NULL,
        epoch     bigint NOT NULL,
        last      bigint NOT NULL DEFAULT 0,
        cues      bigint NOT NULL DEFAULT 0,
        removed   bigint NOT NULL DEFAULT 0,
        floor     bigint NOT NULL DEFAULT 0,
        notes     bigint NOT NULL DEFAULT 0,
        memories  bigint NOT NULL DEFAULT 0,
        questions bigint NOT NULL DEFAULT 0,
        active    text COLLATE \"C\",
        salt      bytea NOT NULL,
        secret    bytea NOT NULL
    );
    CREATE TABLE @conversation (
        tenant uuid NOT NULL,
        id     bigint NOT NULL,
        name   text COLLATE \"C\" NOT NULL,
        floor  bigint NOT NULL,
        notes  bigint NOT NULL,
        PRIMARY KEY (tenant, id),
        UNIQUE (tenant, name)
    );
    CREATE TABLE @session (
        tenant       uuid NOT NULL,
        id           bigint NOT NULL,
        conversation bigint NOT NULL,
        name         text COLLATE \"C\" NOT NULL,
        given        bigint NOT NULL,
        title        text COLLATE \"C\",
        PRIMARY KEY (tenant, id),
        UNIQUE (tenant, conversation, name)
    );
    CREATE TABLE @memory (
        tenant        uuid NOT NULL,
        seq           bigint NOT NULL,
        id            text COLLATE \"C\" NOT NULL,
        kind          bigint NOT NULL,
        conversation  bigint NOT NULL,
        session       bigint NOT NULL,
        speaker       text COLLATE \"C\",
        text          text COLLATE \"C\" NOT NULL,
        said_at       bigint,
        image_caption text COLLATE \"C\",
        importance    double precision NOT NULL,
        sensitive     boolean NOT NULL,
        tags          text COLLATE \"C\",
        source        text COLLATE \"C\",
        meta          text COLLATE \"C\",
        PRIMARY KEY (tenant, seq),
        UNIQUE (tenant, conversation, id)
    );
    CREATE INDEX memory_by_id ON @memory (tenant, id);
    CREATE INDEX memory_by_session ON @memory (tenant, session, seq);
    CREATE TABLE @encoder (
        tenant uuid NOT NULL,
        id     bigint NOT NULL,
        name   text COLLATE \"C\" NOT NULL,
        dim    bigint NOT NULL,
        PRIMARY KEY (tenant, id),
        UNIQUE (tenant, name)
    );
    CREATE TABLE @vector (
        tenant  uuid NOT NULL,
        encoder bigint NOT NULL,
        seq     bigint NOT NULL,
        data    bytea NOT NULL,
        PRIMARY KEY (tenant, encoder, seq)
    );
    CREATE TABLE @staged (
        tenant      uuid NOT NULL,
        encoder     text COLLATE \"C\" NOT NULL,
        fingerprint bytea NOT NULL,
        data        bytea NOT NULL,
        PRIMARY KEY (tenant, fingerprint, encoder)
    );
    CREATE TABLE @cue_source (
        tenant uuid NOT NULL,
        id     bigint NOT NULL,
        model  text COLLATE \"C\" NOT NULL,
        prompt text COLLATE \"C\" NOT NULL,
        PRIMARY KEY (tenant, id)
    );
    CREATE TABLE @cued (
        tenant uuid NOT NULL,
        seq    bigint NOT NULL,
        source bigint NOT NULL,
        PRIMARY KEY (tenant, seq)
    );
    CREATE TABLE @cue (
        tenant   uuid NOT NULL,
        id       bigint NOT NULL,
        seq      bigint NOT NULL,
        part     bigint NOT NULL,
        question text COLLATE \"C\" NOT NULL,
        PRIMARY KEY (tenant, id),
        UNIQUE (tenant, seq, part)
    );
    CREATE TABLE @cue_vector (
        tenant  uuid NOT NULL,
        encoder bigint NOT NULL,
        id      bigint NOT NULL,
        data    bytea NOT NULL,
        PRIMARY KEY (tenant, encoder, id)
    );
    CREATE TABLE @snapshot (
        tenant uuid NOT NULL,
        part   bigint NOT NULL,
        block  bigint NOT NULL,
        name   text COLLATE \"C\" NOT NULL,
        maker  text COLLATE \"C\" NOT NULL,
        upto   bigint NOT NULL,
        data   bytea NOT NULL,
        PRIMARY KEY (tenant, part, block, name)
    );
    CREATE TABLE @removed (
        tenant uuid NOT NULL,
        number bigint NOT NULL,
        part   bigint NOT NULL,
        first  bigint NOT NULL,
        last   bigint NOT NULL,
        PRIMARY KEY (tenant, number, part, first)
    );
    CREATE TABLE @erasing (
        tenant uuid PRIMARY KEY,
        name   text COLLATE \"C\" NOT NULL
    );
    ALTER TABLE @vector ALTER COLUMN data SET STORAGE EXTERNAL;
    ALTER TABLE @staged ALTER COLUMN data SET STORAGE EXTERNAL;
    ALTER TABLE @cue_vector ALTER COLUMN data SET STORAGE EXTERNAL;
    ALTER TABLE @snapshot ALTER COLUMN data SET STORAGE EXTERNAL;
"];

/// Every table about namespaces, for what goes through all.
pub(crate) const TABLES: [&str; 14] = [
    "namespace",
    "conversation",
    "session",
    "memory",
    "encoder",
    "vector",
    "staged",
    "cue_source",
    "cued",
    "cue",
    "cue_vector",
    "snapshot",
    "removed",
    "erasing",
];

/// The version this program writes.
const VERSION: i64 = STEPS.len() as i64;

/// How a server answers where it is asked what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) version: String,
    /// Whether a commit that is acknowledged may be lost unless a transaction asks for more.
    pub(crate) commits_late: bool,
    /// Settings under which a crash of the machine may cost data, in words.
    pub(crate) weak: Vec<&'static str>,
}

/// Checks what the server is.
pub(crate) fn server(connection: &Connection, context: Context<'_>) -> Result<Server, StoreError> {
    let rows = connection.shared_rows(context, &shared::SERVER, values![])?;
    let row = rows.first().ok_or_else(|| context.unreadable())?;
    let text = |column: usize| row.try_get::<_, String>(column).map_err(|_| context.unreadable());
    let number: i64 = row.try_get(0).map_err(|_| context.unreadable())?;
    let version = text(1)?;
    if number < OLDEST {
        return Err(context.refused(format!("the server is PostgreSQL {version}"), "use PostgreSQL 16 or newer"));
    }
    let encoding = text(2)?;
    if encoding != "UTF8" {
        return Err(context.refused(
            format!("the database keeps text as {encoding}"),
            "make one with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0",
        ));
    }
    let off = |column: usize, what: &'static str| text(column).map(|setting| (setting == "off").then_some(what));
    let weak = [off(4, "fsync is off")?, off(5, "full_page_writes is off")?, off(6, "data_checksums are off")?];
    Ok(Server { version, commits_late: text(3)? == "off", weak: weak.into_iter().flatten().collect() })
}

/// Brings the store to [`VERSION`], or makes it where that is allowed.
pub(crate) fn prepare(
    connection: &Connection,
    context: Context<'_>,
    schema: &str,
    creation: Creation,
) -> Result<(), StoreError> {
    loop {
        let version = version(connection, context, schema)?;
        match version {
            Some(VERSION) => return Ok(()),
            Some(version) if !(0..=VERSION).contains(&version) => {
                return Err(context.refused(
                    format!("has format {version}; this program knows formats up to {VERSION}"),
                    "use the newer version of aforesaid that wrote it",
                ));
            }
            None if creation == Creation::Forbidden => {
                return Err(context.refused(
                    format!("has no store in schema {schema:?}"),
                    "add or import something first, or name another database or schema",
                ));
            }
            _ => step(connection, context, schema)?,
        }
    }
}

/// Whether there is a store.
pub(crate) fn exists(connection: &Connection, context: Context<'_>, schema: &str) -> Result<bool, StoreError> {
    Ok(version(connection, context, schema)?.is_some())
}

/// The format of the store; `None` where there is none.
fn version(connection: &Connection, context: Context<'_>, schema: &str) -> Result<Option<i64>, StoreError> {
    let rows = connection.shared_rows(context, &shared::HAS_FORMAT, values![schema])?;
    let row = rows.first().ok_or_else(|| context.unreadable())?;
    let (tables, has_format): (i64, bool) =
        row.try_get(0).and_then(|tables| Ok((tables, row.try_get(1)?))).map_err(|_| context.unreadable())?;
    if !has_format {
        return match tables {
            0 => Ok(None),
            _ => Err(context.refused(
                format!("schema {schema:?} holds tables of another program"),
                "name another with schema=NAME in the URL",
            )),
        };
    }
    let rows = connection.shared_rows(context, &shared::FORMAT, values![])?;
    let version = rows.first().map(|row| row.try_get(0).map_err(|_| context.unreadable()));
    version.transpose()?.map_or_else(|| Err(context.unreadable()), |version| Ok(Some(version)))
}

/// Makes the next step, unless another process did.
fn step(connection: &Connection, context: Context<'_>, schema: &str) -> Result<(), StoreError> {
    connection.run_commands(context, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '120s'")?;
    let stepped = (|| {
        connection.shared_rows(context, &shared::LOCK_FORMAT, values![LOCK])?;
        // Another process may have been first: look again under the lock.
        let from = match version(connection, context, schema)? {
            Some(version) => version,
            None => {
                connection.run_commands(
                    context,
                    &format!(
                        "CREATE SCHEMA IF NOT EXISTS \"{schema}\";
                         CREATE TABLE @format (version bigint NOT NULL);
                         INSERT INTO @format (version) VALUES (0)"
                    ),
                )?;
                0
            }
        };
        if let Some(step) = usize::try_from(from).ok().and_then(|from| STEPS.get(from)) {
            connection.run_commands(context, step)?;
            connection.shared_rows(context, &shared::SET_FORMAT, vec![Value::from(from + 1)])?;
        }
        Ok(())
    })();
    match stepped {
        Ok(()) => connection.run_commands(context, "COMMIT"),
        Err(error) => {
            // Where even this fails, the connection is not used again.
            let _ = connection.run_commands(context, "ROLLBACK");
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Citus asks of tables that are distributed by a column, and of statements that prune to one shard.
    #[test]
    fn every_table_can_be_distributed_by_its_tenant() {
        let ddl = STEPS.concat();
        let tables: Vec<&str> = ddl.split("CREATE TABLE @").skip(1).collect();
        assert_eq!(tables.len(), TABLES.len());
        for (table, name) in tables.iter().zip(TABLES) {
            assert!(table.starts_with(&format!("{name} (")), "{name}");
            let body = table.split(");").next().unwrap();
            let columns = body.split_once('(').unwrap().1;
            assert!(columns.trim_start().starts_with("tenant"), "{name}: the tenant is the first column");
            for key in ["PRIMARY KEY (", "UNIQUE ("] {
                for key in body.split(key).skip(1) {
                    assert!(key.starts_with("tenant"), "{name}: the tenant is first in every key");
                }
            }
            assert!(body.contains("PRIMARY KEY"), "{name} has a key");
        }
        for index in ddl.split("CREATE INDEX").skip(1) {
            assert!(index.split_once('(').unwrap().1.starts_with("tenant,"), "{index}");
        }
        for word in ["REFERENCES", "SERIAL", "SEQUENCE", "IDENTITY", "TRIGGER", "DROP"] {
            assert!(!ddl.to_uppercase().contains(word), "{word}");
        }
    }
}
