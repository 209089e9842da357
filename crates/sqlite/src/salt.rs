//! How a namespace hides which texts it has staged vectors of.

use aforesaid_core::{StoreError, store::Fingerprint};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::errors::Context;

/// What a namespace mixes into fingerprints: without it, who has the file could look a text up in a list of hashes, or find
/// the same text in several namespaces.
pub(crate) struct Salt(Vec<u8>);

impl Salt {
    pub(crate) fn of(connection: &Connection, context: Context<'_>, tenant: i64) -> Result<Self, StoreError> {
        let select = connection.prepare_cached("SELECT salt FROM namespace WHERE id = ?1");
        context.run(select.and_then(|mut select| select.query_row([tenant], |row| row.get(0)))).map(Self)
    }

    pub(crate) fn mixed(&self, print: &Fingerprint) -> Fingerprint {
        let digest = Sha256::new().chain_update(&self.0).chain_update(print).finalize();
        std::array::from_fn(|i| digest[i])
    }
}
