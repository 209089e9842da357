//! Derived indexes kept as blobs: rebuildable, checked by their maker.

use aforesaid_core::StoreError;
use rusqlite::{Connection, Transaction, params};

use crate::errors::Context;

/// Bytes of one part: far below SQLite's limit for a blob, and one write at a time in memory.
const PART: usize = 16 << 20;

pub(crate) fn read(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    name: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut snapshot = Vec::new();
    let mut select = context
        .run(connection.prepare_cached("SELECT data FROM snapshot WHERE namespace = ?1 AND name = ?2 ORDER BY part"))?;
    let mut rows = context.run(select.query(params![tenant, name]))?;
    while let Some(row) = context.run(rows.next())? {
        let part = context.run(row.get_ref(0).and_then(|data| Ok(data.as_blob()?)))?;
        snapshot.extend_from_slice(part);
    }
    Ok((!snapshot.is_empty()).then_some(snapshot))
}

/// Names of those there are.
pub(crate) fn names(connection: &Connection, context: Context<'_>, tenant: i64) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT DISTINCT name FROM snapshot WHERE namespace = ?1 ORDER BY name";
    context.run(
        connection.prepare_cached(sql).and_then(|mut select| select.query_map([tenant], |row| row.get(0))?.collect()),
    )
}

pub(crate) fn write(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    name: &str,
    snapshot: &[u8],
) -> Result<(), StoreError> {
    context
        .run(transaction.execute("DELETE FROM snapshot WHERE namespace = ?1 AND name = ?2", params![tenant, name]))?;
    let mut insert = context.run(
        transaction.prepare_cached("INSERT INTO snapshot (namespace, name, part, data) VALUES (?1, ?2, ?3, ?4)"),
    )?;
    for (part, data) in (0i64..).zip(snapshot.chunks(PART)) {
        context.run(insert.execute(params![tenant, name, part, data]))?;
    }
    Ok(())
}
