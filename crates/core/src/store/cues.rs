//! What a store does with cue questions: derived data, kept with their memory and gone with it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{lookup::Audience, version::Version};
use crate::{
    error::StoreError,
    types::{CueId, CueSource, Cues, EncoderId, Namespace, Record, Scope, Seq, Vectors},
};

/// Cues of one memory on their way into a store; they take the place of those it has.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCues {
    /// The memory.
    pub seq: Seq,
    /// Its questions, in order; none where there is nothing to ask, which is worth knowing too.
    pub questions: Vec<String>,
    /// Their vectors.
    pub vectors: CueVectors,
}

/// Vectors of one memory's cues.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CueVectors {
    /// One a question, in order; or none at all, where they are made later or not wanted.
    pub questions: Vec<Vec<f32>>,
    /// That of the text with all its questions, where it is wanted.
    pub passage: Option<Vec<f32>>,
}

/// One vector's worth of a memory's cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CuePart<'a> {
    /// The memory's text with all its questions; see [`crate::types::cued_passage`].
    Passage,
    /// One question.
    Question(&'a str),
}

/// One cue as a derived index needs it.
#[derive(Debug, Clone, Copy)]
pub struct CueRow<'a> {
    /// Its number in the namespace.
    pub id: CueId,
    /// The memory it belongs to, which the index has.
    pub seq: Seq,
    /// What it is.
    pub part: CuePart<'a>,
    /// Its vector by the encoder asked for.
    pub vector: Option<&'a [f32]>,
}

/// A cue without a vector, with what is needed to make one.
#[derive(Debug, Clone, PartialEq)]
pub struct UnembeddedCue {
    /// The cue.
    pub id: CueId,
    /// The question, or the text with all questions.
    pub text: String,
}

/// How many cues a namespace holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CueStats {
    /// Memories that were asked for cues, those that got none included.
    pub memories: u64,
    /// Questions.
    pub questions: u64,
    /// Vectors by encoder.
    pub vectors: BTreeMap<String, u64>,
    /// Memories by `model, prompt`.
    pub sources: BTreeMap<String, u64>,
}

/// What dropping cues deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DroppedCues {
    /// Memories that have no cues now.
    pub memories: u64,
    /// Questions gone.
    pub questions: u64,
    /// Vectors gone with them.
    pub vectors: u64,
}

/// Keeps cues; part of [`super::contract::Store`], whose promises hold here.
pub trait CueStore {
    /// Gives memories their cues, in the place of those they have; says how many memories got theirs. What is gone
    /// meanwhile is left out.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`]; [`StoreError::EncoderMismatch`] when another encoder is active in the
    /// namespace; [`StoreError::Dimension`] when a vector does not fit; or when the backend fails.
    fn put_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        encoder: Option<&EncoderId>,
        cues: &[NewCues],
    ) -> Result<u64, StoreError>;

    /// The cues of memories by position; `None` for one that was never asked for any.
    ///
    /// # Errors
    /// When the backend fails.
    fn cues(&self, namespace: &Namespace, positions: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError>;

    /// Questions by id; those that are gone are left out.
    ///
    /// # Errors
    /// When the backend fails.
    fn questions(&self, namespace: &Namespace, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError>;

    /// Up to `limit` memories of a scope that were never asked for cues, after `after`, in order of arrival.
    ///
    /// With [`Audience::LocalModels`] sensitive memories are among them.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn uncued(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Record>, StoreError>;

    /// Deletes the cues of a scope, free pages included.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, StoreError>;

    /// How many cues a namespace holds.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, StoreError>;

    /// Up to `limit` cues that have no vector by `encoder`, after `after`; those of sensitive memories for
    /// [`Audience::LocalModels`] only.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn unembedded_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError>;

    /// Adds vectors to cues that are there already; those gone meanwhile are left out.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], [`StoreError::Dimension`], or when the backend fails.
    fn embed_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(CueId, &[f32])],
    ) -> Result<(), StoreError>;

    /// Vectors of cues that had one at version `at`.
    ///
    /// # Errors
    /// As [`super::contract::Store::vectors`].
    fn cue_vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        ids: &[CueId],
        at: Version,
    ) -> Result<Vectors, StoreError>;
}
