//! What callers use: the trait [`Store`].

use std::{path::Path, sync::atomic::AtomicBool};

use super::{
    batch::{AppendOutcome, Batch, Fingerprint, OnConflict},
    browse::{SessionSummary, SpeakerSummary},
    candidates::CandidateSource,
    check::{BackedUp, CheckDepth, Existing, Finding, Salvaged},
    cues::CueStore,
    deletion::{DeleteReport, DeleteTarget, Erasure},
    lookup::{Audience, MemoryRef, NamespaceStats, Unembedded, WindowRef},
    rows::RowStore,
    segment::{Segment, SnapshotName, SnapshotOutcome},
    sink::IndexSink,
    update::{MemoryUpdate, UpdateReport},
    version::Version,
};
use crate::{
    error::StoreError,
    types::{ConversationId, Draft, EncoderId, MemoryId, Namespace, Record, Scope, Seq, SessionId, VectorSet, Vectors},
};

/// Keeps memories, their vectors and their versions; several processes may share one.
///
/// A call that changes something is one transaction: on an error nothing was
/// written, on success it survives a crash. Every call but
/// [`Store::namespaces`] concerns one namespace, and no data crosses over.
pub trait Store: CueStore + RowStore + Send + Sync {
    /// Path or URL, as a person would recognise it.
    fn location(&self) -> String;

    /// Namespaces in alphabetical order.
    ///
    /// # Errors
    /// When the backend fails.
    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError>;

    /// How far a namespace has come; `None` when it does not exist.
    ///
    /// # Errors
    /// When the backend fails.
    fn version(&self, namespace: &Namespace) -> Result<Option<Version>, StoreError>;

    /// The id of the stored memory that each draft repeats; `None` for one that [`Store::append`] would add.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::Invalid`], or when the backend fails.
    fn find_existing(&self, namespace: &Namespace, drafts: &[Draft]) -> Result<Vec<Option<MemoryId>>, StoreError>;

    /// Appends what is new; makes the namespace where it is missing. The first vector of a namespace makes its encoder
    /// the active one.
    ///
    /// A draft without an id gets one that nothing in its conversation has or had. Only a namespace that was forgotten
    /// whole and made again numbers from 1. An id that the user chose may be used again once its memory is forgotten.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when an id is taken by something else,
    /// [`StoreError::Invalid`] when a draft cannot be kept,
    /// [`StoreError::EncoderMismatch`] when another encoder is active in the namespace,
    /// [`StoreError::Unstaged`] when a vector is not staged that should be,
    /// [`StoreError::Dimension`] when a vector does not fit, or when the backend fails.
    fn append(&self, namespace: &Namespace, batch: Batch<'_>) -> Result<Vec<AppendOutcome>, StoreError> {
        self.append_with(namespace, batch, OnConflict::Fail)
    }

    /// [`Store::append`], where `on_conflict` says what becomes of a draft whose id is taken by something else.
    ///
    /// # Errors
    /// As [`Store::append`], [`StoreError::Conflict`] for [`OnConflict::Fail`] only.
    fn append_with(
        &self,
        namespace: &Namespace,
        batch: Batch<'_>,
        on_conflict: OnConflict,
    ) -> Result<Vec<AppendOutcome>, StoreError>;

