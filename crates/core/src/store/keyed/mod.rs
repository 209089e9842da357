//! Tables for a backend that keeps rows under keys: it implements the four methods of [`KeyedRows`], and has all of
//! [`Tables`](super::tables::Tables).
//!
//! Rows that belong together have keys that follow each other, so that a range of keys is read in one go. What a backend
//! for SQL would find by an index is found here by rows of its own, which hold nothing but a number or a name.

mod access;
mod cues;
mod derived;
mod key;
mod memories;
mod rows;
mod state;
mod vectors;

pub use key::{Key, Row, StoredMemory};
pub use rows::{KeyedRows, make_namespace};
