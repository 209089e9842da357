//! The row of a namespace.

use std::ops::ControlFlow;

use super::{
    access::update,
    key::{Key, Row},
    rows::{self, KeyedRows},
};
use crate::{
    error::StoreError,
    store::tables::{NamespaceState, StateTable},
    types::EncoderId,
};

impl<R: KeyedRows> StateTable for R {
    fn state(&self) -> Result<NamespaceState, StoreError> {
        let state = rows::get(self, &Key::State, |row| match row.into_owned() {
            Row::State(state) => Some(state),
            _ => None,
        })?;
        state.ok_or_else(|| StoreError::Damaged {
            location: "keyed rows".to_owned(),
            found: "a namespace without the row that says how far it has come".to_owned(),
        })
    }

    fn set_epoch(&mut self, epoch: u64) -> Result<(), StoreError> {
        update(self, |state| state.version.epoch = epoch)
    }

    fn set_active_encoder(&mut self, encoder: &EncoderId) -> Result<(), StoreError> {
        update(self, |state| state.active_encoder = Some(encoder.clone()))
    }

    fn drop_namespace(&mut self) -> Result<(), StoreError> {
        let mut all = Vec::new();
        self.scan(&Key::State, &mut |key, _| {
            all.push(key.clone());
            Ok(ControlFlow::Continue(()))
        })?;
        rows::delete_all(self, all).map(|_| ())
    }
}
