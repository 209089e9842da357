//! What a store does: keep memories and vectors, and nothing of scoring.

mod check;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod cues;
mod in_memory;
pub mod numbers;

use std::{collections::BTreeMap, path::Path};

pub use check::{BackedUp, CheckDepth, Existing, Finding, Gravity, Salvaged};
pub use cues::{CuePart, CueRow, CueStats, CueStore, CueVectors, DroppedCues, NewCues, UnembeddedCue};
pub use in_memory::InMemoryStore;
use serde::Serialize;

use crate::{
    error::StoreError,
    types::{
        ConversationId, CueId, Draft, EncoderId, Kind, Memory, MemoryId, Namespace, Scope, Seq, SessionId, Timestamp,
        Vectors,
    },
};

/// How far a namespace has come.
///
/// A derived index made at one version is brought to another by reading what
/// was appended, memories and cues, unless the epoch moved: then it is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Moves when something that is searched changed or went: a forget, a vector that came later to the
    /// set that serves, another set that serves.
    pub epoch: u64,
    /// The last memory appended.
    pub last: Seq,
    /// The last cue put; one that took the place of another moved the epoch too.
    pub cues: CueId,
}

/// Memories to append in one transaction, with their vectors.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The memories.
    pub drafts: &'a [Draft],
    /// Their vectors.
    pub vectors: NewVectors<'a>,
}

/// Where the vectors of a [`Batch`] come from.
#[derive(Debug, Clone, Copy)]
pub enum NewVectors<'a> {
    /// Nowhere: they may be made later.
    None,
    /// From the caller.
    Given {
        /// What made them.
        encoder: &'a EncoderId,
        /// A vector for each draft, or `None` for one that has none.
        vectors: &'a [Option<&'a [f32]>],
    },
    /// From what [`Store::stage`] keeps; what is named here is no longer staged afterwards.
    Staged {
        /// What made them.
        encoder: &'a EncoderId,
        /// The fingerprint of each draft's passage, or `None` for one that has no vector.
        fingerprints: &'a [Option<Fingerprint>],
    },
}

impl<'a> Batch<'a> {
    /// Memories without vectors.
    pub fn of(drafts: &'a [Draft]) -> Self {
        Self { drafts, vectors: NewVectors::None }
    }
}

/// What became of each draft of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Stored now, under this id.
    Added(MemoryId),
    /// Already there, the same in every field.
    Unchanged(MemoryId),
}

/// One memory as a derived index needs it.
#[derive(Debug)]
pub struct IndexRow<'a> {
    /// Its place in the namespace.
    pub seq: Seq,
    /// Turn or note.
    pub kind: Kind,
    /// The conversation, if any.
    pub conversation: Option<&'a str>,
    /// The session, if any.
    pub session: Option<&'a str>,
    /// Who said it.
    pub speaker: Option<&'a str>,
    /// What was said.
    pub text: &'a str,
    /// What an attached image shows.
    pub image_caption: Option<&'a str>,
    /// When.
    pub said_at: Option<Timestamp>,
    /// How much it matters, in [0, 1].
    pub importance: f64,
    /// Its vector by the encoder asked for.
    pub vector: Option<&'a [f32]>,
}

/// Takes the rows that bring a derived index up to date.
pub trait IndexSink {
    /// Forgets every row taken so far: all rows follow.
    fn reset(&mut self);

    /// Takes the next row, in order of [`Seq`].
    ///
    /// # Errors
    /// When the row cannot belong to this index.
    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError>;

    /// Takes the next cue, in order of [`CueId`], after all rows.
    ///
    /// # Errors
    /// When the cue cannot belong to this index.
    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError>;
}

/// What a forget took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Forgotten {
    /// Turns gone.
    pub turns: u64,
    /// Notes gone.
    pub notes: u64,
    /// Vectors gone with them, those of cues included.
    pub vectors: u64,
    /// Cue questions gone with them.
    pub cues: u64,
    /// Sessions that are empty now and gone too.
    pub sessions: u64,
    /// Conversations that are empty now and gone too.
    pub conversations: u64,
    /// Vectors that an interrupted import had staged, gone too.
    pub staged: u64,
    /// Whether the bytes of all this are gone from every file.
    pub erasure: Erasure,
}

