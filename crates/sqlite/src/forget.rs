//! Forgetting: rows, vectors, derived data, and the bytes they leave behind.

use aforesaid_core::{
    StoreError,
    store::{Doomed, Forgotten, Removed, Spans},
    types::Namespace,
};
use rusqlite::{Connection, Transaction, params_from_iter, types::Value};

use crate::{cues, errors::Context, read::within, snapshot};

/// Takes the doomed memories of a namespace away, and what depends on them.
pub(crate) fn forget(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    tenant: i64,
    doomed: &Doomed,
) -> Result<Forgotten, StoreError> {
    let (condition, values) = match doomed {
        Doomed::One(seq) => (" AND m.seq = ?2".to_owned(), vec![Value::Integer(tenant), Value::Integer(seq.0 as i64)]),
        Doomed::Within(scope) => within(scope, tenant),
    };
    let chosen = format!("SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition}");
    let places: Vec<u64> = context.run(
        transaction
            .prepare(&chosen)
            .and_then(|mut select| select.query_map(params_from_iter(&values), |row| row.get(0))?.collect()),
    )?;
    let cue_ids = cues::ids_of(transaction, context, &chosen, &values)?;
    let (turns, notes) = context.run(transaction.query_row(
        &format!(
            "SELECT count(*) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind = 1)
             FROM memory WHERE namespace = ?1 AND seq IN ({chosen})"
        ),
        params_from_iter(&values),
        |row| Ok((row.get(0)?, row.get(1)?)),
    ))?;
    let remove = |table: &str| {
        let sql = format!("DELETE FROM {table} WHERE namespace = ?1 AND seq IN ({chosen})");
        context.run(transaction.execute(&sql, params_from_iter(&values)))
    };
    let cues = cues::remove(transaction, context, &chosen, &values)?;
    let vectors = remove("vector")? as u64 + cues.vectors;
    remove("memory")?;
    let sessions = context.run(transaction.execute(
        "DELETE FROM session WHERE namespace = ?1
         AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.session = session.id)",
        [tenant],
    ))? as u64;
    let conversations = context.run(transaction.execute(
        "DELETE FROM conversation WHERE namespace = ?1
         AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.conversation = conversation.id)",
        [tenant],
    ))? as u64;
    // Segments hold terms of forgotten texts, and staged vectors may be of them too.
    let gone = Removed { memories: Spans::of(places), cues: Spans::default() };
    snapshot::lose(transaction, context, tenant, &gone, &cue_ids)?;
    context.run(transaction.execute("DELETE FROM staged WHERE namespace = ?1", [namespace.as_str()]))?;
    if matches!(doomed, Doomed::Within(scope) if scope.is_everything()) {
        for table in ["snapshot", "removed", "encoder"] {
            context.run(transaction.execute(&format!("DELETE FROM {table} WHERE namespace = ?1"), [tenant]))?;
        }
        context.run(transaction.execute("DELETE FROM namespace WHERE id = ?1", [tenant]))?;
    }
    Ok(Forgotten { turns, notes, vectors, cues: cues.questions, sessions, conversations })
}

/// Empties the write-ahead log, which still holds pages as they were before.
///
/// `secure_delete` has overwritten them in the file itself.
pub(crate) fn empty_log(connection: &Connection, context: Context<'_>) -> Result<(), StoreError> {
    let busy: bool = context.run(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)))?;
    if busy {
        return Err(crate::errors::location_error(
            context.location(),
            "what was to be forgotten is gone from the store, but another process keeps the write-ahead log open",
            "run the same command again when it has finished, to empty the log too",
        ));
    }
    Ok(())
}
