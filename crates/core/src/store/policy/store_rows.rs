//! Rows of the store over any backend, as they are.

use super::store::{change_or_make_erasing, look};
use crate::{
    error::StoreError,
    store::{
        backend::{Backend, ChangeKind},
        deletion::Erasure,
        rows::{ReadRows, RowStore, WriteRows},
    },
    types::Namespace,
};

impl<B: Backend> RowStore for B {
    fn read_rows(
        &self,
        namespace: &Namespace,
        action: &'static str,
        work: &mut ReadRows<'_>,
    ) -> Result<bool, StoreError> {
        Ok(look(self, action, namespace, |tables| work(tables))?.is_some())
    }

    fn write_rows(
        &self,
        namespace: &Namespace,
        action_kind: (&'static str, ChangeKind),
        work: &mut WriteRows<'_>,
    ) -> Result<Erasure, StoreError> {
        Ok(change_or_make_erasing(self, action_kind, namespace, |tables| work(tables))?.1)
    }
}
