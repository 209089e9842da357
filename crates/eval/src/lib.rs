//! Measuring a memory: data sets, measures, statistics, experiments, receipts and reports.
//!
//! Measures and statistics work on string ids and never see the engine; experiments drive the
//! engine's own search and have no scorer of their own.
#![forbid(unsafe_code)]

mod confidence;
mod error;

pub mod datasets;
pub mod experiments;
pub mod learning;
pub mod measures;
pub mod own_store;
pub mod probabilities;
pub mod receipts;
pub mod recipe;
pub mod reports;
pub mod statistics;

pub use confidence::{ConfidenceReport, Said};
pub use error::EvalError;
