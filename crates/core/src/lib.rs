//! The pure part of aforesaid: turns in, a ranking out.
//!
//! Nothing here does I/O or reads a clock; time is an argument. The store and
//! the encoder are traits that other crates implement.
#![forbid(unsafe_code)]

pub mod encoder;
pub mod error;
pub mod types;

pub use encoder::{EncodeError, Encoder, Locality};
pub use error::{InvalidMemory, StoreError};
