//! Which encoder is active, and what a vector must be like.
//!
//! Searches use the vectors of the active encoder, and additions bring theirs to them. The first vector of a namespace
//! makes its encoder the active one, whether it came with its memory or later. Another becomes active when no memory lacks
//! a vector by it.

use super::indexes;
use crate::{
    error::StoreError,
    store::{lookup::Audience, tables::Tables},
    types::{EncoderId, Namespace, Seq},
};

/// Makes sure that an encoder is the active one: it becomes that where there is none, and is refused where another is.
pub(super) fn claim(tables: &mut dyn Tables, namespace: &Namespace, encoder: &EncoderId) -> Result<(), StoreError> {
    match tables.state()?.active_encoder {
        Some(active) if active == *encoder => Ok(()),
        Some(active) => {
            Err(StoreError::EncoderMismatch { namespace: namespace.clone(), active, asked: encoder.clone() })
        }
        None => tables.set_active_encoder(encoder),
    }
}

/// How many components vectors of an encoder have; where it has no row, it gets one with `dim`.
pub(super) fn dim_or_new(
    tables: &mut dyn Tables,
    encoder: &EncoderId,
    dim: impl FnOnce(&dyn Tables) -> Result<usize, StoreError>,
) -> Result<usize, StoreError> {
    if let Some(known) = tables.encoder_dim(encoder)? {
        return Ok(known);
    }
    let dim = dim(&*tables)?;
    tables.insert_encoder(encoder, dim)?;
    Ok(dim)
}

/// Checks that a vector has as many components as others of its encoder.
pub(super) fn check_dim(encoder: &EncoderId, expected: usize, found: usize) -> Result<(), StoreError> {
    match expected == found {
        true => Ok(()),
        false => Err(StoreError::Dimension { encoder: encoder.clone(), expected, found }),
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

/// Adds vectors to memories that are there; the first of a namespace make their encoder the active one.
pub(super) fn embed(tables: &mut dyn Tables, encoder: &EncoderId, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError> {
    let Some((_, first)) = vectors.first() else { return Ok(()) };
    let dim = dim_or_new(tables, encoder, |_| Ok(first.len()))?;
    let mut put = false;
    for (seq, vector) in vectors {
        check_dim(encoder, dim, vector.len())?;
        if tables.has_memory(*seq)? {
            tables.put_vector(encoder, *seq, vector)?;
            put = true;
        }
    }
    if put && tables.state()?.active_encoder.is_none() {
        tables.set_active_encoder(encoder)?;
    }
    moved(tables, encoder)
}

/// Begins an epoch where vectors were added to the active set: an index of it would lack these.
pub(super) fn moved(tables: &mut dyn Tables, encoder: &EncoderId) -> Result<(), StoreError> {
    match tables.state()?.active_encoder.as_ref() == Some(encoder) {
        true => indexes::begin_epoch(tables),
        false => Ok(()),
    }
}
