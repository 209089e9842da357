//! Which rows of a namespace were removed of late, and segments of derived indexes: rebuildable, checked by their maker.

use aforesaid_core::{
    StoreError,
    store::{
        Removed, Segment, SegmentKind, SnapshotName,
        tables::{DerivedTable, SegmentFilter, number_of_rows, removals_of},
    },
};

use crate::{tables::NamespaceTables, value::values};

impl DerivedTable for NamespaceTables<'_> {
    fn removals_after(&self, number: u64) -> Result<Vec<(u64, Removed)>, StoreError> {
        let sql = "SELECT r.number, r.part, r.first, r.last FROM @removed r
                   WHERE r.tenant = $1 AND r.number > $2 ORDER BY r.number";
        let mut spans: Vec<(u64, i64, (u64, u64))> = Vec::new();
        for row in &self.rows(sql, values![number])? {
            spans.push((self.number(row, 0)?, self.get(row, 1)?, (self.number(row, 2)?, self.number(row, 3)?)));
        }
        Ok(removals_of(&spans))
    }

    fn removal_spans(&self) -> Result<usize, StoreError> {
        Ok(self.count_of("SELECT count(*)::int8 FROM @removed r WHERE r.tenant = $1", values![])? as usize)
    }

    fn each_segment(
        &self,
        name: &SnapshotName,
        rows: SegmentKind,
        visit: &mut dyn FnMut(Segment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // The visitor asks for other rows between them.
        let blocks = "SELECT p.block FROM @snapshot p
                      WHERE p.tenant = $1 AND p.part = $2 AND p.name = $3 AND p.maker = $4 ORDER BY p.block";
        let one = "SELECT p.upto, p.data FROM @snapshot p
                   WHERE p.tenant = $1 AND p.part = $2 AND p.block = $3 AND p.name = $4 AND p.maker = $5";
        let blocks = self.rows(blocks, values![number_of_rows(rows), &*name.index, &*name.maker])?;
        for row in &blocks {
            let block = self.number(row, 0)?;
            let found = self.row(one, values![number_of_rows(rows), block, &*name.index, &*name.maker])?;
            if let Some(row) = found {
                visit(Segment { rows, block, upto: self.number(&row, 0)?, bytes: self.get(&row, 1)? })?;
            }
        }
        Ok(())
    }

    fn segment_names(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT p.name FROM @snapshot p WHERE p.tenant = $1 ORDER BY p.name";
        self.rows(sql, values![])?.iter().map(|row| self.get(row, 0)).collect()
    }

    fn set_removed(&mut self, number: u64) -> Result<(), StoreError> {
        self.send("UPDATE @namespace n SET removed = $2 WHERE n.tenant = $1", values![number])?;
        self.state.version.removed = number;
        Ok(())
    }

    fn insert_removal(&mut self, number: u64, removed: &Removed) -> Result<(), StoreError> {
        let sql = "INSERT INTO @removed (tenant, number, part, first, last) VALUES ($1, $2, $3, $4, $5)";
        for (rows, spans) in [(SegmentKind::Memories, &removed.memories), (SegmentKind::Cues, &removed.cues)] {
            for (first, last) in spans.runs() {
                self.send(sql, values![number, number_of_rows(rows), *first, *last])?;
            }
        }
        Ok(())
    }

    fn trim_removals(&mut self, spans: usize) -> Result<(), StoreError> {
        // None of a removal that is not whole.
        let sql = "DELETE FROM @removed r WHERE r.tenant = $1 AND r.number <= coalesce((
                       SELECT o.number FROM @removed o WHERE o.tenant = $1 ORDER BY o.number DESC LIMIT 1 OFFSET $2
                   ), -1)";
        self.send(sql, values![spans])
    }

    fn put_segment(&mut self, name: &SnapshotName, segment: &Segment) -> Result<(), StoreError> {
        let Segment { rows, block, upto, bytes } = segment;
        let sql =
            "INSERT INTO @snapshot (tenant, part, block, name, maker, upto, data) VALUES ($1, $2, $3, $4, $5, $6, $7)
                   ON CONFLICT (tenant, part, block, name)
                   DO UPDATE SET maker = excluded.maker, upto = excluded.upto, data = excluded.data";
        self.send(sql, values![number_of_rows(*rows), *block, &*name.index, &*name.maker, *upto, &bytes[..]])
    }

    fn delete_segments(&mut self, filter: SegmentFilter<'_>) -> Result<(), StoreError> {
        match filter {
            SegmentFilter::All => self.send("DELETE FROM @snapshot p WHERE p.tenant = $1", values![]),
            SegmentFilter::Block(rows, block) => self.send(
                "DELETE FROM @snapshot p WHERE p.tenant = $1 AND p.part = $2 AND p.block = $3",
                values![number_of_rows(rows), block],
            ),
            SegmentFilter::NotBy(maker) => {
                self.send("DELETE FROM @snapshot p WHERE p.tenant = $1 AND p.maker <> $2", values![maker])
            }
        }
    }
}
