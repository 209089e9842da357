//! What a store does: keep memories and vectors, and nothing of scoring.
//!
//! Callers use the trait [`Store`]. Its rules (which draft is which stored memory, which ids are given, which encoder is
//! active, what an index is told) are written once, in `policy`, over the [`tables`] of a [`Backend`]:
//!
//! - An SQL store implements [`Backend`] and the traits of [`tables`], each operation as a statement.
//! - A store of keys and rows implements [`Backend`] and the four methods of [`keyed::KeyedRows`].
//!
//! Whoever implements [`Backend`] has a [`Store`].

mod backend;
mod batch;
mod browse;
mod candidates;
mod check;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod contract;
mod cues;
mod deletion;
mod in_memory;
pub mod keyed;
mod lookup;
mod policy;
mod removed;
mod rows;
mod segment;
mod sink;
pub mod tables;
mod update;
mod version;

pub use backend::{Backend, Change, ChangeKind, Extent, MissingNamespace, View, Written};
pub use batch::{AppendOutcome, Batch, Fingerprint, NewVectors, OnConflict};
pub use browse::{SessionSummary, SpeakerSummary};
pub use candidates::{CandidateQuery, CandidateSet, CandidateSource};
pub use check::{BackedUp, CheckDepth, Existing, Finding, Gravity, Salvaged};
pub use contract::Store;
pub use cues::{CuePart, CueRow, CueStats, CueStore, CueVectors, DroppedCues, NewCues, UnembeddedCue};
pub use deletion::{DeleteReport, DeleteTarget, Erasure};
pub use in_memory::InMemoryStore;
pub use lookup::{Audience, MemoryRef, NamespaceStats, Unembedded, WindowRef};
pub use removed::{IdRanges, REMEMBERED_SPANS, Removed};
pub use rows::{ReadRows, RowStore, WriteRows};
pub use segment::{BLOCK, Segment, SegmentKind, SegmentUse, SnapshotName, SnapshotOutcome};
pub use sink::{IndexRow, IndexSink, TitleRow};
pub use update::{MemoryUpdate, UpdateReport};
pub use version::Version;
