//! The PostgreSQL store: one schema of a database, any number of processes and machines at once.
//!
//! The identifier of a namespace comes first in every key, index and predicate; no key, sequence or statement crosses
//! namespaces, so that the tables can be distributed by it. Nothing lives in a session: every setting is made for one
//! transaction, and named prepared statements can be switched off, so that a pooler may stand in between.
#![forbid(unsafe_code)]

mod blocking;
mod browse;
mod candidates;
mod check;
mod connection;
mod cues;
mod derived;
mod erasure;
mod errors;
mod halves;
mod hnsw;
mod kept_text;
mod layout;
mod lexical;
mod location;
mod memories;
mod migrations;
mod pick;
mod pool;
mod row;
mod scope;
mod shared;
mod store;
mod tables;
mod tenancy;
mod tls;
mod value;
mod vectors;

pub use layout::{Distribution, Layout, RowSecurity};
pub use location::{is_url, without_password};
pub use store::{Creation, PostgresStore};
