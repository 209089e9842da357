//! The lexical leg: an inverted index, BM25 over turns and over sessions.

mod bm25;
mod postings;
mod smoothing;

pub use bm25::{Bm25, Collection};
pub use postings::{Posting, Postings};
pub use smoothing::Smoothing;
