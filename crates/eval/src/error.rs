//! Whatever can end an evaluation.

use aforesaid::pipeline::InvalidPipeline;

use crate::{
    datasets::DataError,
    experiments::{ExperimentError, InvalidSystem},
    measures::{EvaluationError, InvalidQrels, InvalidRun, TrecError},
    receipts::ReceiptError,
    statistics::StatisticsError,
};

/// An evaluation came to no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The data cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The experiment failed.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A run cannot be scored.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// A run is none.
    #[error(transparent)]
    Run(#[from] InvalidRun),
    /// Gold is none.
    #[error(transparent)]
    Qrels(#[from] InvalidQrels),
    /// TREC text cannot be read or written.
    #[error(transparent)]
    Trec(#[from] TrecError),
    /// Figures cannot be compared.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// Rows cannot be written as CSV.
    #[error("CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A receipt cannot be used.
    #[error(transparent)]
    Receipt(#[from] ReceiptError),
    /// A system cannot be read.
    #[error(transparent)]
    System(#[from] InvalidSystem),
    /// A pipeline is none.
    #[error(transparent)]
    Pipeline(#[from] InvalidPipeline),
    /// Every question was left out.
    #[error(
        "data set {dataset}, unit {unit}: no question can be measured: {reasons}; correct the gold, or choose the other unit"
    )]
    NothingToMeasure {
        /// The data set.
        dataset: String,
        /// The unit.
        unit: String,
        /// Why, with counts and examples.
        reasons: String,
    },
    /// Nothing in the data tells good candidates from others.
    #[error(
        "of {questions} questions, none has gold among its candidates and others beside it; expected labelled questions whose \
         gold the search finds: check the gold ids and the data"
    )]
    NothingToLearn {
        /// Questions looked at.
        questions: usize,
    },
    /// There are too few histories to hold some out.
    #[error(
        "found {histories} histories, expected {expected} or more: some are learned from, others choose, others report; give more data"
    )]
    TooFewHistories {
        /// Histories with questions.
        histories: usize,
        /// How many are needed.
        expected: usize,
    },
    /// A model could not be read or learned.
    #[error(transparent)]
    Model(#[from] aforesaid::models::ModelError),
    /// A model failed on a text.
    #[error("{0}")]
    Scorer(String),
    /// A system stands on vectors, and nothing makes them.
    #[error("system {system}: it needs vectors, and there is no encoder: {reason}")]
    NoEncoder {
        /// The system.
        system: String,
        /// Why.
        reason: String,
    },
    /// A system is to be reranked, and nothing reranks.
    #[error("system {system}: it is to be reranked, and there is no reranker; name one with --rerank")]
    NoReranker {
        /// The system.
        system: String,
    },
}
