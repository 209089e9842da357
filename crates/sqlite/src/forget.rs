//! Forgetting: rows, vectors, derived data, and the bytes they leave behind.

use aforesaid_core::{
    StoreError,
    store::{Doomed, Erasure, Forgotten},
};
use rusqlite::{Transaction, params_from_iter, types::Value};

use crate::{cues, errors::Context, numbering::Passed, read::within};

/// Takes the doomed memories of a namespace away, and what depends on them.
pub(crate) fn forget(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    doomed: &Doomed,
) -> Result<Forgotten, StoreError> {
    let (condition, values) = match doomed {
        Doomed::One(seq) => (" AND m.seq = ?2".to_owned(), vec![Value::Integer(tenant), Value::Integer(seq.0 as i64)]),
        Doomed::Within(scope) => within(scope, tenant),
    };
    let chosen = format!("SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition}");
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
    let passed = Passed::read(transaction, context, &chosen, &values)?;
    remove("memory")?;
    passed.settle(transaction, context, tenant)?;
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
    let staged = forget_derived(transaction, context, tenant)?;
    if matches!(doomed, Doomed::Within(scope) if scope.is_everything()) {
        context.run(transaction.execute("DELETE FROM encoder WHERE namespace = ?1", [tenant]))?;
        context.run(transaction.execute("DELETE FROM namespace WHERE id = ?1", [tenant]))?;
    }
    Ok(Forgotten {
        turns,
        notes,
        vectors,
        cues: cues.questions,
        sessions,
        conversations,
        staged,
        erasure: Erasure::Pending,
    })
}

/// Snapshots hold terms of forgotten texts, and staged vectors may be of them; says how many vectors went.
fn forget_derived(transaction: &Transaction<'_>, context: Context<'_>, tenant: i64) -> Result<u64, StoreError> {
    context.run(transaction.execute("DELETE FROM snapshot WHERE namespace = ?1", [tenant]))?;
    let staged = context.run(transaction.execute("DELETE FROM staged WHERE namespace = ?1", [tenant]))?;
    context.run(transaction.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1", [tenant]))?;
    Ok(staged as u64)
}
