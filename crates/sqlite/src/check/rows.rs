//! Every row, read as it would be read in use, and compared with its checksum.

use aforesaid_core::{
    StoreError,
    store::Finding,
    types::{ConversationId, EncoderId, Namespace, SessionId},
};
use rusqlite::Row;

use super::Checking;
use crate::row::{self, Verdict};

/// Positions of bad rows that are told of one namespace.
const SHOWN: usize = 20;

impl Checking<'_> {
    /// Reads everything there is; what cannot be read is a finding, and the rest is read nevertheless.
    pub(super) fn rows(&mut self) -> Result<(), StoreError> {
        let numbers: Vec<i64> = self.names.keys().copied().collect();
        for number in numbers {
            let namespace = self.namespace(number);
            self.attempt(&format!("memories of {namespace}"), |checking| checking.memories(number))?;
            self.attempt(&format!("vectors of {namespace}"), |checking| checking.vectors(number, "vector"))?;
            self.attempt(&format!("vectors of cues of {namespace}"), |checking| {
                checking.vectors(number, "cue_vector")
            })?;
            self.attempt(&format!("cues of {namespace}"), |checking| checking.questions(number))?;
        }
        self.attempt("the names", Self::all_names)
    }

    fn memories(&mut self, number: i64) -> Result<(), StoreError> {
        let mut select = self.context.run(self.connection.prepare(&format!("{} ORDER BY m.seq", row::SELECT)))?;
        let mut rows = self.context.run(select.query([number]))?;
        let (mut bad, mut told) = (0, Vec::new());
        while let Some(row) = self.context.run(rows.next())? {
            let found = match self.context.run(row::unverified(row)) {
                Ok((_, Verdict::Sound)) => continue,
                Ok((memory, Verdict::Changed)) => {
                    format!("the memory at position {} is not what its checksum was made of", memory.seq.0)
                }
                Err(StoreError::Damaged { found, .. }) => found,
                Err(error) => return Err(error),
            };
            bad += 1;
            if told.len() < SHOWN {
                told.push(found);
            }
        }
        drop(rows);
        drop(select);
        let namespace = self.namespace(number);
        let more = bad - told.len();
        told.into_iter().for_each(|found| self.damage(&namespace, found, "what was stored"));
        if more > 0 {
            self.damage(&namespace, format!("{more} more such memories"), "what was stored");
        }
        self.without_checksum(number)
    }

    fn without_checksum(&mut self, number: i64) -> Result<(), StoreError> {
        let sql = format!("SELECT count(*) FROM memory WHERE namespace = {number} AND checksum IS NULL");
        let count = self.number(&sql)?;
        if count > 0 {
            self.findings.push(Finding::note(
                self.namespace(number),
                format!("{count} memories that an older version stored without a checksum"),
                "one each, to tell when a text has changed",
                "export them and import them into a new store",
            ));
        }
        Ok(())
    }

    /// Components that are no numbers make every score of a search none.
    fn vectors(&mut self, number: i64, table: &str) -> Result<(), StoreError> {
        let sql = format!("SELECT data FROM {table} NOT INDEXED WHERE namespace = ?1");
        let mut select = self.context.run(self.connection.prepare(&sql))?;
        let mut rows = self.context.run(select.query([number]))?;
        let mut bad = 0;
        while let Some(row) = self.context.run(rows.next())? {
            let data = self.context.run(row.get_ref(0).and_then(|data| Ok(data.as_blob()?)))?;
            let finite = data.as_chunks::<4>().0.iter().all(|word| f32::from_le_bytes(*word).is_finite());
            bad += u64::from(!finite);
        }
        drop(rows);
        drop(select);
        if bad > 0 {
            let finding = Finding::damage(
                self.namespace(number),
                format!("{bad} vectors with a component that is no number"),
                "none",
            );
            self.findings.push(finding.remedied_by("re-embed the namespace by another encoder and back"));
        }
        Ok(())
    }

    fn questions(&mut self, number: i64) -> Result<(), StoreError> {
        let sql = "SELECT question FROM cue WHERE namespace = ?1 AND part > 0";
        let mut select = self.context.run(self.connection.prepare(sql))?;
        let mut rows = self.context.run(select.query([number]))?;
        while let Some(row) = self.context.run(rows.next())? {
            self.context.run(row.get_ref(0).and_then(|question| Ok(question.as_str().map(|_| ())?)))?;
        }
        Ok(())
    }

    /// Names are checked on their way in, and must still be names.
    fn all_names(&mut self) -> Result<(), StoreError> {
        type IsName = fn(&str) -> bool;
        let tables: [(&str, IsName); 4] = [
            ("namespace", |name| Namespace::new(name).is_ok()),
            ("conversation", |name| ConversationId::new(name).is_ok()),
            ("session", |name| SessionId::new(name).is_ok()),
            ("encoder", |name| EncoderId::new(name).is_ok()),
        ];
        for (table, is_name) in tables {
            self.attempt(&format!("names of table {table}"), |checking| {
                let select = checking.connection.prepare(&format!("SELECT name FROM {table} NOT INDEXED"));
                let bad = |row: &Row<'_>| Ok(!row.get_ref(0)?.as_str().is_ok_and(is_name));
                let bad: Vec<bool> =
                    checking.context.run(select.and_then(|mut select| select.query_map([], bad)?.collect()))?;
                let bad = bad.into_iter().filter(|bad| *bad).count();
                if bad > 0 {
                    checking.damage(format!("table {table}"), format!("{bad} names that are none"), "names");
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
