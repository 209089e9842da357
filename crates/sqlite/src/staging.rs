//! Vectors of imports under way, and how they come to their memories.

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::Fingerprint,
    types::{EncoderId, Namespace, Seq},
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use sha2::{Digest, Sha256};

use crate::{errors::Context, read, vectors};

/// What a namespace mixes into fingerprints: without it, who has the file could look a text up in a list of hashes, or find
/// the same text in several namespaces.
struct Salt(Vec<u8>);

impl Salt {
    fn of(connection: &Connection, context: Context<'_>, tenant: i64) -> Result<Self, StoreError> {
        let select = connection.prepare_cached("SELECT salt FROM namespace WHERE id = ?1");
        context.run(select.and_then(|mut select| select.query_row([tenant], |row| row.get(0)))).map(Self)
    }

    fn mixed(&self, print: &Fingerprint) -> Fingerprint {
        let digest = Sha256::new().chain_update(&self.0).chain_update(print).finalize();
        std::array::from_fn(|i| digest[i])
    }
}

/// Which passages have a staged vector.
pub(crate) fn staged(
    connection: &Connection,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
    fingerprints: &[Fingerprint],
) -> Result<Vec<bool>, StoreError> {
    let Some(tenant) = read::tenant(connection, context, namespace)?.map(|tenant| tenant.number) else {
        return Ok(vec![false; fingerprints.len()]);
    };
    let salt = Salt::of(connection, context, tenant)?;
    let mut select = context.run(
        connection.prepare_cached("SELECT 1 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3"),
    )?;
    let mut is_there =
        |print: &Fingerprint| context.run(select.exists(params![tenant, encoder.as_str(), &salt.mixed(print)[..]]));
    fingerprints.iter().map(&mut is_there).collect()
}

pub(crate) fn stage(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
    encoder: &EncoderId,
    vectors: &[(Fingerprint, &[f32])],
) -> Result<(), StoreError> {
    let tenant = read::tenant_or_new(transaction, context, namespace)?.number;
    let salt = Salt::of(transaction, context, tenant)?;
    let mut insert = context.run(transaction.prepare_cached(
        "INSERT OR REPLACE INTO staged (namespace, encoder, fingerprint, data) VALUES (?1, ?2, ?3, ?4)",
    ))?;
    for (print, vector) in vectors {
        let data = vectors::to_bytes(vector);
        context.run(insert.execute(params![tenant, encoder.as_str(), &salt.mixed(print)[..], data]))?;
    }
    Ok(())
}

/// Staged vectors on their way to the memories of one batch.
pub(crate) struct Taking<'a> {
    transaction: &'a Transaction<'a>,
    context: Context<'a>,
    tenant: i64,
    salt: Salt,
    encoder: &'a EncoderId,
    /// How many drafts still to come have this passage.
    waiting: HashMap<Fingerprint, usize>,
}

impl<'a> Taking<'a> {
    pub(crate) fn start(
        transaction: &'a Transaction<'a>,
        context: Context<'a>,
        tenant: i64,
        encoder: &'a EncoderId,
        fingerprints: &[Option<Fingerprint>],
    ) -> Result<Self, StoreError> {
        let mut waiting = HashMap::new();
        fingerprints.iter().flatten().for_each(|print| *waiting.entry(*print).or_default() += 1);
        Ok(Self { transaction, context, tenant, salt: Salt::of(transaction, context, tenant)?, encoder, waiting })
    }

    /// Components of a staged vector.
    pub(crate) fn dim(&self, print: &Fingerprint) -> Result<usize, StoreError> {
        let found = self.context.run(
            self.transaction
                .prepare_cached(
                    "SELECT length(data) / 4 FROM staged WHERE namespace = ?1 AND encoder = ?2 AND fingerprint = ?3",
                )
                .and_then(|mut select| {
                    let key = params![self.tenant, self.encoder.as_str(), &self.salt.mixed(print)[..]];
                    select.query_row(key, |row| row.get(0)).optional()
                }),
        )?;
        found.ok_or_else(|| StoreError::Unstaged { encoder: self.encoder.clone() })
    }

    /// Gives a memory its vector.
    pub(crate) fn give(&self, encoder: vectors::Encoder, seq: Seq, print: &Fingerprint) -> Result<(), StoreError> {
        let given = self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO vector (namespace, encoder, seq, data)
                     SELECT ?1, ?2, ?3, data FROM staged
                     WHERE namespace = ?1 AND encoder = ?4 AND fingerprint = ?5 AND length(data) = 4 * ?6",
                )
                .and_then(|mut insert| {
                    let (name, print) = (self.encoder.as_str(), self.salt.mixed(print));
                    insert.execute(params![self.tenant, encoder.number, seq.0, name, &print[..], encoder.dim])
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
                            let print = self.salt.mixed(print);
                            delete.execute(params![self.tenant, self.encoder.as_str(), &print[..]])
                        }),
                )?;
            }
        }
        Ok(())
    }
}
