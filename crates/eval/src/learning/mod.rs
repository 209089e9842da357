//! Learning to rank candidates: boosted trees with the LambdaMART objective, over the features of the first stage.
//!
//! | file | what it does |
//! |---|---|
//! | `examples.rs` | candidates of questions, with what is gold |
//! | `bins.rs` | puts values into a few bins, so that a tree only looks at those |
//! | `lambdas.rs` | what each candidate's score should change by, for nDCG |
//! | `growth.rs` | grows one tree |
//! | `boosting.rs` | grows one tree after another |
//! | `training.rs` | reads data sets, trains, and says whether that helps |
//! | `held_out.rs` | trains without a part of the groups and measures there, and how many trees are best |
//! | `evidence` | the ten best candidates of questions as texts, and the training of a model that reads them |

mod bins;
mod boosting;
mod evidence;
mod examples;
mod growth;
mod held_out;
mod lambdas;
mod training;

pub use boosting::{Boosting, train};
pub use evidence::{EvidenceExample, EvidenceOutcome, EvidenceReport, EvidenceTraining, Watching, evidence_examples};
pub use examples::Example;
pub use held_out::{HeldOut, held_out};
pub use training::{CandidateTraining, MeasuredGain, Source, Trained, TrainingReport, Variant, examples, with_cues};
