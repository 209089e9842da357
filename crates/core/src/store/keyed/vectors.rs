//! Vectors of memories, and staged ones.

use std::ops::ControlFlow;

use super::{
    access,
    key::{Key, Row},
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::{
        batch::Fingerprint,
        lookup::{Audience, Unembedded, WindowRef},
        tables::VectorTable,
    },
    types::{CueId, EncoderId, Seq, Vectors},
};

fn staged_key(encoder: &EncoderId, fingerprint: &Fingerprint) -> Key {
    Key::Staged(*fingerprint, encoder.to_string())
}

impl<R: KeyedRows> VectorTable for R {
    fn encoder_dim(&self, encoder: &EncoderId) -> Result<Option<usize>, StoreError> {
        Ok(access::encoder(self, encoder)?.map(|(_, dim)| dim))
    }

    fn vectors(&self, encoder: &EncoderId, windows: &[WindowRef]) -> Result<Option<Vectors>, StoreError> {
        let key = |window: &WindowRef, encoder| (Key::Vector(encoder, window.seq), window.number as usize);
        match access::encoder(self, encoder)? {
            Some((encoder, dim)) => access::vectors(self, dim, windows.iter().map(|window| key(window, encoder))),
            None => Ok(None),
        }
    }

    fn unembedded(
        &self,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        let encoder = access::encoder_number(self, Some(encoder))?;
        let mut found = Vec::new();
        access::each_memory(self, after, |memory| {
            let record = &memory.record;
            if found.len() >= limit {
                return Ok(ControlFlow::Break(()));
            }
            if access::is_visible(record, audience) && !rows::has(self, &Key::Vector(encoder, record.seq))? {
                found.push(Unembedded { seq: record.seq, passage: record.passage() });
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    fn staged(&self, encoder: &EncoderId, fingerprints: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        fingerprints.iter().map(|fingerprint| rows::has(self, &staged_key(encoder, fingerprint))).collect()
    }

    fn staged_components(&self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<Option<usize>, StoreError> {
        rows::get(self, &staged_key(encoder, fingerprint), |row| access::components(&row).map(<[f32]>::len))
    }

    fn insert_encoder(&mut self, encoder: &EncoderId, dim: usize) -> Result<(), StoreError> {
        let number = access::encoders(self)?.last().map_or(0, |(number, ..)| *number) + 1;
        self.put(Key::Encoder(number), Row::Encoder { id: encoder.clone(), dim })
    }

    fn put_vector(&mut self, encoder: &EncoderId, seq: Seq, vector: &[f32]) -> Result<(), StoreError> {
        let encoder = access::encoder_number(self, Some(encoder))?;
        self.put(Key::Vector(encoder, seq), Row::Vector(vector.to_vec()))
    }

    fn delete_inactive_vectors(&mut self, active: Option<&EncoderId>) -> Result<u64, StoreError> {
        let encoders = access::encoders(self)?;
        let (idle, staying): (Vec<_>, Vec<_>) = encoders.into_iter().partition(|(_, id, _)| Some(id) != active);
        let mut keys = Vec::new();
        for (encoder, ..) in &idle {
            keys.extend(rows::keys(self, &Key::Vector(*encoder, Seq(0)), |key| {
                matches!(key, Key::Vector(of, _) if of == encoder).then(|| key.clone())
            })?);
        }
        let stays = |encoder: u64| staying.iter().any(|(number, ..)| *number == encoder);
        let of_cues = rows::keys(self, &Key::CueVector(CueId(0), 0), |key| match key {
            Key::CueVector(_, encoder) => Some((*encoder, key.clone())),
            _ => None,
        })?;
        keys.extend(of_cues.into_iter().filter(|(encoder, _)| !stays(*encoder)).map(|(_, key)| key));
        let vectors = rows::delete_all(self, keys)?;
        rows::delete_all(self, idle.into_iter().map(|(encoder, ..)| Key::Encoder(encoder)))?;
        let active = active.map(EncoderId::as_str);
        let staged = access::staged(self)?.into_iter();
        let staged = staged.filter(|key| !matches!(key, Key::Staged(_, encoder) if Some(encoder.as_str()) == active));
        rows::delete_all(self, staged)?;
        Ok(vectors)
    }

    fn stage(&mut self, encoder: &EncoderId, vectors: &[(Fingerprint, &[f32])]) -> Result<(), StoreError> {
        vectors.iter().try_for_each(|(fingerprint, vector)| {
            self.put(staged_key(encoder, fingerprint), Row::Vector(vector.to_vec()))
        })
    }

    fn copy_staged(
        &mut self,
        encoder: &EncoderId,
        fingerprint: &Fingerprint,
        seq: Seq,
        dim: usize,
    ) -> Result<bool, StoreError> {
        let vector = rows::get(self, &staged_key(encoder, fingerprint), |row| match row.into_owned() {
            Row::Vector(vector) => Some(vector),
            _ => None,
        })?;
        let Some(vector) = vector.filter(|vector| !vector.is_empty() && vector.len().is_multiple_of(dim)) else {
            return Ok(false);
        };
        self.put_vector(encoder, seq, &vector)?;
        Ok(true)
    }

    fn delete_staged(&mut self, encoder: &EncoderId, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        self.delete(&staged_key(encoder, fingerprint))
    }

    fn clear_staged(&mut self) -> Result<u64, StoreError> {
        let keys = access::staged(self)?;
        rows::delete_all(self, keys)
    }
}
