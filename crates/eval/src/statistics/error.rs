//! Values that no statistic can be computed from.

/// A statistic that is not defined for what was given. Places count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Nothing to average.
    #[error("no values; expected one a question; evaluate at least one question")]
    NoValues,
    /// Two lists that do not stand beside each other.
    #[error("{what}: there are {found}; expected {expected}, one a question; evaluate both on the same questions")]
    Lengths {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A value that makes every mean useless.
    #[error("value {found} at place {place}: expected a finite number; mend the measure that gave it")]
    NotFinite {
        /// Place of the value.
        place: usize,
        /// Value found.
        found: f64,
    },
    /// Every resample would be the sample.
    #[error(
        "all {questions} values are of one cluster; expected at least two; resample questions instead, or report no interval"
    )]
    OneCluster {
        /// Number of values.
        questions: usize,
    },
    /// A statistic that needs what is not there.
    #[error("the statistic is not defined for these values; give both what came true and what did not")]
    Undefined,
    /// No resample asked for.
    #[error("0 resamples; expected at least 1, as a rule {}", super::RESAMPLES)]
    NoResamples,
    /// A p-value that is none.
    #[error("p-value {found} at place {place}: expected a number from 0 to 1; mend the test that gave it")]
    Probability {
        /// Place of the p-value.
        place: usize,
        /// Value found.
        found: f64,
    },
}
