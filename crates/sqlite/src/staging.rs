//! Vectors of imports under way, and how they come to their memories.

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::Fingerprint,
    types::{EncoderId, Namespace, Seq},
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{errors::Context, vectors};

/// Which passages have a staged vector.
pub(crate) fn staged(
    connection: &Connection,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
    fingerprints: &[Fingerprint],
) -> Result<Vec<bool>, StoreError> {
    let mut select = context.run(
        connection.prepare_cached("SELECT 1 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3"),
    )?;
    let mut is_there =
        |print: &Fingerprint| context.run(select.exists(params![namespace.as_str(), encoder.as_str(), &print[..]]));
    fingerprints.iter().map(&mut is_there).collect()
}

pub(crate) fn stage(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
    vectors: &[(Fingerprint, &[f32])],
) -> Result<(), StoreError> {
    let mut insert = context.run(transaction.prepare_cached(
        "INSERT OR REPLACE INTO staged (namespace, encoder, fingerprint, data) VALUES (?1, ?2, ?3, ?4)",
    ))?;
    for (print, vector) in vectors {
        let data = vectors::to_bytes(vector);
        context.run(insert.execute(params![namespace.as_str(), encoder.as_str(), &print[..], data]))?;
    }
    Ok(())
}

/// Staged vectors on their way to the memories of one batch.
pub(crate) struct Taking<'a> {
    transaction: &'a Transaction<'a>,
    context: Context<'a>,
    namespace: &'a Namespace,
    encoder: &'a EncoderId,
    /// How many drafts still to come have this passage.
    waiting: HashMap<Fingerprint, usize>,
}

impl<'a> Taking<'a> {
    pub(crate) fn start(
        transaction: &'a Transaction<'a>,
        context: Context<'a>,
        namespace: &'a Namespace,
        encoder: &'a EncoderId,
        fingerprints: &[Option<Fingerprint>],
    ) -> Self {
        let mut waiting = HashMap::new();
        fingerprints.iter().flatten().for_each(|print| *waiting.entry(*print).or_default() += 1);
        Self { transaction, context, namespace, encoder, waiting }
    }

    /// Components of a staged vector.
    pub(crate) fn dim(&self, print: &Fingerprint) -> Result<usize, StoreError> {
        let found = self.context.run(
            self.transaction
                .prepare_cached(
                    "SELECT length(data) / 4 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3",
                )
                .and_then(|mut select| {
                    let key = params![self.namespace.as_str(), self.encoder.as_str(), &print[..]];
                    select.query_row(key, |row| row.get(0)).optional()
                }),
        )?;
        found.ok_or_else(|| StoreError::Unstaged { encoder: self.encoder.clone() })
    }

    /// Gives a memory its vector.
    pub(crate) fn give(
        &self,
        tenant: i64,
        encoder: vectors::Encoder,
        seq: Seq,
        print: &Fingerprint,
    ) -> Result<(), StoreError> {
        let given = self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO vector (namespace, encoder, seq, data)
                     SELECT ?1, ?2, ?3, data FROM staged
                     WHERE namespace = ?4 AND encoder = ?5 AND fingerprint = ?6 AND length(data) = 4 * ?7",
                )
                .and_then(|mut insert| {
                    let (namespace, name) = (self.namespace.as_str(), self.encoder.as_str());
                    insert.execute(params![tenant, encoder.number, seq.0, namespace, name, &print[..], encoder.dim])
                }),
        )?;
        match given {
            0 => Err(StoreError::Dimension {
                encoder: self.encoder.clone(),
                expected: encoder.dim,
                found: self.dim(print)?,
            }),
            _ => Ok(()),
        }
    }

    /// Takes a passage that nothing of the batch waits for any more out of the table.
    ///
    /// At once, so that the next vectors are written to the pages it leaves, and the file does not grow.
    pub(crate) fn release(&mut self, print: &Fingerprint) -> Result<(), StoreError> {
        match self.waiting.get_mut(print) {
            Some(waiting) if *waiting > 1 => *waiting -= 1,
            _ => {
                self.context.run(
                    self.transaction
                        .prepare_cached("DELETE FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3")
                        .and_then(|mut delete| {
                            delete.execute(params![self.namespace.as_str(), self.encoder.as_str(), &print[..]])
                        }),
                )?;
            }
        }
        Ok(())
    }
}
