//! The limits of what is stored.

/// Longest accepted text of one turn or note, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Longest accepted title of a session, in bytes.
pub const MAX_TITLE_BYTES: usize = 4096;
