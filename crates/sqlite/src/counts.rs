//! How many rows a namespace should have, for whoever has read them all.

use aforesaid_core::{StoreError, store::tables::RowKind};

use crate::tables::NamespaceTables;

/// Rows that are counted.
pub(crate) const ALL: [RowKind; 2] = [RowKind::Memories, RowKind::Questions];

/// The column of the table `namespace` that counts them.
pub(crate) fn column(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Memories => "memories",
        RowKind::Questions => "questions",
    }
}

/// SQL of the rows of a namespace `n`.
///
/// By the primary key, which is the table: left to itself, the planner counts the entries of an index, and an index may
/// have what the table lost.
pub(crate) fn rows(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Memories => "memory m INDEXED BY sqlite_autoindex_memory_1 WHERE m.namespace = n.id",
        RowKind::Questions => "cue c INDEXED BY sqlite_autoindex_cue_1 WHERE c.namespace = n.id AND c.part > 0",
    }
}

/// What they are called.
pub(crate) fn noun(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Memories => "memories",
        RowKind::Questions => "cue questions",
    }
}

/// Compares what was found in the whole namespace with what was counted as it was written.
///
/// # Errors
/// [`StoreError::Damaged`] where they differ.
pub(crate) fn expect(tables: &NamespaceTables<'_>, kind: RowKind, found: u64) -> Result<(), StoreError> {
    let sql = format!("SELECT name, {} FROM namespace WHERE id = ?1", column(kind));
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let recorded: Option<(String, i64)> = tables.row(&sql, [tables.tenant], read)?;
    match recorded {
        Some((name, recorded)) if i64::try_from(found) != Ok(recorded) => Err(tables
            .context
            .damaged(format!("namespace {name:?} has {found} {}, and {recorded} are recorded", noun(kind)))),
        _ => Ok(()),
    }
}
