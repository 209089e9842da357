//! The row of a namespace.

use crate::{error::StoreError, store::version::Version, types::EncoderId};

/// The row of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceState {
    /// How far it has come.
    pub version: Version,
    /// The encoder whose vectors searches use.
    pub active_encoder: Option<EncoderId>,
    /// The number above which conversations made later begin to number; see [`Counter`](super::memories::Counter).
    pub floor: u64,
    /// The highest number of its notes outside of conversations.
    pub notes: u64,
}

/// The row of a namespace, in a transaction.
pub trait StateTable {
    /// The row as it is now.
    fn state(&self) -> Result<NamespaceState, StoreError>;

    /// Random bytes that the backend replaces with every memory that is deleted; see
    /// [`Store::secret`](crate::store::contract::Store::secret). `None` where a backend has none.
    fn secret(&self) -> Result<Option<[u8; 32]>, StoreError> {
        Ok(None)
    }

    /// Sets the epoch.
    fn set_epoch(&mut self, epoch: u64) -> Result<(), StoreError>;

    /// Sets the active encoder.
    fn set_active_encoder(&mut self, encoder: &EncoderId) -> Result<(), StoreError>;

    /// Deletes the namespace with everything that is left of it.
    fn drop_namespace(&mut self) -> Result<(), StoreError>;
}
