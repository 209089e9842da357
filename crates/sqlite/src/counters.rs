//! How many rows a namespace should have, for whoever has read them all.

use aforesaid_core::StoreError;

use crate::read::Reader;

/// What a namespace counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Turns and notes.
    Memories,
    /// Cue questions.
    Questions,
}

impl Counter {
    pub(crate) const ALL: [Self; 2] = [Self::Memories, Self::Questions];

    /// Its column of the table `namespace`.
    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Questions => "questions",
        }
    }

    /// SQL of the rows it counts of a namespace `n`.
    ///
    /// By the primary key, which is the table: left to itself, the planner counts the entries of an index, and an index
    /// may have what the table lost.
    pub(crate) fn rows(self) -> &'static str {
        match self {
            Self::Memories => "memory m INDEXED BY sqlite_autoindex_memory_1 WHERE m.namespace = n.id",
            Self::Questions => "cue c INDEXED BY sqlite_autoindex_cue_1 WHERE c.namespace = n.id AND c.part > 0",
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Questions => "cue questions",
        }
    }
}

impl Reader<'_> {
    /// Compares what was found in the whole namespace with what was counted as it was written.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where they differ.
    pub(crate) fn expect(&self, counter: Counter, found: u64) -> Result<(), StoreError> {
        let sql = format!("SELECT name, {} FROM namespace WHERE id = ?1", counter.column());
        let (name, recorded): (String, i64) = self.context.run(
            self.connection
                .prepare_cached(&sql)
                .and_then(|mut select| select.query_row([self.tenant.number], |row| Ok((row.get(0)?, row.get(1)?)))),
        )?;
        match i64::try_from(found) == Ok(recorded) {
            true => Ok(()),
            false => Err(StoreError::Damaged {
                location: self.context.location().to_owned(),
                found: format!("namespace {name:?} has {found} {}, and {recorded} are recorded", counter.noun()),
            }),
        }
    }
}
