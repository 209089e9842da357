//! Segments of derived indexes kept as blobs: rebuildable, checked by their maker.

use std::time::Duration;

use aforesaid_core::{
    StoreError,
    store::{Kept, Removed, Rows, Segment, SnapshotName, Spans, Version},
    types::Namespace,
};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};

use crate::{
    connection::BUSY,
    errors::Context,
    read::{self, Reader},
    removed,
};

/// The number of a kind of rows.
pub(crate) fn part(rows: Rows) -> i64 {
    match rows {
        Rows::Memories => 0,
        Rows::Cues => 1,
    }
}

/// Names of those there are.
pub(crate) fn names(connection: &Connection, context: Context<'_>, tenant: i64) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT DISTINCT name FROM snapshot WHERE namespace = ?1 ORDER BY name";
    context.run(
        connection.prepare_cached(sql).and_then(|mut select| select.query_map([tenant], |row| row.get(0))?.collect()),
    )
}

impl Reader<'_> {
    /// Shows the segments of one kind of rows, in order.
    pub(crate) fn segments(
        &self,
        name: &SnapshotName,
        rows: Rows,
        show: &mut dyn FnMut(Segment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT block, upto, data FROM snapshot
             WHERE namespace = ?1 AND part = ?2 AND name = ?3 AND maker = ?4 ORDER BY block",
        ))?;
        let key = params![self.tenant.number, part(rows), name.index, name.maker];
        let mut found = self.context.run(select.query(key))?;
        while let Some(row) = self.context.run(found.next())? {
            let segment = |row: &rusqlite::Row<'_>| {
                Ok(Segment { rows, block: row.get(0)?, upto: row.get(1)?, bytes: row.get(2)? })
            };
            show(self.context.run(segment(row))?)?;
        }
        Ok(())
    }
}

/// Keeps segments made at a version, unless something went since, or another connection is writing.
pub(crate) fn keep(
    connection: &mut Connection,
    context: Context<'_>,
    namespace: &Namespace,
    name: &SnapshotName,
    version: Version,
    segments: &[Segment],
) -> Result<Kept, StoreError> {
    context.run(connection.busy_timeout(Duration::ZERO))?;
    let kept = keep_now(connection, context, namespace, (name, version), segments);
    context.run(connection.busy_timeout(BUSY))?;
    kept
}

fn keep_now(
    connection: &mut Connection,
    context: Context<'_>,
    namespace: &Namespace,
    (name, version): (&SnapshotName, Version),
    segments: &[Segment],
) -> Result<Kept, StoreError> {
    let transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => return Ok(Kept::Busy),
        started => context.run(started)?,
    };
    let tenant = read::tenant(&transaction, context, namespace)?.filter(|tenant| tenant.version.continues(version));
    let Some(tenant) = tenant else { return Ok(Kept::Outdated) };
    write(&transaction, context, tenant.number, name, segments)?;
    context.run(transaction.commit())?;
    Ok(Kept::Yes)
}

fn write(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    name: &SnapshotName,
    segments: &[Segment],
) -> Result<(), StoreError> {
    let others = "DELETE FROM snapshot WHERE namespace = ?1 AND maker <> ?2";
    context.run(transaction.execute(others, params![tenant, name.maker]))?;
    let mut insert = context.run(transaction.prepare_cached(
        "INSERT OR REPLACE INTO snapshot (namespace, part, block, name, maker, upto, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    ))?;
    for Segment { rows, block, upto, bytes } in segments {
        context.run(insert.execute(params![tenant, part(*rows), block, name.index, name.maker, upto, bytes]))?;
    }
    Ok(())
}

/// Takes rows out of what is derived: segments that hold some of them go, and indexes are told. `cues` are those that
/// went with memories too.
pub(crate) fn lose(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    gone: &Removed,
    cues: &Spans,
) -> Result<(), StoreError> {
    let mut delete = context
        .run(transaction.prepare_cached("DELETE FROM snapshot WHERE namespace = ?1 AND part = ?2 AND block = ?3"))?;
    for (rows, spans) in [(Rows::Memories, &gone.memories), (Rows::Cues, cues)] {
        for block in spans.blocks() {
            context.run(delete.execute(params![tenant, part(rows), block]))?;
        }
    }
    removed::note(transaction, context, tenant, gone)
}

/// Has every index made anew: what they hold changed.
pub(crate) fn begin_epoch(transaction: &Transaction<'_>, context: Context<'_>, tenant: i64) -> Result<(), StoreError> {
    context.run(transaction.execute("DELETE FROM snapshot WHERE namespace = ?1", [tenant]))?;
    // No index is older than the epoch.
    context.run(transaction.execute("DELETE FROM removed WHERE namespace = ?1", [tenant]))?;
    context.run(transaction.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1", [tenant]))?;
    Ok(())
}
