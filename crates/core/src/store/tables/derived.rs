//! What is kept for derived indexes: which rows were removed, and segments.

use crate::{
    error::StoreError,
    store::{
        removed::Removed,
        segment::{Segment, SegmentKind, SnapshotName},
    },
};

/// Which segments a deletion is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentFilter<'a> {
    /// Every segment of the namespace.
    All,
    /// Those of a block, of every index.
    Block(SegmentKind, u64),
    /// Those that another maker made.
    NotBy(&'a str),
}

/// Removals and segments, in a transaction.
pub trait DerivedTable {
    /// Removals after a number, in order.
    fn removals_after(&self, number: u64) -> Result<Vec<(u64, Removed)>, StoreError>;

    /// How many spans the removals that are kept have together.
    fn removal_spans(&self) -> Result<usize, StoreError>;

    /// Visits the segments of one kind kept under a name, in order of their blocks.
    fn each_segment(
        &self,
        name: &SnapshotName,
        rows: SegmentKind,
        visit: &mut dyn FnMut(Segment) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Names of the indexes that segments are kept of.
    fn segment_names(&self) -> Result<Vec<String>, StoreError>;

    /// Sets the number of removals.
    fn set_removed(&mut self, number: u64) -> Result<(), StoreError>;

    /// Keeps a removal.
    fn insert_removal(&mut self, number: u64, removed: &Removed) -> Result<(), StoreError>;

    /// Deletes the oldest removals, so that those left have at most `spans` spans together.
    fn trim_removals(&mut self, spans: usize) -> Result<(), StoreError>;

    /// Keeps a segment, in the place of that of its index and block.
    fn put_segment(&mut self, name: &SnapshotName, segment: &Segment) -> Result<(), StoreError>;

    /// Deletes segments.
    fn delete_segments(&mut self, filter: SegmentFilter<'_>) -> Result<(), StoreError>;
}
