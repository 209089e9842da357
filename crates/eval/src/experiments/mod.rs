//! Experiments: benchmarks asked through the engine's own search.

mod ascent;
mod bench;
mod choices;
mod criterion;
mod encoder;
mod place;
mod protocol;
mod system;
mod trial;
pub mod tuning;
mod vectors;

pub use ascent::{Ascent, PASSES, Search};
pub use bench::{Bench, Observer, Setup, Step};
pub use choices::{Choices, Set};
pub use criterion::Criterion;
pub use encoder::{CachedEncoder, NoEncoder};
pub use place::Place;
pub use protocol::{Fold, Protocol, Tuned, Tuning};
pub use system::{InvalidSystem, System};
pub use trial::{CRITERION, Chosen, Sweep, Trial, sweep, try_reranked, try_system};
pub use vectors::CacheError;

use crate::measures::{EvaluationError, InvalidQrels, InvalidRun};

/// An experiment came to no result.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The engine failed.
    #[error("{place}: {source}")]
    Engine {
        /// Where in the benchmark.
        place: String,
        /// What it said.
        source: Box<aforesaid::Error>,
    },
    /// The engine answered with less than the system asks for.
    #[error("question {question}: {warning}; nothing was measured")]
    Degraded {
        /// The question.
        question: String,
        /// What is missing.
        warning: aforesaid::Warning,
    },
    /// The engine gave a ranking that is none.
    #[error(transparent)]
    Run(#[from] InvalidRun),
    /// The benchmark's gold is not usable.
    #[error(transparent)]
    Qrels(#[from] InvalidQrels),
    /// There is nothing to measure.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Values that each go with the first of the other sets do not go together.
    #[error(transparent)]
    System(#[from] InvalidSystem),
    /// Numbers are to be chosen on other conversations, and there are none.
    #[error(
        "system {system}: its numbers are chosen on the other groups of the data, and this data has one group only; \
         give numbers, as in zscore(0.5, bm25(k1=0.9), dense(max)), or choose on all of it with `eval tune --by all`"
    )]
    OneGroup {
        /// The system.
        system: String,
    },
    /// A reranker was asked for, and left questions as they were.
    #[error(
        "system {system}: {questions} questions were not reranked, expected none; `aforesaid search --rerank` says why"
    )]
    NotReranked {
        /// The system.
        system: String,
        /// Questions.
        questions: usize,
    },
    /// A worker thread ended without a result.
    #[error("a worker thread was lost; run again, and report this if it stays")]
    Lost,
}
