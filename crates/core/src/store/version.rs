//! How far a namespace has come.

use serde::Serialize;

use crate::types::{CueId, Seq};

/// The state of a namespace, as a derived index compares it.
///
/// An index made at one version is brought to another by taking out what was removed and reading what was appended,
/// memories and cues. Where the epoch differs, the index is made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Moves when something that is searched changed: the active encoder, or vectors added to its set later than
    /// their memories.
    pub epoch: u64,
    /// The last memory appended.
    pub last: Seq,
    /// The last cue put.
    pub cues: CueId,
    /// The number of removals: memories that were forgotten, cues that were dropped or replaced.
    pub removed: u64,
}

impl Version {
    /// Whether everything of an earlier version is still there, and the same.
    pub fn continues(self, earlier: Version) -> bool {
        (self.epoch, self.removed) == (earlier.epoch, earlier.removed)
    }
}
