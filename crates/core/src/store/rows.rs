//! Rows of a namespace as they are, for whoever copies a namespace from one store to another.

use super::{backend::ChangeKind, deletion::Erasure, tables::Tables};
use crate::{error::StoreError, types::Namespace};

/// Work on the rows of a namespace that are read.
pub type ReadRows<'a> = dyn FnMut(&dyn Tables) -> Result<(), StoreError> + 'a;

/// Work on the rows of a namespace that are changed; it may be done twice, and then begins with the rows as they were.
pub type WriteRows<'a> = dyn FnMut(&mut dyn Tables) -> Result<(), StoreError> + 'a;

/// Reads and writes rows below the rules of a store; part of [`super::contract::Store`].
///
/// Rows written here are kept as they are given: numbers, positions, ids and versions are the caller's, and so is
/// everything that the rules derive from a change. A copy needs that; whatever adds or changes memories does not.
pub trait RowStore {
    /// Runs `work` on one consistent view of a namespace; says whether there is such a namespace. `action` is what is
    /// being done, for the message of whatever goes wrong.
    ///
    /// # Errors
    /// What `work` answers, or when the backend fails.
    fn read_rows(
        &self,
        namespace: &Namespace,
        action: &'static str,
        work: &mut ReadRows<'_>,
    ) -> Result<bool, StoreError>;

    /// Runs `work` in a transaction on a namespace, which is made where it is missing. `action_and_kind` is what is being
    /// done, in words and as a backend has to know it.
    ///
    /// # Errors
    /// What `work` answers, or when the backend fails. Nothing is kept then.
    fn write_rows(
        &self,
        namespace: &Namespace,
        action_and_kind: (&'static str, ChangeKind),
        work: &mut WriteRows<'_>,
    ) -> Result<Erasure, StoreError>;
}
