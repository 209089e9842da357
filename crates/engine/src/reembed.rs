//! Makes the vectors that a namespace lacks, and activates another encoder.

use std::ops::ControlFlow;

use aforesaid_core::{
    Encoder,
    store::Erasure,
    types::{CueId, EncoderId, Namespace, Seq},
};
use serde::Serialize;

use crate::{
    encoding::{self, CHUNK, Chunk, Parts, PassageVectors, audience, set_of},
    error::Error,
    ingest::Progress,
    memory::Memory,
    registry::ModelPolicy,
};

/// What becomes of vectors of encoders that are not active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdleVectors {
    /// They stay: switching back to their encoder only makes what was added since.
    #[default]
    Keep,
    /// They are deleted, free pages included.
    Drop,
}

/// What [`Memory::reembed`] did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reembedded {
    /// The active encoder now.
    pub encoder: EncoderId,
    /// The encoder whose vectors served before, if any did.
    pub before: Option<EncoderId>,
    /// Vectors made, those of cue questions included.
    pub embedded: usize,
    /// Vectors of other encoders deleted.
    pub dropped: u64,
    /// Whether their bytes are gone from every file.
    pub erasure: Erasure,
}

impl Memory {
    /// Makes the vectors that a namespace lacks by the encoder that the registry picks for it, and activates that encoder.
    ///
    /// A registry that follows namespaces picks the active encoder; [`Memory::reembed_by`] changes it. Until the
    /// vectors are complete, searches and additions use the encoder before; memories added meanwhile are encoded too.
    /// Vectors are stored as they are made: an interrupted call resumes. A remote encoder gets no sensitive memory.
    ///
    /// # Errors
    /// When no encoder can be had, the namespace does not exist, or the store fails.
    pub fn reembed(
        &self,
        namespace: &Namespace,
        idle: IdleVectors,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reembedded, Error> {
        self.must_exist(namespace)?;
        let active = self.store.active_encoder(namespace)?;
        let encoder = self.encoders.get(active.as_ref(), ModelPolicy::Fetch)?;
        let refused = |reason| Error::NoEncoder { reason };
        let encoder = encoder.map_err(refused)?;
        self.reembed_by(namespace, &**encoder.get().map_err(refused)?, idle, progress)
    }

    /// [`Memory::reembed`] by a given encoder, which is active afterwards.
    ///
    /// # Errors
    /// When the namespace does not exist, a text cannot be encoded, or the store fails.
    pub fn reembed_by(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        idle: IdleVectors,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reembedded, Error> {
        self.must_exist(namespace)?;
        let before = self.store.active_encoder(namespace)?;
        let mut embedded = 0;
        // More may have come while the last were being encoded.
        loop {
            embedded += self.embed_missing(namespace, encoder, CHUNK, &mut |done, total| {
                progress(Progress { done: embedded + done, total: embedded + total });
                ControlFlow::Continue(())
            })?;
            embedded += self.embed_missing_cues(namespace, encoder, &mut |done, total| {
                progress(Progress { done: embedded + done, total: embedded + total });
                ControlFlow::Continue(())
            })?;
            if self.store.activate(namespace, encoder.id(), audience(encoder))? == 0 {
                break;
            }
        }
        let dropped = match idle {
            IdleVectors::Keep => 0,
            IdleVectors::Drop => self.store.drop_idle_vectors(namespace)?,
        };
        Ok(Reembedded { encoder: encoder.id().clone(), before, embedded, dropped, erasure: self.store.erasure()? })
    }

    /// Makes the vectors that texts lack now, `at_once` in one step; says how many.
    pub(crate) fn embed_missing(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        at_once: usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<usize, Error> {
        let stats = self.store.stats(namespace)?;
        let present = stats.vectors.get(encoder.id().as_str()).copied().unwrap_or(0);
        let mut after = Seq(0);
        let missing = || {
            let missing = self.store.unembedded(namespace, encoder.id(), audience(encoder), after, at_once)?;
            after = missing.last().map_or(after, |last| last.seq);
            Ok(missing.into_iter().map(|memory| (memory.seq, memory.passage)).unzip())
        };
        let set = set_of(encoder);
        let keep = |vectors: &[(Seq, &[f32])]| Ok(self.store.embed(namespace, set, vectors)?);
        let total = (stats.turns + stats.notes).saturating_sub(present);
        make((encoder, Parts::Windows), missing, keep, total as usize, progress)
    }

    /// Makes the vectors that cues lack now; says how many.
    fn embed_missing_cues(
        &self,
        namespace: &Namespace,
        encoder: &dyn Encoder,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<usize, Error> {
        let stats = self.store.cue_stats(namespace)?;
        let present = stats.vectors.get(encoder.id().as_str()).copied().unwrap_or(0);
        let mut after = CueId(0);
        let missing = || {
            let missing = self.store.unembedded_cues(namespace, encoder.id(), audience(encoder), after, CHUNK)?;
            after = missing.last().map_or(after, |last| last.id);
            Ok(missing.into_iter().map(|cue| (cue.id, cue.text)).unzip())
        };
        let keep = |vectors: &[(CueId, &[f32])]| Ok(self.store.embed_cues(namespace, encoder.id(), vectors)?);
        make((encoder, Parts::Passage), missing, keep, stats.questions.saturating_sub(present) as usize, progress)
    }
}

/// Encodes what is `missing`, chunk by chunk until one is empty, and keeps it; about `total` in all. Says how many.
fn make<K: Copy + Send>(
    (encoder, parts): (&dyn Encoder, Parts),
    mut missing: impl FnMut() -> Result<(Vec<K>, Vec<String>), Error> + Send,
    mut keep: impl FnMut(&[(K, &[f32])]) -> Result<(), Error> + Send,
    total: usize,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<usize, Error> {
    let mut read = 0;
    let next = || {
        let (keys, passages) = missing()?;
        read += keys.len();
        Ok((!keys.is_empty()).then_some(Chunk { keys, passages, done: read }))
    };
    let keep =
        |keys: &[K], vectors: &PassageVectors| keep(&keys.iter().copied().zip(vectors.iter()).collect::<Vec<_>>());
    let mut done = 0;
    encoding::run(encoder, parts, next, keep, &mut |chunk| {
        done = chunk;
        progress(done, total.max(done))
    })?;
    Ok(done)
}
