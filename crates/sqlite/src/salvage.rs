//! Reading what can be read of a damaged namespace.

use std::collections::BTreeSet;

use aforesaid_core::{StoreError, store::Salvaged, types::Record};
use rusqlite::params;

use crate::{
    row::{self, Verdict},
    tables::NamespaceTables,
};

/// Ways to every position, each of which may break off somewhere else.
const WAYS: [&str; 4] = [
    "SELECT seq FROM memory INDEXED BY sqlite_autoindex_memory_1 WHERE namespace = ?1 ORDER BY seq",
    "SELECT seq FROM memory INDEXED BY sqlite_autoindex_memory_1 WHERE namespace = ?1 ORDER BY seq DESC",
    "SELECT seq FROM memory INDEXED BY memory_by_session WHERE namespace = ?1 ORDER BY session, seq",
    "SELECT seq FROM memory INDEXED BY memory_by_session WHERE namespace = ?1 ORDER BY session DESC, seq DESC",
];

impl NamespaceTables<'_> {
    /// Visits every memory that can be read, by position, and says what could not be.
    pub(crate) fn salvage(
        &self,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Salvaged, StoreError> {
        let recorded = "SELECT memories FROM namespace WHERE id = ?1";
        let recorded: i64 = self.context.run(self.connection.query_row(recorded, [self.tenant], |row| row.get(0)))?;
        let mut salvaged = Salvaged::default();
        let mut select =
            self.context.run(self.connection.prepare(&format!("{} AND m.seq = ?2", row::SELECT_LOOSELY)))?;
        let mut seen = 0;
        for position in self.readable_positions()? {
            let row = select.query_row(params![self.tenant, position], row::unverified);
            match self.context.run(row) {
                Ok((memory, verdict)) => {
                    if verdict == Verdict::Changed {
                        salvaged.changed.push(position);
                    }
                    visit(memory)?;
                    salvaged.read += 1;
                }
                Err(StoreError::Damaged { .. } | StoreError::Backend { .. }) => {}
                Err(error) => return Err(error),
            }
            seen += 1;
        }
        salvaged.lost = u64::try_from(recorded).unwrap_or(0).max(seen).saturating_sub(salvaged.read);
        Ok(salvaged)
    }

    fn readable_positions(&self) -> Result<BTreeSet<u64>, StoreError> {
        let mut positions = BTreeSet::new();
        for way in WAYS {
            let mut select = self.context.run(self.connection.prepare(way))?;
            let Ok(mut rows) = select.query([self.tenant]) else { continue };
            // What comes after an error is found the other way, or not at all.
            while let Ok(Some(row)) = rows.next() {
                positions.extend(row.get::<_, u64>(0).ok());
            }
        }
        Ok(positions)
    }
}
