//! The SQLite store: one file, one source of truth, several processes at once.
//!
//! Write-ahead logging with `synchronous=FULL`: what was acknowledged survives a
//! crash (staged vectors apart, which only save work), and readers do not wait for a writer. Deleted content is overwritten
//! (`secure_delete`), its copies on other pages too, and the log is emptied after a forget.
#![forbid(unsafe_code)]

mod append;
mod backup;
mod check;
mod checksum;
mod connection;
mod counters;
mod cues;
mod erasure;
mod errors;
mod forget;
mod free_space;
mod identity;
mod numbering;
mod place;
mod read;
mod row;
mod salvage;
mod schema;
mod serving;
mod snapshot;
mod staging;
mod store;
mod vectors;

pub use place::Creation;
pub use store::SqliteStore;
