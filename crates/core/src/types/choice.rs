//! A word that stands for one of a few things.

/// A word that should have named a choice did not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {found:?}: expected {expected}")]
pub struct UnknownChoice {
    /// What was being chosen.
    pub what: &'static str,
    /// The word found.
    pub found: String,
    /// The words that would do.
    pub expected: &'static str,
}
