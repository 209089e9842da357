//! Which vectors serve a namespace.

use aforesaid_core::{
    StoreError,
    store::Audience,
    types::{EncoderId, Namespace},
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{errors::Context, read::Reader};

pub(crate) fn serving(
    connection: &Connection,
    context: Context<'_>,
    namespace: &Namespace,
) -> Result<Option<EncoderId>, StoreError> {
    let name: Option<Option<String>> = context.run(
        connection
            .prepare_cached("SELECT serving FROM namespace WHERE name = ?1")
            .and_then(|mut select| select.query_row([namespace.as_str()], |row| row.get(0)).optional()),
    )?;
    Ok(name.flatten().map(EncoderId::new).transpose()?)
}

/// Has the first vectors of a namespace serve it; those of another encoder are refused.
pub(crate) fn settle(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
) -> Result<(), StoreError> {
    match serving(transaction, context, namespace)? {
        Some(serving) if serving == *encoder => Ok(()),
        Some(serving) => {
            Err(StoreError::EncoderMismatch { namespace: namespace.clone(), serving, asked: encoder.clone() })
        }
        None => set(transaction, context, namespace, encoder),
    }
}

/// Has the vectors of `encoder` serve if nothing is missing; says how many are.
pub(crate) fn serve(
    transaction: &Transaction<'_>,
    reader: &Reader<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
    audience: Audience,
) -> Result<u64, StoreError> {
    let context = reader.context;
    let missing = reader.count_unembedded(encoder, audience)?;
    if missing == 0 && serving(transaction, context, namespace)?.as_ref() != Some(encoder) {
        set(transaction, context, namespace, encoder)?;
        let tenant = reader.tenant.number;
        // Indexes of this encoder made when it served before lack what came since.
        context.run(transaction.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?1", [tenant]))?;
        context.run(transaction.execute("DELETE FROM snapshot WHERE namespace = ?1", [tenant]))?;
    }
    Ok(missing)
}

/// Deletes every vector that does not serve; says how many there were.
pub(crate) fn drop_idle(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    tenant: i64,
) -> Result<u64, StoreError> {
    let serving = serving(transaction, context, namespace)?;
    let key = params![tenant, serving.as_ref().map(EncoderId::as_str)];
    let drop_from = |table: &str| {
        let sql = format!(
            "DELETE FROM {table} WHERE namespace = ?1
             AND encoder IN (SELECT id FROM encoder WHERE namespace = ?1 AND name IS NOT ?2)"
        );
        context.run(transaction.execute(&sql, key))
    };
    let vectors = drop_from("vector")? + drop_from("cue_vector")?;
    context.run(transaction.execute("DELETE FROM encoder WHERE namespace = ?1 AND name IS NOT ?2", key))?;
    context.run(transaction.execute("DELETE FROM staged WHERE namespace = ?1 AND encoder IS NOT ?2", key))?;
    Ok(vectors as u64)
}

fn set(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
) -> Result<(), StoreError> {
    let key = params![namespace.as_str(), encoder.as_str()];
    context.run(transaction.execute("UPDATE namespace SET serving = ?2 WHERE name = ?1", key))?;
    Ok(())
}
