//! The rows of one namespace, in one transaction: what an SQL backend implements, a statement an operation.
//!
//! Operations that take `&self` read, those that take `&mut self` write. A write is seen by the reads that follow it in
//! the same transaction. No operation decides anything: the rules are in the store's policy, which calls them. An
//! operation fails when the backend does, and where it is given a visitor or a sink, when that does.

mod columns;
mod cues;
mod derived;
mod memories;
mod selection;
mod state;
mod vectors;

pub use columns::{
    components_into, kind_of_number, number_of_kind, number_of_rows, removals_of, to_json, vector_to_bytes,
};
pub use cues::{CueTable, DeletedCues};
pub use derived::{DerivedTable, SegmentFilter};
pub use memories::{
    ConversationRow, Counter, EmptiedGroups, EmptiedSession, Groups, IdRow, MemoryTable, NO_GROUP, RowKind, SessionRow,
};
pub use selection::Selection;
pub use state::{NamespaceState, StateTable};
pub use vectors::VectorTable;

/// All tables of a namespace.
pub trait Tables: StateTable + MemoryTable + VectorTable + CueTable + DerivedTable {}

impl<T: StateTable + MemoryTable + VectorTable + CueTable + DerivedTable> Tables for T {}
