//! Vectors in half precision, which pgvector compares; the exact ones stay where they are.
//!
//! Where a database has pgvector 0.8 or newer, namespaces that are searched in it keep the vectors of their active encoder
//! a second time: `halfvec`, a row a window. What they order are candidates, whose scores are made of the exact vectors.

use aforesaid_core::{
    StoreError,
    store::tables::components_into,
    types::{EncoderId, Seq},
};

use crate::{
    connection::Connection,
    errors::Context,
    layout, shared,
    tables::NamespaceTables,
    value::{Value, values},
};

/// Vectors that are copied in one transaction of their own.
pub(crate) const AT_ONCE: usize = 2_048;

/// The largest number of half precision.
const LARGEST: f32 = 65_504.0;

/// The oldest version that is used, and the first without known damage by a vacuum.
const OLDEST: [u64; 3] = [0, 8, 0];
const SOUND: [u64; 3] = [0, 8, 4];

/// pgvector as a database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pgvector {
    version: String,
    /// The schema of its types, quoted.
    schema: String,
}

impl Pgvector {
    /// Whether it is in the database.
    pub(crate) fn of(connection: &Connection, context: Context<'_>) -> Result<Option<Self>, StoreError> {
        let rows = connection.shared_rows(context, &shared::PGVECTOR, values![])?;
        let text = |row: &tokio_postgres::Row, column| row.try_get(column).map_err(|_| context.unreadable());
        rows.first().map(|row| Ok(Self { version: text(row, 0)?, schema: text(row, 1)? })).transpose()
    }

    /// Whether it compares vectors of half precision and goes on where an index gave too few.
    pub(crate) fn is_usable(&self) -> bool {
        self.numbers() >= OLDEST
    }

    /// What should be known of this version.
    pub(crate) fn weakness(&self) -> Option<String> {
        match self.numbers() {
            numbers if numbers < OLDEST => Some(format!("pgvector {} is too old and is not used", self.version)),
            numbers if numbers < SOUND => {
                Some(format!("pgvector {} may damage an index while it is vacuumed", self.version))
            }
            _ => None,
        }
    }

    fn numbers(&self) -> [u64; 3] {
        let mut numbers = self.version.split('.').map(|number| number.parse().unwrap_or(0));
        std::array::from_fn(|_| numbers.next().unwrap_or(0))
    }

    /// The type of its vectors.
    pub(crate) fn halfvec(&self) -> String {
        format!("{}.halfvec", self.schema)
    }

    /// What an index of cosine distances goes by.
    pub(crate) fn cosine_operators(&self) -> String {
        format!("{}.halfvec_cosine_ops", self.schema)
    }

    /// Its function that counts components.
    pub(crate) fn dims(&self) -> String {
        format!("{}.vector_dims", self.schema)
    }

    /// Its operator of the cosine distance.
    pub(crate) fn distance(&self) -> String {
        format!("OPERATOR({}.<=>)", self.schema)
    }

    /// The table of vectors in half precision.
    pub(crate) const TABLE: &'static str = "half";

    /// Whether a store has the table.
    pub(crate) fn has_table(connection: &Connection, context: Context<'_>, schema: &str) -> Result<bool, StoreError> {
        connection.shared_truth(context, &shared::HAS_HALVES, values![schema])
    }

    /// Makes the table where it is missing, laid out as the others; says whether it is there. It is not where it is missing and
    /// the user may make none.
    pub(crate) fn prepare(
        &self,
        connection: &Connection,
        context: Context<'_>,
        schema: &str,
    ) -> Result<bool, StoreError> {
        let has_table = || Self::has_table(connection, context, schema);
        if has_table()? {
            return Ok(true);
        }
        if !connection.shared_truth(context, &shared::MAY_MAKE, values![schema])? {
            return Ok(false);
        }
        connection.run_commands(context, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '120s'")?;
        let made = (|| {
            connection.shared_rows(context, &shared::LOCK_FORMAT, values![crate::migrations::LOCK])?;
            if has_table()? {
                return Ok(());
            }
            let ddl = format!(
                "CREATE TABLE @half (
                     tenant  uuid NOT NULL,
                     encoder bigint NOT NULL,
                     seq     bigint NOT NULL,
                     part    bigint NOT NULL,
                     data    {} NOT NULL,
                     PRIMARY KEY (tenant, encoder, seq, part)
                 );
                 ALTER TABLE @half ALTER COLUMN data SET STORAGE MAIN",
                self.halfvec()
            );
            connection.run_commands(context, &ddl)?;
            layout::as_the_others(connection, context, schema, Self::TABLE)
        })();
        match made {
            Ok(()) => connection.run_commands(context, "COMMIT").map(|()| true),
            Err(error) => {
                // Where even this fails, the connection is not used again.
                let _ = connection.run_commands(context, "ROLLBACK");
                Err(error)
            }
        }
    }
}

