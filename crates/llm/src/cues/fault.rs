//! What is wrong with a reply that should hold cue questions.

use crate::ReplyFault;

/// A reply that holds no cue questions that could be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CueFault {
    /// It is not the JSON asked for.
    #[error(transparent)]
    Reply(#[from] ReplyFault),
    /// More questions than asked for.
    #[error("cue questions: found {found}, expected {asked} at most; ask another model")]
    TooMany {
        /// How many different ones there are.
        found: usize,
        /// How many were asked for.
        asked: usize,
    },
    /// A question that is none.
    #[error("cue question of {found} characters: expected {} at most; ask another model", super::LONGEST)]
    TooLong {
        /// Its characters.
        found: usize,
    },
    /// A question with a character that acts instead of being seen.
    #[error("cue question: found the control character U+{:04X}, expected none; ask another model", u32::from(*.found))]
    ControlCharacter {
        /// The character.
        found: char,
    },
}
