//! The pure part of aforesaid: turns in, a ranking out.
//!
//! Nothing here does I/O or reads a clock; time is an argument. The store and
//! the encoder are traits that other crates implement. A search goes through
//! the modules in this order: [`analysis`], [`index`], [`lexical`] and
//! [`dense`] legs, [`fusion`], [`prior`], [`ranking`]; [`pipeline`] puts them
//! together. A [`rerank::Reranker`] may reorder the best hits.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod dense;
pub mod encoder;
pub mod error;
pub mod explain;
pub mod fusion;
pub mod index;
pub mod lexical;
pub mod pipeline;
pub mod prior;
pub mod ranking;
pub mod rerank;
pub mod snippet;
pub mod store;
pub mod time;
pub mod types;
pub mod visible;
pub mod windows;

pub use encoder::{EncodeError, Encoder, Locality, NotLoaded, PairScore, PairScorer};
pub use error::{InvalidMemory, StoreError};
pub use explain::{Arithmetic, Explain};