/// Whether what was forgotten is gone from every file of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Erasure {
    /// It is.
    #[default]
    Complete,
    /// No search finds it, but somebody still reads the store as it was before, so that its log cannot be emptied yet. A
    /// store does that by itself when it is opened or [`Store::erasure`] is called after the reader has finished.
    Pending,
}

/// How much a namespace holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct NamespaceStats {
    /// Conversations.
    pub conversations: u64,
    /// Sessions.
    pub sessions: u64,
    /// Turns.
    pub turns: u64,
    /// Notes.
    pub notes: u64,
    /// Vectors by encoder.
    pub vectors: BTreeMap<String, u64>,
    /// The encoder whose vectors serve; see [`Store::serving`].
    pub serving: Option<EncoderId>,
    /// Vectors that an import which has not finished has staged; see [`Store::stage`].
    pub staged: u64,
    /// When the first memory was said.
    pub first: Option<Timestamp>,
    /// When the last memory was said.
    pub last: Option<Timestamp>,
}

/// A memory without a vector, with what is needed to make one.
#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    /// The memory.
    pub seq: Seq,
    /// Its indexed text.
    pub passage: String,
}

/// What to forget.
#[derive(Debug, Clone, PartialEq)]
pub enum Doomed {
    /// One memory.
    One(Seq),
    /// All that lies in a scope; the default scope is the whole namespace.
    Within(Scope),
}

/// Where a memory stands: an id is unique in its conversation, not in its namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct Address {
    /// The id.
    pub id: MemoryId,
    /// The conversation; `None` looks in all, and among notes that have none.
    pub conversation: Option<ConversationId>,
}

/// Keeps memories, their vectors and their versions; several processes may share one.
///
/// A call that changes something is one transaction: on an error nothing was
/// written, on success it survives a crash. Every call but
/// [`Store::namespaces`] concerns one namespace, and no data crosses over.
pub trait Store: CueStore + Send + Sync {
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

