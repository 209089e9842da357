//! Learning to order the ten best candidates by reading them: lists of candidates, and a training that says whether it helps.

mod lists;
mod training;

pub use lists::{EvidenceExample, evidence_examples};
pub use training::{EvidenceOutcome, EvidenceReport, EvidenceTraining, Watching};