    /// The active encoder: searches use its vectors, and additions bring theirs to them. `None` before the first vector,
    /// and where there is no such namespace.
    ///
    /// # Errors
    /// When the backend fails.
    fn active_encoder(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError>;

    /// Makes `encoder` the active one, unless memories lack a vector by it. Returns how many do; 0 means it is active.
    ///
    /// Memories hidden from `audience` are not counted.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn activate(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError>;

    /// Deletes the vectors of encoders that are not active, as thoroughly as a forget; returns how many.
    ///
    /// What is staged by these encoders goes too.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError>;

    /// Brings a derived index from `since` to the present; one consistent view.
    ///
    /// The sink is first told what was removed since then. An index that has to be made anew is shown the segments kept
    /// under its name in the place of their rows.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], what the sink answers, or when the backend fails.
    fn catch_up(
        &self,
        namespace: &Namespace,
        encoder: Option<&EncoderId>,
        since: Option<Version>,
        sink: &mut dyn IndexSink,
    ) -> Result<Version, StoreError>;

    /// Memories by position; those that are gone are left out.
    ///
    /// # Errors
    /// When the backend fails.
    fn fetch(&self, namespace: &Namespace, positions: &[Seq]) -> Result<Vec<Record>, StoreError>;

    /// Ids of the memories that [`Store::fetch`] returns.
    ///
    /// # Errors
    /// When the backend fails.
    fn ids(&self, namespace: &Namespace, positions: &[Seq]) -> Result<Vec<MemoryId>, StoreError> {
        Ok(self.fetch(namespace, positions)?.into_iter().map(|memory| memory.id).collect())
    }

    /// Memories under an id: none, one, or one in each of several conversations.
    ///
    /// # Errors
    /// When the backend fails.
    fn find(&self, namespace: &Namespace, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError>;

    /// Up to `limit` memories whose ids begin as that of `beginning` does, by id; in its conversation, where it names one.
    ///
    /// A number that the store gave is not cut: `s:1` does not stand for `s:12`.
    ///
    /// # Errors
    /// When the backend fails.
    fn ids_starting(
        &self,
        namespace: &Namespace,
        beginning: &MemoryRef,
        limit: usize,
    ) -> Result<Vec<MemoryRef>, StoreError>;

    /// The sessions of a scope, and what it has of notes by conversation, in the order of [`Store::export`].
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn sessions(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError>;

    /// The speakers of a scope, by the bytes of their names.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn speakers(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError>;

    /// Up to `limit` memories of a scope, what was said last first; what has no time comes last. Of those of one time, and
    /// of none, what arrived last comes first.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn latest(&self, namespace: &Namespace, scope: &Scope, limit: usize) -> Result<Vec<Record>, StoreError>;

    /// Changes a memory; `None` where there is none at that position. Bytes of what it was go as those of a forget.
    ///
    /// A note with another text or time moves to a new position, and loses its vectors and cues; `vectors` are those of
    /// the new text's windows. A turn stays where it is.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], [`StoreError::Invalid`] when it cannot change so,
    /// [`StoreError::EncoderMismatch`], [`StoreError::Dimension`], or when the backend fails.
    fn update(
        &self,
        namespace: &Namespace,
        seq: Seq,
        update: &MemoryUpdate,
        vectors: Option<(VectorSet<'_>, &[f32])>,
    ) -> Result<Option<UpdateReport>, StoreError>;

    /// Up to `before` and `after` turns around a turn in its session, itself included.
    ///
    /// # Errors
    /// When the backend fails.
    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError>;

    /// Sessions called `session` by conversation, to tell which one is meant.
    ///
    /// # Errors
    /// When the backend fails.
    fn conversations_with(&self, namespace: &Namespace, session: &SessionId)
    -> Result<Vec<ConversationId>, StoreError>;

    /// Conversations that have a session of exactly this title, to tell which one is meant.
    ///
    /// # Errors
    /// When the backend fails.
    fn conversations_titled(&self, namespace: &Namespace, title: &str) -> Result<Vec<ConversationId>, StoreError>;

    /// Whether there is a conversation of that name.
    ///
    /// # Errors
    /// When the backend fails.
    fn has_conversation(&self, namespace: &Namespace, name: &ConversationId) -> Result<bool, StoreError>;

    /// How many memories a scope holds.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn count(&self, namespace: &Namespace, scope: &Scope) -> Result<u64, StoreError>;

    /// The positions of a scope's memories by conversation, session and order, to read them some at a time.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn positions(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<Seq>, StoreError>;

    /// Visits all memories of a scope by conversation, session and order; one consistent view.
    ///
    /// # Errors
    /// What the visitor answers, or when the backend fails.
    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// How many components a vector of an encoder has; `None` where the namespace has had none by it.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn components(&self, namespace: &Namespace, encoder: &EncoderId) -> Result<Option<usize>, StoreError>;

    /// Vectors of windows of memories that had one at version `at`.
    ///
    /// # Errors
    /// When one is missing, [`StoreError::Outdated`] where the namespace has another epoch than `at` or something was
    /// removed since, and [`StoreError::Damaged`] otherwise; and when the backend fails.
    fn vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        windows: &[WindowRef],
        at: Version,
    ) -> Result<Vectors, StoreError>;

    /// Up to `limit` memories that have no vector by `encoder`, after `after`.
    ///
    /// With [`Audience::LocalModels`] sensitive memories are among them.
    ///
    /// # Errors
    /// When the backend fails.
    fn unembedded(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError>;

    /// Adds vectors, those of a memory's windows one after the other, to memories that are there already; those gone meanwhile are left out. Where no encoder is active,
    /// theirs becomes active, so that they are searched while others are still to come. Where another is, theirs becomes
    /// active by [`Store::activate`] only.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], [`StoreError::Dimension`], or when the backend fails.
    fn embed(&self, namespace: &Namespace, set: VectorSet<'_>, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError>;

    /// Deletes memories with everything derived from them, cues, staged vectors and free pages included.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn forget(&self, namespace: &Namespace, target: &DeleteTarget) -> Result<DeleteReport, StoreError>;

    /// Whether everything forgotten or dropped is gone from every file; finishes what can be finished without waiting.
    ///
    /// # Errors
    /// When the backend fails.
    fn erasure(&self) -> Result<Erasure, StoreError>;

    /// How much a namespace holds.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError>;

    /// Keeps segments of a derived index made at `version` for the next process, in the place of those of their blocks.
    ///
    /// It waits for nobody. Segments kept by another maker, or before the epoch moved, are deleted.
    ///
    /// # Errors
    /// When the backend fails.
    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        name: &SnapshotName,
        version: Version,
        segments: &[Segment],
    ) -> Result<SnapshotOutcome, StoreError>;

    /// A view of this store in which nothing changes, whatever others write meanwhile; it can only be read.
    ///
    /// A log grows while it is held.
    ///
    /// # Errors
    /// When the backend fails.
    fn steady(&self) -> Result<Box<dyn Store>, StoreError>;

    /// What searches namespaces in the store that are too large to hold; `None` where every namespace is to be held.
    fn candidate_source(&self) -> Option<&dyn CandidateSource> {
        None
    }

    /// Which passages an import that has not finished has staged vectors of.
    ///
    /// # Errors
    /// When the backend fails.
    fn staged(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<bool>, StoreError>;

    /// Keeps vectors of an import under way until a [`Batch`] takes them or a [`Store::forget`] in the
    /// namespace deletes them, so that none is held in memory and the import can resume. Makes the namespace where it is missing.
    ///
    /// What is staged only saves work: a crash of the machine may lose the last of it.
    ///
    /// # Errors
    /// When the backend fails.
    fn stage(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(Fingerprint, &[f32])],
    ) -> Result<(), StoreError>;

    /// Looks for damage; `step` is told what is looked at. A store that ends with the process has none to find.
    ///
    /// # Errors
    /// When the store cannot be looked at; what is wrong with it is a finding.
    fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError>;

    /// Random bytes that a namespace has until something of it is forgotten, and others afterwards: what is derived from
    /// it and kept elsewhere is sealed with them. `None` where nothing should be kept.
    ///
    /// # Errors
    /// When the backend fails.
    fn secret(&self, namespace: &Namespace) -> Result<Option<[u8; 32]>, StoreError>;

    /// Names of the snapshots kept of a namespace.
    ///
    /// # Errors
    /// When the backend fails.
    fn snapshots(&self, namespace: &Namespace) -> Result<Vec<String>, StoreError>;

    /// Copies the store as it is at one moment to a file, which appears whole and compared with what should be in it,
    /// or not at all; `step` is told what is done. It ends early, with an error, once `stop` is true.
    ///
    /// # Errors
    /// When the file cannot be, the store is damaged, cannot be copied or read, and when it is stopped.
    fn back_up(
        &self,
        file: &Path,
        existing: Existing,
        step: &mut dyn FnMut(&str),
        stop: &AtomicBool,
    ) -> Result<BackedUp, StoreError>;

    /// [`Store::export`] of a whole namespace that goes on where something cannot be read; by position.
    ///
    /// # Errors
    /// What the visitor answers, or when nothing can be read.
    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<Salvaged, StoreError>;
}
