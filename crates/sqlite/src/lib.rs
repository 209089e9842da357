//! The SQLite store: one file, one source of truth, several processes at once.
//!
//! Write-ahead logging with `synchronous=FULL`: what was acknowledged survives a
//! crash (staged vectors apart, which only save work), and readers do not wait for a writer. Deleted content is overwritten
//! (`secure_delete`), and the log is emptied after a forget.
#![forbid(unsafe_code)]

mod append;
mod connection;
mod cues;
mod errors;
mod forget;
mod read;
mod removed;
mod row;
mod schema;
mod serving;
mod snapshot;
mod staging;
mod store;
mod vectors;

pub use connection::Creation;
pub use store::SqliteStore;
