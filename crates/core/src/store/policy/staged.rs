//! Staged vectors on their way to the memories of one batch.

use std::collections::HashMap;

use crate::{
    error::StoreError,
    store::{batch::Fingerprint, tables::Tables},
    types::{Seq, VectorSet},
};

/// Staged vectors that a batch names. A passage that several drafts have is staged once, and each gets its vector.
pub(super) struct StagedVectors<'a> {
    set: VectorSet<'a>,
    /// How many drafts still to come have this passage.
    waiting: HashMap<Fingerprint, usize>,
}

impl<'a> StagedVectors<'a> {
    pub(super) fn of(set: VectorSet<'a>, fingerprints: &[Option<Fingerprint>]) -> Self {
        let mut waiting = HashMap::new();
        fingerprints.iter().flatten().for_each(|fingerprint| *waiting.entry(*fingerprint).or_default() += 1);
        Self { set, waiting }
    }

    /// Gives a memory its vectors, which must be of the set.
    pub(super) fn copy(&self, tables: &mut dyn Tables, fingerprint: &Fingerprint, seq: Seq) -> Result<(), StoreError> {
        let VectorSet { encoder, dim } = self.set;
        if tables.copy_staged(encoder, fingerprint, seq, dim)? {
            return Ok(());
        }
        Err(match tables.staged_components(encoder, fingerprint)? {
            Some(found) => StoreError::Dimension { encoder: encoder.clone(), expected: dim, found },
            None => StoreError::Unstaged { encoder: encoder.clone() },
        })
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
            _ => tables.delete_staged(self.set.encoder, fingerprint),
        }
    }
}
