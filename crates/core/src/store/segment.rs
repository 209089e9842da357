//! Parts of a derived index as a store keeps them for the next process.
//!
//! A segment holds the rows of one block of places, so that what went takes the segments of its blocks along in the
//! same transaction, and the rest of an index need not be made anew.

/// Places in a block.
pub const BLOCK: u64 = 1024;

/// Under what a derived index is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SnapshotName {
    /// Which index of a namespace.
    pub index: String,
    /// What made its rows of texts; what another made is not read, and goes when a segment is kept.
    pub maker: String,
}

/// What the rows of a segment are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentKind {
    /// Memories, by place.
    Memories,
    /// Cues, by id.
    Cues,
}

/// The rows of a block, from its first place to `upto`, as an index writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// What they are.
    pub rows: SegmentKind,
    /// Their block: a place divided by [`BLOCK`].
    pub block: u64,
    /// The last place that it speaks for.
    pub upto: u64,
    /// The rows.
    pub bytes: Vec<u8>,
}

impl Segment {
    /// The first place of a block.
    pub fn first(block: u64) -> u64 {
        block.saturating_mul(BLOCK)
    }
}

/// Whether an index took the rows of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentUse {
    /// It did.
    Yes,
    /// It could not: the rows follow one by one.
    No,
}

/// What became of segments that were to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotOutcome {
    /// They are kept.
    Yes,
    /// Something went since they were made, or changed: nothing was written.
    Outdated,
    /// Another is writing: nothing was written.
    Busy,
}
