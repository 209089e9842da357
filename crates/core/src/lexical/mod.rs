//! The lexical leg: an inverted index, BM25 over turns and over sessions.

mod bm25;
mod length_cache;
mod neighbours;
mod postings;

pub use bm25::{Bm25, Collection};
pub use length_cache::LengthCache;
pub use neighbours::{Neighbours, REACH};
pub use postings::{Posting, Postings};
