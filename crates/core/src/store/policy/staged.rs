//! Staged vectors on their way to the memories of one batch.

use std::collections::HashMap;

use crate::{
    error::StoreError,
    store::{batch::Fingerprint, tables::Tables},
    types::{EncoderId, Seq},
};

/// Staged vectors that a batch names. A passage that several drafts have is staged once, and each gets its vector.
pub(super) struct StagedVectors<'a> {
    encoder: &'a EncoderId,
    /// How many drafts still to come have this passage.
    waiting: HashMap<Fingerprint, usize>,
}

impl<'a> StagedVectors<'a> {
    pub(super) fn of(encoder: &'a EncoderId, fingerprints: &[Option<Fingerprint>]) -> Self {
        let mut waiting = HashMap::new();
        fingerprints.iter().flatten().for_each(|fingerprint| *waiting.entry(*fingerprint).or_default() += 1);
        Self { encoder, waiting }
    }

    /// Components of a staged vector.
    pub(super) fn dim(&self, tables: &dyn Tables, fingerprint: &Fingerprint) -> Result<usize, StoreError> {
        let found = tables.staged_dim(self.encoder, fingerprint)?;
        found.ok_or_else(|| StoreError::Unstaged { encoder: self.encoder.clone() })
    }

    /// Gives a memory its vector, which must have `dim` components.
    pub(super) fn copy(
        &self,
        tables: &mut dyn Tables,
        fingerprint: &Fingerprint,
        seq: Seq,
        dim: usize,
    ) -> Result<(), StoreError> {
        if tables.copy_staged(self.encoder, fingerprint, seq, dim)? {
            return Ok(());
        }
        let found = self.dim(tables, fingerprint)?;
        Err(StoreError::Dimension { encoder: self.encoder.clone(), expected: dim, found })
    }

    /// Deletes a staged vector that no draft of the batch waits for any more.
    ///
    /// At once, so that a backend writes the next vectors to the space it leaves.
    pub(super) fn release(&mut self, tables: &mut dyn Tables, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        match self.waiting.get_mut(fingerprint) {
            Some(waiting) if *waiting > 1 => {
                *waiting -= 1;
                Ok(())
            }
            _ => tables.delete_staged(self.encoder, fingerprint),
        }
    }
}
