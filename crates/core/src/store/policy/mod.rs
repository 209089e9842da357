//! The rules of a store, over the tables of a namespace.
//!
//! | rule | file |
//! |---|---|
//! | which draft is which stored memory, and what is a conflict | `identity` |
//! | positions, ids, groups, vectors of a batch | `append`, `staged` |
//! | what goes with a memory that is replaced | `replace` |
//! | numbers of ids that the store gives | `numbers`, `counters` |
//! | which encoder is active, what a vector must be like | `encoders` |
//! | what an index is told, epochs, segments | `indexes` |
//! | cues | `cues` |
//! | what goes with a memory | `forget` |
//! | what of a memory may change | `update` |
//! | what the beginning of an id may mean | `prefixes` |

mod append;
mod counters;
mod cues;
mod encoders;
mod forget;
mod identity;
mod indexes;
mod numbers;
mod prefixes;
mod replace;
mod staged;
mod store;
mod store_cues;
mod store_rows;
mod update;

#[cfg(any(test, feature = "conformance"))]
pub(super) use indexes::{note_removed, removed_since};
