//! Which encoder is active, and what a vector must be like.
//!
//! Searches use the vectors of the active encoder, and additions bring theirs to them. The first vector of a namespace
//! makes its encoder the active one, whether it came with its memory or later. Another becomes active when no memory lacks
//! a vector by it.

use super::indexes;
use crate::{
    error::StoreError,
    store::{lookup::Audience, tables::Tables},
    types::{EncoderId, Namespace, Seq, VectorSet},
};

/// Makes sure that a set is the active one: it becomes that where there is none, and is refused where another is.
pub(super) fn claim(tables: &mut dyn Tables, namespace: &Namespace, set: VectorSet<'_>) -> Result<(), StoreError> {
    match tables.state()?.active_encoder {
        Some(active) if active == *set.encoder => {}
        Some(active) => {
            let (namespace, asked) = (namespace.clone(), set.encoder.clone());
            return Err(StoreError::EncoderMismatch { namespace, active, asked });
        }
        None => tables.set_active_encoder(set.encoder)?,
    }
    know(tables, set)
}

/// Makes sure that a set's vectors have as many components as others of its encoder, which gets a row where it has none.
pub(super) fn know(tables: &mut dyn Tables, set: VectorSet<'_>) -> Result<(), StoreError> {
    match tables.encoder_dim(set.encoder)? {
        Some(known) => check_dim(set.encoder, known, set.dim),
        None => tables.insert_encoder(set.encoder, set.dim),
    }
}

/// Checks that a vector has as many components as others of its encoder.
pub(super) fn check_dim(encoder: &EncoderId, expected: usize, found: usize) -> Result<(), StoreError> {
    match expected == found {
        true => Ok(()),
        false => Err(StoreError::Dimension { encoder: encoder.clone(), expected, found }),
    }
}

/// Checks that the vectors of a memory's windows are whole: one or several of a set.
pub(super) fn check_windows(set: VectorSet<'_>, vectors: &[f32]) -> Result<(), StoreError> {
    match !vectors.is_empty() && vectors.len().is_multiple_of(set.dim) {
        true => Ok(()),
        false => check_dim(set.encoder, set.dim, vectors.len()),
    }
}

/// Makes an encoder the active one if nothing that `audience` may see lacks a vector by it; returns how many lack one.
pub(super) fn activate(tables: &mut dyn Tables, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
    let missing = tables.count_unembedded(encoder, audience)?;
    if missing == 0 && tables.state()?.active_encoder.as_ref() != Some(encoder) {
        tables.set_active_encoder(encoder)?;
        // Indexes of this encoder made when it was active before lack what came since.
        indexes::begin_epoch(tables)?;
    }
    Ok(missing)
}

/// Adds vectors to memories that are there; the first of a namespace make their set the active one.
pub(super) fn embed(tables: &mut dyn Tables, set: VectorSet<'_>, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError> {
    if vectors.is_empty() {
        return Ok(());
    }
    know(tables, set)?;
    let mut put = false;
    for (seq, vector) in vectors {
        check_windows(set, vector)?;
        if tables.has_memory(*seq)? {
            tables.put_vector(set.encoder, *seq, vector)?;
            put = true;
        }
    }
    if put && tables.state()?.active_encoder.is_none() {
        tables.set_active_encoder(set.encoder)?;
    }
    moved(tables, set.encoder)
}

/// Begins an epoch where vectors were added to the active set: an index of it would lack these.
pub(super) fn moved(tables: &mut dyn Tables, encoder: &EncoderId) -> Result<(), StoreError> {
    match tables.state()?.active_encoder.as_ref() == Some(encoder) {
        true => indexes::begin_epoch(tables),
        false => Ok(()),
    }
}
