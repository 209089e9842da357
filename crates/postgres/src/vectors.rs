//! Vectors: little-endian f32 under (tenant, encoder, seq), those of a memory's windows one after the other, and those
//! that wait for their memories.

use std::collections::{BTreeMap, HashSet};

use aforesaid_core::{
    StoreError,
    store::{
        Audience, Fingerprint, Unembedded, WindowRef,
        tables::{VectorTable, vector_to_bytes},
    },
    types::{EncoderId, Seq, Vectors},
};

use crate::{
    tables::NamespaceTables,
    value::{number, values},
};

/// SQL that keeps memories `m` without a vector by encoder `$2`; `$3` lets sensitive ones in.
const UNEMBEDDED: &str = "($3 OR NOT m.sensitive)
    AND NOT EXISTS (SELECT 1 FROM @vector v WHERE v.tenant = $1 AND v.encoder = $2 AND v.seq = m.seq)";

/// Fingerprints that are asked for at once.
const AT_ONCE: usize = 1024;

/// How many vectors there are by encoder, without encoders that have none.
pub(crate) fn vector_counts(tables: &NamespaceTables<'_>) -> Result<BTreeMap<String, u64>, StoreError> {
    let sql = "SELECT e.name, count(*)::int8 FROM @encoder e
               JOIN @vector v ON v.tenant = $1 AND v.encoder = e.id WHERE e.tenant = $1 GROUP BY e.id, e.name";
    let rows = tables.rows(sql, values![])?;
    rows.iter().map(|row| Ok((tables.get(row, 0)?, tables.number(row, 1)?))).collect()
}

