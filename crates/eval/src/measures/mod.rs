//! Two nouns, [`Qrels`] (what should be found) and [`Run`] (what was found), and [`evaluate`].
//!
//! Measures are binary: a unit is gold or it is not. Doubles throughout. [`score`] is of answers in words.

mod answers;
mod error;
mod evaluate;
mod measure;
mod qrels;
mod run;
mod trec;

pub use answers::{Category, UnknownCategory, f1, normalize, score};
pub use error::{EvaluationError, InvalidQrels, InvalidRun, TrecError};
pub use evaluate::{Evaluation, evaluate};
pub use measure::{Measure, UnknownMeasure, cutoff};
pub use qrels::Qrels;
pub use run::Run;
