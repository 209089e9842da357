//! The SQLite store: one file, one source of truth, several processes at once.
//!
//! Write-ahead logging with `synchronous=FULL`: what was acknowledged survives a
//! crash (staged vectors apart, which only save work), and readers do not wait for a writer. Deleted content is overwritten
//! (`secure_delete`), its copies on other pages too, and the log is emptied after a forget.
#![forbid(unsafe_code)]

mod backup;
mod browse;
mod check;
mod checksum;
mod connection;
mod counts;
mod cues;
mod derived;
mod erasure;
mod errors;
mod filter;
mod foreign;
mod free_space;
mod header;
mod identity;
mod journal;
mod memories;
mod migrations;
mod paths;
mod place;
mod row;
mod salt;
mod salvage;
mod schema;
mod store;
mod tables;
mod transaction;
mod vectors;

pub use foreign::{ForeignDatabase, ForeignError};
pub use place::Creation;
pub use store::SqliteStore;