impl VectorTable for NamespaceTables<'_> {
    fn encoder_dim(&self, encoder: &EncoderId) -> Result<Option<usize>, StoreError> {
        Ok(self.encoder(encoder)?.map(|encoder| encoder.dim))
    }

    fn vectors(&self, encoder: &EncoderId, windows: &[WindowRef]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT v.seq, v.data FROM @vector v WHERE v.tenant = $1 AND v.encoder = $2 AND v.seq = ANY($3)";
        let places: Vec<(i64, usize)> =
            windows.iter().map(|window| (number(window.seq.0), window.number as usize)).collect();
        self.blobs(encoder, sql, &places)
    }

    fn unembedded(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        let (number, sees_all) = (self.encoder_number(Some(encoder))?, audience == Audience::LocalModels);
        let condition = format!("AND m.seq > $4 AND {UNEMBEDDED} ORDER BY m.seq LIMIT $5");
        let memories = self.memories(&condition, values![number, sees_all, after.0, limit])?;
        Ok(memories.into_iter().map(|memory| Unembedded { seq: memory.seq, passage: memory.passage() }).collect())
    }

    fn count_unembedded(&self, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*)::int8 FROM @memory m WHERE m.tenant = $1 AND {UNEMBEDDED}");
        self.count_of(&sql, values![self.encoder_number(Some(encoder))?, audience == Audience::LocalModels])
    }

    fn staged(&self, encoder: &EncoderId, fingerprints: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        let sql = "SELECT g.fingerprint FROM @staged g
                   WHERE g.tenant = $1 AND g.encoder = $2 AND g.fingerprint = ANY($3)";
        let mut is_staged = Vec::with_capacity(fingerprints.len());
        for prints in fingerprints.chunks(AT_ONCE) {
            let mixed = prints.iter().map(|print| self.mixed(print)).collect::<Result<Vec<_>, _>>()?;
            let rows = self.rows(sql, values![encoder.as_str(), mixed.clone()])?;
            let found = rows.iter().map(|row| self.get(row, 0)).collect::<Result<HashSet<Vec<u8>>, _>>()?;
            is_staged.extend(mixed.iter().map(|print| found.contains(print)));
        }
        Ok(is_staged)
    }

    fn staged_components(&self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<Option<usize>, StoreError> {
        let sql = "SELECT (length(g.data) / 4)::int8 FROM @staged g
                   WHERE g.tenant = $1 AND g.fingerprint = $2 AND g.encoder = $3";
        let row = self.row(sql, values![self.mixed(fingerprint)?, encoder.as_str()])?;
        row.map(|row| Ok(self.number(&row, 0)? as usize)).transpose()
    }

    fn insert_encoder(&mut self, encoder: &EncoderId, dim: usize) -> Result<(), StoreError> {
        let last = "SELECT coalesce(max(e.id), 0)::int8 FROM @encoder e WHERE e.tenant = $1";
        let number = self.count_of(last, values![])? + 1;
        let sql = "INSERT INTO @encoder (tenant, id, name, dim) VALUES ($1, $2, $3, $4)";
        self.send(sql, values![number, encoder.as_str(), dim])?;
        self.forget_encoders();
        Ok(())
    }

    fn put_vector(&mut self, encoder: &EncoderId, seq: Seq, vectors: &[f32]) -> Result<(), StoreError> {
        let sql = "INSERT INTO @vector (tenant, encoder, seq, data) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (tenant, encoder, seq) DO UPDATE SET data = excluded.data";
        self.send(sql, values![self.known_encoder(encoder)?.number, seq.0, vector_to_bytes(vectors)])?;
        self.put_half(encoder, seq, vectors)
    }

    fn delete_inactive_vectors(&mut self, active: Option<&EncoderId>) -> Result<u64, StoreError> {
        let active = active.map(|encoder| encoder.as_str().to_owned());
        let mut vectors = 0;
        for table in ["vector", "cue_vector"] {
            let sql = format!(
                "DELETE FROM @{table} x WHERE x.tenant = $1 AND x.encoder IN (
                     SELECT e.id FROM @encoder e WHERE e.tenant = $1 AND e.name IS DISTINCT FROM $2
                 )"
            );
            vectors += self.execute(&sql, values![active.clone()])?;
        }
        let is_inactive =
            "SELECT 1::int8 FROM @encoder e WHERE e.tenant = $1 AND e.id = $2 AND e.name IS DISTINCT FROM $3";
        if let Some(half) = self.derived.half_encoder
            && self.row(is_inactive, values![half, active.clone()])?.is_some()
        {
            self.drop_halves()?;
        }
        let rest = [
            "DELETE FROM @encoder e WHERE e.tenant = $1 AND e.name IS DISTINCT FROM $2",
            "DELETE FROM @staged g WHERE g.tenant = $1 AND g.encoder IS DISTINCT FROM $2",
        ];
        for sql in rest {
            self.send(sql, values![active.clone()])?;
        }
        self.forget_encoders();
        Ok(vectors)
    }

    fn stage(&mut self, encoder: &EncoderId, vectors: &[(Fingerprint, &[f32])]) -> Result<(), StoreError> {
        let sql = "INSERT INTO @staged (tenant, encoder, fingerprint, data) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (tenant, fingerprint, encoder) DO UPDATE SET data = excluded.data";
        for (fingerprint, vector) in vectors {
            self.send(sql, values![encoder.as_str(), self.mixed(fingerprint)?, vector_to_bytes(vector)])?;
        }
        Ok(())
    }

    fn copy_staged(
        &mut self,
        encoder: &EncoderId,
        fingerprint: &Fingerprint,
        seq: Seq,
        dim: usize,
    ) -> Result<bool, StoreError> {
        // The tenant of the new row is `$1` as that of the row it is copied from.
        let sql = "INSERT INTO @vector (tenant, encoder, seq, data)
                   SELECT $1, $2, $3, g.data FROM @staged g
                   WHERE g.tenant = $1 AND g.fingerprint = $4 AND g.encoder = $5
                   AND length(g.data) > 0 AND length(g.data) % (4 * $6) = 0
                   ON CONFLICT (tenant, encoder, seq) DO UPDATE SET data = excluded.data";
        let (number, print) = (self.known_encoder(encoder)?.number, self.mixed(fingerprint)?);
        let is_copied = self.execute(sql, values![number, seq.0, print, encoder.as_str(), dim])? > 0;
        if is_copied {
            self.copy_half(encoder, seq)?;
        }
        Ok(is_copied)
    }

    fn delete_staged(&mut self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        let sql = "DELETE FROM @staged g WHERE g.tenant = $1 AND g.fingerprint = $2 AND g.encoder = $3";
        self.send(sql, values![self.mixed(fingerprint)?, encoder.as_str()])
    }

    fn clear_staged(&mut self) -> Result<u64, StoreError> {
        self.execute("DELETE FROM @staged g WHERE g.tenant = $1", values![])
    }
}