impl NamespaceTables<'_> {
    /// Whether all vectors of an encoder are there in half precision, too.
    pub(crate) fn has_halves(&self, encoder: i64) -> bool {
        self.derived.half_encoder == Some(encoder) && self.derived.half_whole
    }

    /// Copies up to `limit` vectors of an encoder that were not copied yet.
    pub(crate) fn derive_halves(&mut self, encoder: &EncoderId, limit: usize) -> Result<(), StoreError> {
        let number = self.known_encoder(encoder)?.number;
        if self.derived.half_encoder != Some(number) {
            self.drop_halves()?;
            self.derived.half_encoder = Some(number);
        }
        let sql = "SELECT v.seq, v.data FROM @vector v
                   WHERE v.tenant = $1 AND v.encoder = $2 AND v.seq > $3 ORDER BY v.seq LIMIT $4";
        let rows = self.rows(sql, values![number, self.derived.half_upto, limit])?;
        let mut vectors = Vec::new();
        for row in &rows {
            let seq = self.number(row, 0)?;
            vectors.clear();
            components_into(self.get(row, 1)?, &mut vectors);
            self.put_half(encoder, Seq(seq), &vectors)?;
            self.derived.half_upto = seq;
        }
        self.derived.half_whole = rows.len() < limit;
        let sql = "UPDATE @namespace n SET half_encoder = $2, half_upto = $3, half_whole = $4 WHERE n.tenant = $1";
        self.send(sql, values![number, self.derived.half_upto, self.derived.half_whole])
    }

    /// Keeps the vectors of a memory's windows in half precision, too, where that is done for their encoder.
    pub(crate) fn put_half(&mut self, encoder: &EncoderId, seq: Seq, vectors: &[f32]) -> Result<(), StoreError> {
        let known = self.known_encoder(encoder)?;
        if self.derived.half_encoder != Some(known.number) {
            return Ok(());
        }
        let Some(pgvector) = self.connection.pgvector() else {
            // It came into the database after this process: who knows of it makes them again.
            return self.drop_halves();
        };
        let sql = "DELETE FROM @half h WHERE h.tenant = $1 AND h.encoder = $2 AND h.seq = $3";
        self.send(sql, values![known.number, seq.0])?;
        let sql = format!(
            "INSERT INTO @half (tenant, encoder, seq, part, data) VALUES ($1, $2, $3, $4, CAST($5 AS {}))",
            pgvector.halfvec()
        );
        for (part, vector) in vectors.chunks_exact(known.dim.max(1)).enumerate() {
            // One that half precision cannot hold is found by its words.
            if vector.iter().all(|component| component.abs() <= LARGEST) {
                let mut all = values![known.number, seq.0, part];
                all.push(Value::Reals(vector.to_vec()));
                self.send(&sql, all)?;
            }
        }
        Ok(())
    }

    /// [`NamespaceTables::put_half`] of vectors that are in the store already.
    pub(crate) fn copy_half(&mut self, encoder: &EncoderId, seq: Seq) -> Result<(), StoreError> {
        let number = self.known_encoder(encoder)?.number;
        if self.derived.half_encoder != Some(number) {
            return Ok(());
        }
        let sql = "SELECT v.data FROM @vector v WHERE v.tenant = $1 AND v.encoder = $2 AND v.seq = $3";
        let Some(row) = self.row(sql, values![number, seq.0])? else { return Ok(()) };
        let mut vectors = Vec::new();
        components_into(self.get(&row, 0)?, &mut vectors);
        self.put_half(encoder, seq, &vectors)
    }

    /// Deletes those of memories under a condition, which are there still.
    pub(crate) fn delete_halves(&self, condition: &str, values: &[Value]) -> Result<(), StoreError> {
        if self.derived.half_encoder.is_none() {
            return Ok(());
        }
        let sql = format!(
            "DELETE FROM @half h WHERE h.tenant = $1
             AND h.seq IN (SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition})"
        );
        self.send(&sql, values.to_vec())
    }

    /// Deletes all.
    pub(crate) fn drop_halves(&mut self) -> Result<(), StoreError> {
        if self.derived.half_encoder.is_some() {
            self.send("DELETE FROM @half h WHERE h.tenant = $1", values![])?;
        }
        (self.derived.half_encoder, self.derived.half_upto, self.derived.half_whole) = (None, 0, false);
        let sql = "UPDATE @namespace n SET half_encoder = NULL, half_upto = 0, half_whole = false WHERE n.tenant = $1";
        self.send(sql, values![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_used_from_0_8_and_sound_from_0_8_4() {
        let of = |version: &str| Pgvector { version: version.to_owned(), schema: "\"public\"".to_owned() };
        assert!(!of("0.7.4").is_usable() && of("0.8.0").is_usable() && of("0.10.1").is_usable());
        assert!(of("0.8.3").weakness().unwrap().contains("0.8.3"));
        assert_eq!((of("0.8.4").weakness(), of("1.0").weakness()), (None, None));
    }
}
