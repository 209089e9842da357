//! Work in a transaction of a connection.

use aforesaid_core::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::errors::Context;

/// Runs `work` in a write transaction of a connection, which is committed where it succeeds.
pub(crate) fn write<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let result = work(&transaction)?;
    context.run(transaction.commit())?;
    Ok(result)
}

/// Like [`write`], but `None` where another connection is writing.
pub(crate) fn write_if_idle<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let started = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let Some(transaction) = context.run_or_busy(started)? else { return Ok(None) };
    let result = work(&transaction)?;
    context.run(transaction.commit())?;
    Ok(Some(result))
}

/// Runs `work` on one consistent view of a connection: the one it is in, where it is in one.
///
/// The store may be damaged: what was read counts though the transaction cannot be ended in order, as after a page that
/// cannot be read.
pub(crate) fn read<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if !connection.is_autocommit() {
        return work(connection);
    }
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Deferred))?;
    let result = work(&transaction);
    // Where even this fails, the pool does not use the connection again.
    let _ = transaction.rollback();
    result
}
