//! How a store brings a derived index up to date.

use super::{
    cues::CueRow,
    removed::Removed,
    segment::{Segment, SegmentUse, SnapshotName},
};
use crate::{
    error::StoreError,
    types::{Kind, Seq, Timestamp},
};

/// One memory as a derived index needs it.
#[derive(Debug)]
pub struct IndexRow<'a> {
    /// Its position in the namespace.
    pub seq: Seq,
    /// Turn or note.
    pub kind: Kind,
    /// The conversation, if any.
    pub conversation: Option<&'a str>,
    /// The session, if any.
    pub session: Option<&'a str>,
    /// The speaker of a turn.
    pub speaker: Option<&'a str>,
    /// What was said.
    pub text: &'a str,
    /// What an attached image shows.
    pub image_caption: Option<&'a str>,
    /// When it was said.
    pub said_at: Option<Timestamp>,
    /// How much it matters, in [0, 1].
    pub importance: f64,
    /// The vectors of its windows by the encoder asked for, one after the other.
    pub vectors: Option<&'a [f32]>,
}

/// The title of a session as a derived index needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TitleRow<'a> {
    /// The number of the session.
    pub number: u64,
    /// Its conversation.
    pub conversation: &'a str,
    /// Its name in that conversation.
    pub session: &'a str,
    /// Its title.
    pub title: &'a str,
}

/// Takes the rows that bring a derived index up to date.
pub trait IndexSink {
    /// Drops every row taken so far: all rows follow.
    fn reset(&mut self);

    /// Takes rows out that were removed; some of them it may never have had.
    ///
    /// # Errors
    /// When it cannot.
    fn remove(&mut self, gone: &Removed) -> Result<(), StoreError>;

    /// The name under which segments of this index are kept, if any are.
    fn kept_as(&self) -> Option<SnapshotName> {
        None
    }

    /// Takes the rows of a segment kept under that name, in their order among the others. On [`SegmentUse::No`] they
    /// follow one by one.
    fn segment(&mut self, _segment: &Segment) -> SegmentUse {
        SegmentUse::No
    }

    /// Takes the next row, in order of [`Seq`].
    ///
    /// # Errors
    /// When the row cannot belong to this index.
    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError>;

    /// The number of the last session whose title it took; `None` where it wants no titles.
    fn titles_upto(&self) -> Option<u64> {
        None
    }

    /// Takes the title of the next session, in order of their numbers, after all rows and cues.
    fn title(&mut self, _title: TitleRow<'_>) {}

    /// Takes the next cue, in order of [`CueId`](crate::types::CueId), after all rows.
    ///
    /// # Errors
    /// When the cue cannot belong to this index.
    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError>;
}
