//! The size of what is printed on.

use std::{env, io::IsTerminal};

/// Columns where nothing says how many there are.
const USUAL: usize = 80;
/// Columns at the most: longer lines are hard to read.
const WIDEST: usize = 100;
/// Columns at the least, so that a word has room beside what stands before it.
const NARROWEST: usize = 30;

/// What standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// Columns to fill.
    pub(crate) width: usize,
    /// Rows, where it is a terminal.
    pub(crate) height: Option<usize>,
}

impl Screen {
    /// The terminal on standard output, as wide as it is or as `COLUMNS` says.
    pub(crate) fn of_output() -> Self {
        let out = std::io::stdout();
        let size = terminal_size::terminal_size_of(&out).filter(|_| out.is_terminal());
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
        let width = columns.or(size.map(|(width, _)| usize::from(width.0))).unwrap_or(USUAL);
        Self {
            width: width.clamp(NARROWEST, WIDEST),
            height: out.is_terminal().then(|| size.map_or(24, |(_, height)| usize::from(height.0))),
        }
    }
}
