//! Studies of retrieval: published ones repeated, and the project's own of its defaults and of its confidence.
//!
//! A study drives the evaluation of `aforesaid-eval` and writes a report with tables and figures. None of it is part of
//! the `aforesaid` program; `aforesaid-studies` runs it.
#![forbid(unsafe_code)]

mod adapter;
mod cascade;
mod confidence;
mod default;
mod error;
pub mod figures;
mod fusion;
mod roxy;
mod section;
mod turns;

use aforesaid_eval::{EvalError, recipe::Equipment};

pub use adapter::{AdapterSources, adapter_sets};
pub use cascade::cascade_study;
pub use confidence::{ConfidenceStudy, confidence_study};
pub use default::default_study;
pub use error::StudyError;
pub use fusion::{FusionStudy, fusion_study};
pub use roxy::{ModelTasks, RoxyStudy, roxy_requests, roxy_study};
pub use section::{Section, Study};
pub use turns::turns_study;

/// The id of the encoder that a study needs.
fn encoder_of(study: &str, equipment: &Equipment) -> Result<String, EvalError> {
    equipment.encoder_id().map_err(|reason| EvalError::NoEncoder { system: study.to_owned(), reason })
}
