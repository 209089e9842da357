//! What the server keeps of deleted rows.
//!
//! A deleted row is in no answer from its commit on. Its bytes stay in the table until a vacuum takes the row out, in the
//! place where it was until something else is written there, and in the write-ahead log, standbys and backups for as long
//! as those are kept. None of this can be overwritten from here, and no report says that it was. What can be done is a
//! vacuum, which is done after a deletion where the tables are small; larger ones are left to autovacuum.

use aforesaid_core::{StoreError, store::Erasure, types::Namespace};

use crate::{
    connection::{Connection, Whose},
    errors::Context,
    migrations::TABLES,
    shared,
    tables::NamespaceTables,
    value::{Tenant, values},
};

/// Tables above this size together are left to autovacuum, in bytes: a vacuum goes through all namespaces.
const VACUUMED: i64 = 256 << 20;

/// Notes in the transaction of a deletion that a vacuum is due.
pub(crate) fn begin(tables: &NamespaceTables<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO @erasing (tenant, name) VALUES ($1, $2) ON CONFLICT (tenant) DO NOTHING";
    tables.send(sql, values![tables.name.as_str()])
}

/// Vacuums where that is due; says how far an erasure has come.
pub(crate) fn finish(connection: &Connection, context: Context<'_>, schema: &str) -> Result<Erasure, StoreError> {
    connection.command("BEGIN".to_owned());
    connection.see(Whose::Names);
    let due = connection.shared_rows(context, &shared::ERASING, values![])?;
    connection.run_commands(context, "COMMIT")?;
    if due.is_empty() {
        return Ok(Erasure::LeftToServer);
    }
    let size = connection.shared_rows(context, &shared::SIZE, values![schema])?;
    let size: i64 = size.first().map_or(Ok(0), |row| row.try_get(0)).map_err(|_| context.unreadable())?;
    if size <= VACUUMED {
        let tables = TABLES.map(|table| format!("@{table}")).join(", ");
        // A session of its own kind: it cannot be in a transaction.
        if connection.run_commands(context, &format!("VACUUM {tables}")).is_err() {
            return Ok(Erasure::Pending);
        }
        // While an index of vectors is made, which takes long, it is left to autovacuum.
        let halves = "VACUUM (SKIP_LOCKED) @half";
        if connection.pgvector().is_some() && connection.run_commands(context, halves).is_err() {
            return Ok(Erasure::Pending);
        }
    }
    for row in &due {
        let name: String = row.try_get(0).map_err(|_| context.unreadable())?;
        let tenant = Tenant::of(&Namespace::new(name)?);
        connection.command("BEGIN".to_owned());
        connection.see(Whose::Tenant(tenant));
        connection.execute(context, tenant, "DELETE FROM @erasing x WHERE x.tenant = $1", values![])?;
        connection.run_commands(context, "COMMIT")?;
    }
    Ok(Erasure::LeftToServer)
}
