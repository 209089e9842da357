//! The lexical leg: an inverted index, BM25 over turns and over sessions.

mod bm25;
mod by_length;
mod context;
mod postings;

pub use bm25::{Bm25, Collection};
pub use by_length::ByLength;
pub use context::{Context, REACH};
pub use postings::{Posting, Postings};
