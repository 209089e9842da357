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

#[cfg(test)]
mod tests {
    use aforesaid_core::{
        store::{Batch, Store},
        types::{Draft, Importance, Namespace, Note, Sensitivity},
    };

    use super::*;
    use crate::{Creation, SqliteStore, read};

    fn removed(numbers: impl IntoIterator<Item = u64>) -> Removed {
        Removed { memories: Spans::of(numbers), cues: Spans::of([7]) }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_never_a_part_of_a_removal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let store = SqliteStore::open(&path, Creation::Allowed).unwrap();
        let namespace = Namespace::new("me").unwrap();
        let note_of = Note {
            id: None,
            conversation: None,
            text: "a note".to_owned(),
            said_at: None,
            importance: Importance::new(0.5).unwrap(),
            tags: Vec::new(),
            sensitivity: Sensitivity::Ordinary,
            source: Vec::new(),
        };
        store.append(&namespace, Batch::of(&[Draft::Note(note_of)])).unwrap();
        let context = Context::new("m.db", "test");
        let go = |gone: Removed| {
            let mut file = rusqlite::Connection::open(&path).unwrap();
            let transaction = file.transaction().unwrap();
            note(&transaction, context, 1, &gone).unwrap();
            transaction.commit().unwrap();
        };
        go(Removed::default());
        go(removed([1, 2, 3, 9]));
        go(removed([5]));
        let half = REMEMBERED_SPANS as u64 / 2;
        go(removed((0..half).map(|number| 100 + 2 * number)));
        let since = |number| {
            let file = rusqlite::Connection::open(&path).unwrap();
            let tenant = read::tenant(&file, context, &namespace).unwrap().unwrap();
            Reader { connection: &file, context, tenant }.removed_since(number).unwrap()
        };
        assert_eq!(since(0).unwrap().memories.runs()[..3], [(1, 3), (5, 5), (9, 9)]);
        assert_eq!(since(3), Some(Removed::default()));
        assert_eq!(since(4), None, "of another history");
        go(removed((0..half).map(|number| 100_000 + 2 * number)));
        assert!(since(2).is_none() && since(3).is_some(), "the oldest had to go, whole");
        go(removed((0..2 * half).map(|number| 200_000 + 2 * number)));
        assert!(since(4).is_none() && since(5).is_some(), "too many to remember at all");
        go(removed([6]));
        assert_eq!(since(5).unwrap().memories.runs(), [(6, 6)]);
    }
}
