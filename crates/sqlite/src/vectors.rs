//! Vectors: little-endian f32 blobs under (tenant, encoder, seq).

use aforesaid_core::{
    StoreError,
    types::{EncoderId, Seq},
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::errors::Context;

/// An encoder as a namespace knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoder {
    pub(crate) number: i64,
    pub(crate) dim: usize,
}

impl Encoder {
    pub(crate) fn check(self, name: &EncoderId, vector: &[f32]) -> Result<(), StoreError> {
        match vector.len() == self.dim {
            true => Ok(()),
            false => Err(StoreError::Dimension { encoder: name.clone(), expected: self.dim, found: vector.len() }),
        }
    }
}

pub(crate) fn encoder(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    name: &EncoderId,
) -> Result<Option<Encoder>, StoreError> {
    context.run(connection.prepare_cached("SELECT id, dim FROM encoder WHERE namespace = ?1 AND name = ?2").and_then(
        |mut select| {
            let encoder = |row: &rusqlite::Row<'_>| Ok(Encoder { number: row.get(0)?, dim: row.get(1)? });
            select.query_row(params![tenant, name.as_str()], encoder).optional()
        },
    ))
}

pub(crate) fn encoder_or_new(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    name: &EncoderId,
    dim: usize,
) -> Result<Encoder, StoreError> {
    if let Some(known) = encoder(connection, context, tenant, name)? {
        return Ok(known);
    }
    let number = context.run(connection.query_row(
        "INSERT INTO encoder (namespace, id, name, dim)
         VALUES (?1, coalesce((SELECT max(id) FROM encoder WHERE namespace = ?1), 0) + 1, ?2, ?3) RETURNING id",
        params![tenant, name.as_str(), dim],
        |row| row.get(0),
    ))?;
    Ok(Encoder { number, dim })
}

pub(crate) fn insert(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    encoder: Encoder,
    name: &EncoderId,
    seq: Seq,
    vector: &[f32],
) -> Result<(), StoreError> {
    encoder.check(name, vector)?;
    context.run(
        connection
            .prepare_cached("INSERT OR REPLACE INTO vector (namespace, encoder, seq, data) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.execute(params![tenant, encoder.number, seq.0, to_bytes(vector)])),
    )?;
    Ok(())
}

pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Appends the components of a blob to `vector`.
pub(crate) fn read_into(bytes: &[u8], vector: &mut Vec<f32>) {
    vector.extend(bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)));
}
