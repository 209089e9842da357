//! Vectors that follow their texts.

use std::ops::ControlFlow;

use aforesaid_core::{
    store::NamespaceStats,
    types::{Namespace, Seq},
};
use serde::Serialize;

use crate::{encoding::audience, error::Error, ingest::Progress, memory::Memory, no_vectors::NoVectors};

/// Passages of one step: few enough that progress shows and an interruption waits for little.
const AT_ONCE: usize = 256;

/// What [`Memory::complete_vectors`] did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Completed {
    /// Vectors made.
    pub made: usize,
    /// Turns and notes that still wait for theirs; until then they are found by their words.
    pub waiting: u64,
    /// Why none could be made, where there is no encoder.
    #[serde(flatten)]
    pub reason: Option<NoVectors>,
}

impl Memory {
    /// Makes the vectors that turns and notes of a namespace lack, in order, by the encoder that serves it, or by the
    /// first that the registry has.
    ///
    /// Each step is stored as it is made, and searches use it at once. `progress` is told of each; where it asks to stop,
    /// or the process ends, what was made stays, and the next call goes on from there. A remote encoder gets no sensitive
    /// memory.
    ///
    /// # Errors
    /// When the namespace does not exist or is served by vectors of another encoder, a text cannot be encoded, or the
    /// store fails. What was made before stays.
    pub fn complete_vectors(
        &self,
        namespace: &Namespace,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Completed, Error> {
        self.must_exist(namespace)?;
        let without = |waiting, reason| Completed { made: 0, waiting, reason: Some(reason) };
        let encoder = match self.writing_encoder(namespace)? {
            Ok(encoder) => encoder,
            Err(reason) => return Ok(without(self.without_vectors(namespace)?, reason)),
        };
        // Where nothing waits, the model is not even loaded.
        if self.without_vectors(namespace)? == 0 {
            return Ok(Completed { made: 0, waiting: 0, reason: None });
        }
        let encoder = match encoder.get() {
            Ok(encoder) => encoder,
            Err(reason) => return Ok(without(self.without_vectors(namespace)?, reason)),
        };
        let encoder = &**encoder;
        let mut made = 0;
        let mut stopped = false;
        // More may have come while the last were being encoded.
        while !stopped && !self.store.unembedded(namespace, encoder.id(), audience(encoder), Seq(0), 1)?.is_empty() {
            made += self.embed_missing(namespace, encoder, AT_ONCE, &mut |done, total| {
                let step = progress(Progress { done: made + done, total: made + total });
                stopped |= step.is_break();
                step
            })?;
        }
        // What an encoder on a server may not see does not wait.
        let waiting = if stopped { self.without_vectors(namespace)? } else { 0 };
        Ok(Completed { made, waiting, reason: None })
    }

    /// How many turns and notes have no vector by the encoder that serves a namespace, or by any where none serves it.
    ///
    /// # Errors
    /// When the namespace does not exist, or the store fails.
    pub fn without_vectors(&self, namespace: &Namespace) -> Result<u64, Error> {
        Ok(unembedded(&self.store.stats(namespace)?))
    }
}

/// How many memories lack a vector by the active encoder.
pub(crate) fn unembedded(stats: &NamespaceStats) -> u64 {
    let active = stats.active_encoder.as_ref();
    let present = active.and_then(|active| stats.vectors.get(active.as_str())).copied().unwrap_or(0);
    (stats.turns + stats.notes).saturating_sub(present)
}
