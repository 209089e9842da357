//! How the tables are laid out, beyond what every store has: policies on rows, and distribution over servers by Citus.
//!
//! Neither changes a table's columns or keys, and both can be asked for again.

use aforesaid_core::StoreError;

use crate::{
    connection::Connection,
    errors::Context,
    halves::Pgvector,
    migrations::{LOCK, TABLES},
    shared,
    value::values,
};

/// How the tables of a store are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// Whether rows are spread over servers.
    pub distribution: Distribution,
    /// Whether the server itself keeps tenants apart, too.
    pub row_security: RowSecurity,
}

/// Whether the rows of tenants are spread over servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distribution {
    /// They stay where they are.
    #[default]
    AsItIs,
    /// By tenant, all tables of one on the same server; Citus does it.
    ByTenant,
}

/// Whether the server keeps tenants apart by policies on rows, beside the tenant in every statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowSecurity {
    /// It stays as it is.
    #[default]
    AsItIs,
    /// A row is seen and written only in a transaction whose setting names its tenant.
    On,
}

/// The setting that says whose rows a transaction is about.
pub(crate) const SETTING: &str = "aforesaid.tenant";

/// Its value where the names of all namespaces are listed.
pub(crate) const NAMES: &str = "all";

/// Tables whose rows are nothing but names, which are listed.
const NAMED: [&str; 2] = ["namespace", "erasing"];

/// Lays the tables out; they are there.
pub(crate) fn lay_out(
    connection: &Connection,
    context: Context<'_>,
    schema: &str,
    layout: Layout,
) -> Result<(), StoreError> {
    connection.run_commands(context, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '120s'")?;
    let laid_out = (|| {
        connection.shared_rows(context, &shared::LOCK_FORMAT, values![LOCK])?;
        let mut tables = TABLES.to_vec();
        if Pgvector::has_table(connection, context, schema)? {
            tables.push(Pgvector::TABLE);
        }
        if layout.distribution == Distribution::ByTenant {
            distribute(connection, context, schema, &tables)?;
        }
        match layout.row_security {
            // One by one: Citus passes each on as it was sent.
            RowSecurity::On => policies(&tables).iter().try_for_each(|sql| connection.run_commands(context, sql)),
            RowSecurity::AsItIs => Ok(()),
        }
    })();
    match laid_out {
        Ok(()) => connection.run_commands(context, "COMMIT"),
        Err(error) => {
            // Where even this fails, the connection is not used again.
            let _ = connection.run_commands(context, "ROLLBACK");
            Err(error)
        }
    }
}

fn distribute(connection: &Connection, context: Context<'_>, schema: &str, tables: &[&str]) -> Result<(), StoreError> {
    if !connection.shared_truth(context, &shared::HAS_CITUS, values![])? {
        return Err(context.refused(
            "has no Citus, which spreads tables over servers".to_owned(),
            "run CREATE EXTENSION citus in this database and add its workers, or leave the tables on one server",
        ));
    }
    let known = distributed(connection, context, schema)?;
    connection.run_commands(context, &distribution(tables, |table| known.iter().any(|known| known == table)))
}

/// The tables that Citus knows; it is in the database.
fn distributed(connection: &Connection, context: Context<'_>, schema: &str) -> Result<Vec<String>, StoreError> {
    let rows = connection.shared_rows(context, &shared::DISTRIBUTED, values![schema])?;
    rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(|_| context.unreadable())
}

/// Lays out a table that is made later than the others as they are; in the transaction that makes it.
pub(crate) fn as_the_others(
    connection: &Connection,
    context: Context<'_>,
    schema: &str,
    table: &str,
) -> Result<(), StoreError> {
    if connection.shared_truth(context, &shared::HAS_CITUS, values![])?
        && distributed(connection, context, schema)?.iter().any(|known| known == TABLES[0])
    {
        distribute(connection, context, schema, &[table])?;
    }
    if connection.shared_truth(context, &shared::HAS_POLICIES, values![schema])? {
        policies(&[table]).iter().try_for_each(|sql| connection.run_commands(context, sql))?;
    }
    Ok(())
}

/// Commands that distribute the tables that are not.
fn distribution(tables: &[&str], is_known: impl Fn(&str) -> bool) -> String {
    let mut sql = String::new();
    for table in tables.iter().filter(|table| !is_known(table)) {
        let beside = if *table == TABLES[0] { "none".to_owned() } else { format!("@{}", TABLES[0]) };
        sql.push_str(&format!("SELECT create_distributed_table('@{table}', 'tenant', colocate_with => '{beside}');\n"));
    }
    if !is_known("format") {
        sql.push_str("SELECT create_reference_table('@format');\n");
    }
    sql
}

/// Commands that make a policy for each table.
fn policies(tables: &[&str]) -> Vec<String> {
    let mut commands = Vec::new();
    for table in tables {
        // The value is no tenant where it is not set, empty after a transaction that set it, or asks for names.
        let own = format!("tenant = nullif(nullif(current_setting('{SETTING}', true), ''), '{NAMES}')::uuid");
        let seen = match NAMED.contains(table) {
            true => format!("{own} OR current_setting('{SETTING}', true) = '{NAMES}'"),
            false => own.clone(),
        };
        commands.extend([
            format!("ALTER TABLE @{table} ENABLE ROW LEVEL SECURITY"),
            format!("ALTER TABLE @{table} FORCE ROW LEVEL SECURITY"),
            format!("DROP POLICY IF EXISTS tenant ON @{table}"),
            format!("CREATE POLICY tenant ON @{table} USING ({seen}) WITH CHECK ({own})"),
        ]);
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Citus asks: every table by the same column, all beside the first, and none of them twice.
    #[test]
    fn all_tables_are_distributed_beside_the_first() {
        let sql = distribution(&TABLES, |_| false);
        let lines: Vec<&str> = sql.lines().collect();
        assert_eq!(lines.len(), TABLES.len() + 1);
        assert_eq!(lines[0], "SELECT create_distributed_table('@namespace', 'tenant', colocate_with => 'none');");
        for (line, table) in lines.iter().zip(TABLES).skip(1) {
            assert_eq!(
                *line,
                format!("SELECT create_distributed_table('@{table}', 'tenant', colocate_with => '@namespace');")
            );
        }
        assert_eq!(distribution(&TABLES, |table| table != "cue").lines().count(), 1);
        assert_eq!(distribution(&TABLES, |_| true), "");
    }

    #[test]
    fn every_table_has_a_policy() {
        let sql = policies(&TABLES).join(";") + ";";
        for table in TABLES {
            for command in ["ENABLE ROW LEVEL SECURITY", "FORCE ROW LEVEL SECURITY"] {
                assert!(sql.contains(&format!("ALTER TABLE @{table} {command};")), "{table}");
            }
            assert!(sql.contains(&format!("CREATE POLICY tenant ON @{table} USING (tenant = nullif(")), "{table}");
        }
        assert_eq!(sql.matches("= 'all')").count(), NAMED.len());
    }
}
