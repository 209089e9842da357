//! Which rows of a namespace were removed of late, and segments of derived indexes: rebuildable, checked by their maker.

use aforesaid_core::{
    StoreError,
    store::{
        Removed, Segment, SegmentKind, SnapshotName,
        tables::{DerivedTable, SegmentFilter, number_of_rows, removals_of},
    },
};
use rusqlite::{Row, params};

use crate::tables::NamespaceTables;

impl DerivedTable for NamespaceTables<'_> {
    fn removals_after(&self, number: u64) -> Result<Vec<(u64, Removed)>, StoreError> {
        let sql = "SELECT number, part, first, last FROM removed WHERE namespace = ?1 AND number > ?2 ORDER BY number";
        let span = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?)));
        let spans: Vec<(u64, i64, (u64, u64))> = self.rows(sql, params![self.tenant, number], span)?;
        Ok(removals_of(&spans))
    }

    fn removal_spans(&self) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM removed WHERE namespace = ?1";
        Ok(self.row(sql, [self.tenant], |row| row.get(0))?.unwrap_or(0))
    }

    fn each_segment(
        &self,
        name: &SnapshotName,
        rows: SegmentKind,
        visit: &mut dyn FnMut(Segment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT block, upto, data FROM snapshot
             WHERE namespace = ?1 AND part = ?2 AND name = ?3 AND maker = ?4 ORDER BY block",
        ))?;
        let mut found =
            self.context.run(select.query(params![self.tenant, number_of_rows(rows), name.index, name.maker]))?;
        while let Some(row) = self.context.run(found.next())? {
            let segment =
                |row: &Row<'_>| Ok(Segment { rows, block: row.get(0)?, upto: row.get(1)?, bytes: row.get(2)? });
            visit(self.context.run(segment(row))?)?;
        }
        Ok(())
    }

    fn segment_names(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT name FROM snapshot WHERE namespace = ?1 ORDER BY name";
        self.rows(sql, [self.tenant], |row| row.get(0))
    }

    fn set_removed(&mut self, number: u64) -> Result<(), StoreError> {
        self.execute("UPDATE namespace SET removed = ?2 WHERE id = ?1", params![self.tenant, number])?;
        self.state.version.removed = number;
        Ok(())
    }

    fn insert_removal(&mut self, number: u64, removed: &Removed) -> Result<(), StoreError> {
        let sql = "INSERT INTO removed (namespace, number, part, first, last) VALUES (?1, ?2, ?3, ?4, ?5)";
        for (rows, spans) in [(SegmentKind::Memories, &removed.memories), (SegmentKind::Cues, &removed.cues)] {
            for (first, last) in spans.runs() {
                self.execute(sql, params![self.tenant, number, number_of_rows(rows), first, last])?;
            }
        }
        Ok(())
    }

    fn trim_removals(&mut self, spans: usize) -> Result<(), StoreError> {
        // None of a removal that is not whole.
        let sql = "DELETE FROM removed WHERE namespace = ?1 AND number <= coalesce((
                       SELECT number FROM removed WHERE namespace = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
                   ), -1)";
        self.execute(sql, params![self.tenant, spans]).map(|_| ())
    }

    fn put_segment(&mut self, name: &SnapshotName, segment: &Segment) -> Result<(), StoreError> {
        let Segment { rows, block, upto, bytes } = segment;
        let sql = "INSERT OR REPLACE INTO snapshot (namespace, part, block, name, maker, upto, data)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.execute(sql, params![self.tenant, number_of_rows(*rows), block, name.index, name.maker, upto, bytes])
            .map(|_| ())
    }

    fn delete_segments(&mut self, filter: SegmentFilter<'_>) -> Result<(), StoreError> {
        match filter {
            SegmentFilter::All => self.execute("DELETE FROM snapshot WHERE namespace = ?1", [self.tenant]),
            SegmentFilter::Block(rows, block) => self.execute(
                "DELETE FROM snapshot WHERE namespace = ?1 AND part = ?2 AND block = ?3",
                params![self.tenant, number_of_rows(rows), block],
            ),
            SegmentFilter::NotBy(maker) => {
                self.execute("DELETE FROM snapshot WHERE namespace = ?1 AND maker <> ?2", params![self.tenant, maker])
            }
        }
        .map(|_| ())
    }
}
