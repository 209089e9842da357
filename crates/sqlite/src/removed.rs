//! Which rows of a namespace went of late, for indexes that hold them still.

use aforesaid_core::{
    StoreError,
    store::{REMEMBERED_SPANS, Removed, Rows, Spans},
};
use rusqlite::{Transaction, params};

use crate::{errors::Context, read::Reader, snapshot::part};

/// Notes what went; the oldest is dropped where there is too much to remember.
pub(crate) fn note(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    gone: &Removed,
) -> Result<(), StoreError> {
    if gone.is_empty() {
        return Ok(());
    }
    let number = "UPDATE namespace SET removed = removed + 1 WHERE id = ?1 RETURNING removed";
    let number: i64 = context.run(transaction.query_row(number, [tenant], |row| row.get(0)))?;
    let count = "SELECT count(*) FROM removed WHERE namespace = ?1";
    let known: usize = context.run(transaction.query_row(count, [tenant], |row| row.get(0)))?;
    if known + gone.spans() > REMEMBERED_SPANS {
        forget_oldest(transaction, context, tenant, REMEMBERED_SPANS.saturating_sub(gone.spans()))?;
    }
    if gone.spans() > REMEMBERED_SPANS {
        return Ok(());
    }
    let mut insert = context
        .run(transaction.prepare_cached(
            "INSERT INTO removed (namespace, number, part, first, last) VALUES (?1, ?2, ?3, ?4, ?5)",
        ))?;
    for (rows, spans) in [(Rows::Memories, &gone.memories), (Rows::Cues, &gone.cues)] {
        for (first, last) in spans.runs() {
            context.run(insert.execute(params![tenant, number, part(rows), first, last]))?;
        }
    }
    Ok(())
}

/// Keeps no more than the last `most` spans, and none of a removal that is not whole.
fn forget_oldest(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    tenant: i64,
    most: usize,
) -> Result<(), StoreError> {
    context.run(transaction.execute(
        "DELETE FROM removed WHERE namespace = ?1 AND number <= coalesce((
             SELECT number FROM removed WHERE namespace = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
         ), -1)",
        params![tenant, most],
    ))?;
    Ok(())
}

impl Reader<'_> {
    /// What went after the removal of a number; `None` where that is not known any more.
    pub(crate) fn removed_since(&self, number: u64) -> Result<Option<Removed>, StoreError> {
        let now = self.tenant.version.removed;
        if number >= now {
            return Ok((number == now).then(Removed::default));
        }
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT number, part, first, last FROM removed WHERE namespace = ?1 AND number > ?2 ORDER BY number",
        ))?;
        let span = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?)));
        let spans = select.query_map(params![self.tenant.number, number], span);
        let spans: Vec<(u64, i64, (u64, u64))> = self.context.run(spans.and_then(Iterator::collect))?;
        // Removals are dropped from the oldest on: when the first is there, all are.
        if spans.first().is_none_or(|(first, ..)| *first != number + 1) {
            return Ok(None);
        }
        let of = |rows| Spans::of_runs(spans.iter().filter(|(_, of, _)| *of == part(rows)).map(|(_, _, span)| *span));
        Ok(Some(Removed { memories: of(Rows::Memories), cues: of(Rows::Cues) }))
    }
}