    /// What [`Store::append`] would do with each draft; ids it would give are not given yet.
    ///
    /// `None` stands for "it would be added".
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::Invalid`], or when the backend fails.
    fn known(&self, namespace: &Namespace, drafts: &[Draft]) -> Result<Vec<Option<MemoryId>>, StoreError>;

    /// Appends what is new; makes the namespace where it is missing. The first vector of a namespace
    /// decides which encoder's vectors serve it.
    ///
    /// A draft without an id gets one that nothing in its conversation has or had, whoever chose it; only a
    /// namespace that was forgotten whole and made again begins anew. An id of his own a user may choose again.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when an id is taken by something else,
    /// [`StoreError::Invalid`] when a draft cannot be kept,
    /// [`StoreError::EncoderMismatch`] when another encoder's vectors serve the namespace,
    /// [`StoreError::Unstaged`] when a vector is not staged that should be,
    /// [`StoreError::Dimension`] when a vector does not fit, or when the backend fails.
    fn append(&self, namespace: &Namespace, batch: Batch<'_>) -> Result<Vec<Fate>, StoreError>;

    /// The encoder whose vectors serve: searches go by them, and additions bring theirs to them. `None`
    /// before the first vector, and where there is no such namespace.
    ///
    /// # Errors
    /// When the backend fails.
    fn serving(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError>;

    /// Has the vectors of `encoder` serve from now on, unless some are still missing; says how many are.
    ///
    /// It is 0 when they serve. Of what `audience` may not see nothing is missing.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn serve(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError>;

    /// Deletes the vectors that do not serve, as thoroughly as a forget; says how many went.
    ///
    /// What is staged by their encoders goes too.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError>;

    /// Brings a derived index from `since` to the present; one consistent view.
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

    /// Memories by place; those that are gone are left out.
    ///
    /// # Errors
    /// When the backend fails.
    fn fetch(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Memory>, StoreError>;

    /// Ids of [`Store::fetch`], for who needs nothing else.
    ///
    /// # Errors
    /// When the backend fails.
    fn ids(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<MemoryId>, StoreError> {
        Ok(self.fetch(namespace, places)?.into_iter().map(|memory| memory.id).collect())
    }

    /// Memories under an address: none, one, or one in each of several conversations.
    ///
    /// # Errors
    /// When the backend fails.
    fn find(&self, namespace: &Namespace, address: &Address) -> Result<Vec<Memory>, StoreError>;

    /// Up to `before` and `after` turns around a turn in its session, itself included.
    ///
    /// # Errors
    /// When the backend fails.
    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Memory>, StoreError>;

    /// Sessions called `session` by conversation, to tell which one is meant.
    ///
    /// # Errors
    /// When the backend fails.
    fn conversations_with(&self, namespace: &Namespace, session: &SessionId)
    -> Result<Vec<ConversationId>, StoreError>;

    /// Visits all memories of a scope by conversation, session and order; one consistent view.
    ///
    /// # Errors
    /// What the visitor answers, or when the backend fails.
    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Real vectors by place.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when one is missing, or when the backend fails.
    fn vectors(&self, namespace: &Namespace, encoder: &EncoderId, places: &[Seq]) -> Result<Vectors, StoreError>;

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

    /// Adds vectors to memories that are there already; those gone meanwhile are left out. Whether they
    /// serve is for [`Store::serve`] to say.
    ///
    /// # Errors
    /// [`StoreError::Dimension`], or when the backend fails.
    fn embed(&self, namespace: &Namespace, encoder: &EncoderId, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError>;

    /// Takes memories away with everything derived from them, cues, staged vectors and free pages included.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn forget(&self, namespace: &Namespace, doomed: &Doomed) -> Result<Forgotten, StoreError>;

    /// Whether all that was ever forgotten or dropped is gone from every file; finishes what can be finished without waiting.
    ///
    /// # Errors
    /// When the backend fails.
    fn erasure(&self) -> Result<Erasure, StoreError>;

    /// How much a namespace holds.
    ///
    /// # Errors
    /// [`StoreError::UnknownNamespace`], or when the backend fails.
    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError>;

    /// A derived index kept for the next process, if one is there.
    ///
    /// # Errors
    /// When the backend fails.
    fn snapshot(&self, namespace: &Namespace, index: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps a derived index made at `version`; nothing happens when the epoch has moved since.
    ///
    /// # Errors
    /// When the backend fails.
    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        index: &str,
        version: Version,
        snapshot: &[u8],
    ) -> Result<(), StoreError>;

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
    fn check(&self, _depth: CheckDepth, _step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        Ok(Vec::new())
    }

    /// Names of the snapshots kept of a namespace.
    ///
    /// # Errors
    /// When the backend fails.
    fn snapshots(&self, _namespace: &Namespace) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Copies the store as it is at one moment to a file, which appears whole and compared with what should be in it,
    /// or not at all; `step` is told what is done.
    ///
    /// # Errors
    /// When the file cannot be, or the store is damaged, cannot be copied or read.
    fn back_up(&self, _file: &Path, _existing: Existing, _step: &mut dyn FnMut(&str)) -> Result<BackedUp, StoreError> {
        Err(StoreError::Location {
            location: self.location(),
            found: "ends with the process, and has no file to copy".to_owned(),
            next: "name a store in a file with --store".to_owned(),
        })
    }

    /// [`Store::export`] of a whole namespace that goes on where something cannot be read; by position.
    ///
    /// # Errors
    /// What the visitor answers, or when nothing can be read.
    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<Salvaged, StoreError> {
        let mut salvaged = Salvaged::default();
        self.export(namespace, &Scope::default(), &mut |memory| {
            salvaged.read += 1;
            visit(memory)
        })?;
        Ok(salvaged)
    }
}

/// Which models may see what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Models on this machine: everything.
    LocalModels,
    /// Models behind a network: nothing sensitive.
    AnyModel,
}

/// Identifies a passage without keeping it.
pub type Fingerprint = [u8; 16];
