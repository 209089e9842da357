//! Vectors: little-endian f32 blobs under (tenant, encoder, seq), those of a memory's windows one after the other, and those that wait for their memories.

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    store::{
        Audience, Fingerprint, Unembedded, WindowRef,
        tables::{VectorTable, vector_to_bytes},
    },
    types::{EncoderId, Seq, Vectors},
};
use rusqlite::params;

use crate::{
    salt::Salt,
    tables::{Encoder, NamespaceTables},
};

/// SQL that keeps memories `m` of tenant `?1` without a vector by encoder `?2`; `?3` lets sensitive ones in.
const UNEMBEDDED: &str = "(?3 OR NOT m.sensitive)
    AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.namespace = ?1 AND v.encoder = ?2 AND v.seq = m.seq)";

/// How many vectors there are by encoder, without encoders that have none.
pub(crate) fn vector_counts(tables: &NamespaceTables<'_>) -> Result<BTreeMap<String, u64>, StoreError> {
    let sql = "SELECT e.name, count(v.seq) FROM encoder e
               LEFT JOIN vector v ON v.namespace = ?1 AND v.encoder = e.id
               WHERE e.namespace = ?1 GROUP BY e.id";
    let counts: Vec<(String, u64)> = tables.rows(sql, [tables.tenant], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

impl NamespaceTables<'_> {
    /// The number of an encoder that has a row.
    pub(crate) fn known_encoder(&self, id: &EncoderId) -> Result<Encoder, StoreError> {
        self.encoder(id)?.ok_or_else(|| self.context.damaged(format!("encoder {id} is used and has no row")))
    }

    /// A fingerprint as it is kept.
    fn mixed(&self, fingerprint: &Fingerprint) -> Result<Fingerprint, StoreError> {
        if let Some(salt) = self.salt.get() {
            return Ok(salt.mixed(fingerprint));
        }
        let salt = Salt::of(self.connection, self.context, self.tenant)?;
        Ok(self.salt.get_or_init(|| salt).mixed(fingerprint))
    }
}

impl VectorTable for NamespaceTables<'_> {
    fn encoder_dim(&self, encoder: &EncoderId) -> Result<Option<usize>, StoreError> {
        Ok(self.encoder(encoder)?.map(|encoder| encoder.dim))
    }

    fn vectors(&self, encoder: &EncoderId, windows: &[WindowRef]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT data FROM vector WHERE namespace = ?1 AND encoder = ?2 AND seq = ?3";
        self.blobs(encoder, sql, windows.iter().map(|window| (window.seq.0, window.number as usize)))
    }

    fn unembedded(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        let (number, sees_all) = (self.encoder_number(Some(encoder))?, audience == Audience::LocalModels);
        let condition = format!("AND m.seq > ?4 AND {UNEMBEDDED} ORDER BY m.seq LIMIT ?5");
        let memories = self.memories(&condition, &[&number, &sees_all, &after.0, &limit])?;
        Ok(memories.into_iter().map(|memory| Unembedded { seq: memory.seq, passage: memory.passage() }).collect())
    }

    fn count_unembedded(&self, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        let key = params![self.tenant, self.encoder_number(Some(encoder))?, audience == Audience::LocalModels];
        let sql = format!("SELECT count(*) FROM memory m WHERE m.namespace = ?1 AND {UNEMBEDDED}");
        Ok(self.row(&sql, key, |row| row.get(0))?.unwrap_or(0))
    }

    fn staged(&self, encoder: &EncoderId, fingerprints: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        let sql = "SELECT 1 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3";
        let mut select = self.context.run(self.connection.prepare_cached(sql))?;
        let mut is_staged = |fingerprint: &Fingerprint| {
            let key = params![self.tenant, encoder.as_str(), &self.mixed(fingerprint)?[..]];
            self.context.run(select.exists(key))
        };
        fingerprints.iter().map(&mut is_staged).collect()
    }

    fn staged_components(&self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<Option<usize>, StoreError> {
        let sql = "SELECT length(data) / 4 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3";
        self.row(sql, params![self.tenant, encoder.as_str(), &self.mixed(fingerprint)?[..]], |row| row.get(0))
    }

    fn insert_encoder(&mut self, encoder: &EncoderId, dim: usize) -> Result<(), StoreError> {
        let sql = "INSERT INTO encoder (namespace, id, name, dim)
                   VALUES (?1, coalesce((SELECT max(id) FROM encoder WHERE namespace = ?1), 0) + 1, ?2, ?3)";
        self.execute(sql, params![self.tenant, encoder.as_str(), dim]).map(|_| ())
    }

    fn put_vector(&mut self, encoder: &EncoderId, seq: Seq, vectors: &[f32]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO vector (namespace, encoder, seq, data) VALUES (?1, ?2, ?3, ?4)";
        let number = self.known_encoder(encoder)?.number;
        self.execute(sql, params![self.tenant, number, seq.0, vector_to_bytes(vectors)]).map(|_| ())
    }

    fn delete_inactive_vectors(&mut self, active: Option<&EncoderId>) -> Result<u64, StoreError> {
        let key = params![self.tenant, active.map(EncoderId::as_str)];
        let delete_from = |table: &str| {
            let sql = format!(
                "DELETE FROM {table} WHERE namespace = ?1
                 AND encoder IN (SELECT id FROM encoder WHERE namespace = ?1 AND name IS NOT ?2)"
            );
            self.execute(&sql, key)
        };
        let vectors = delete_from("vector")? + delete_from("cue_vector")?;
        self.execute("DELETE FROM encoder WHERE namespace = ?1 AND name IS NOT ?2", key)?;
        self.execute("DELETE FROM staged WHERE namespace = ?1 AND encoder IS NOT ?2", key)?;
        self.encoder.take();
        Ok(vectors)
    }

    fn stage(&mut self, encoder: &EncoderId, vectors: &[(Fingerprint, &[f32])]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO staged (namespace, encoder, fingerprint, data) VALUES (?1, ?2, ?3, ?4)";
        for (fingerprint, vector) in vectors {
            let key = params![self.tenant, encoder.as_str(), &self.mixed(fingerprint)?[..], vector_to_bytes(vector)];
            self.execute(sql, key)?;
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
        let sql = "INSERT OR REPLACE INTO vector (namespace, encoder, seq, data)
                   SELECT ?1, ?2, ?3, data FROM staged
                   WHERE namespace = ?1 AND encoder = ?4 AND fingerprint = ?5 AND length(data) > 0 AND length(data) % (4 * ?6) = 0";
        let (number, fingerprint) = (self.known_encoder(encoder)?.number, self.mixed(fingerprint)?);
        let key = params![self.tenant, number, seq.0, encoder.as_str(), &fingerprint[..], dim];
        Ok(self.execute(sql, key)? > 0)
    }

    fn delete_staged(&mut self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        let sql = "DELETE FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3";
        self.execute(sql, params![self.tenant, encoder.as_str(), &self.mixed(fingerprint)?[..]]).map(|_| ())
    }

    fn clear_staged(&mut self) -> Result<u64, StoreError> {
        self.execute("DELETE FROM staged WHERE namespace = ?1", [self.tenant])
    }
}
