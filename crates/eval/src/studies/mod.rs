//! Studies with one command: published ones done again, and our own of the default.

mod confidence;
mod default;
mod fusion;
mod roxy;
mod section;
mod turns;

pub use confidence::{ConfidenceStudy, confidence_study};
pub use default::default_study;
pub use fusion::{FusionStudy, fusion_study};
pub use roxy::{Asked, RoxyStudy, roxy_requests, roxy_study};
pub use section::{Section, Study};
pub use turns::turns_study;
