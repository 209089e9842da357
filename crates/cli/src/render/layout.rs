//! How much is printed, and how wide.

/// How much of each hit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The part of its text that matches most.
    Snippets,
    /// All of its text, whole ids, and where each leg put it.
    Full,
}

/// How hits are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Columns to fill.
    pub(crate) width: usize,
    pub(crate) extent: Extent,
}
