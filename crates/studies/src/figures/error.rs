//! Why a chart cannot be drawn.

use super::{Estimate, canvas::COLOURS};

/// No figure can be drawn of the data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// Nothing to draw.
    #[error("chart {chart:?}: found no {missing}; expected at least one; leave the chart out or give it data")]
    Empty {
        /// Title of the chart.
        chart: String,
        /// What is missing.
        missing: &'static str,
    },
    /// More series than colours.
    #[error("chart {chart:?}: found {found} series; expected at most {most}; split it into several charts", most = COLOURS.len())]
    TooMany {
        /// Title of the chart.
        chart: String,
        /// Series.
        found: usize,
    },
    /// A series does not match the groups.
    #[error("chart {chart:?}: series {series:?} has {found} values; expected {expected}, one for each group")]
    Uneven {
        /// Title of the chart.
        chart: String,
        /// Name of the series.
        series: String,
        /// Its values.
        found: usize,
        /// Groups.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("chart {chart:?}, series {series:?}: found {found}; expected finite numbers; compute them again")]
    Number {
        /// Title of the chart.
        chart: String,
        /// Name of the series.
        series: String,
        /// The number.
        found: f64,
    },
    /// The charting library refused.
    #[error("chart {chart:?}: it could not be drawn: {why}")]
    Drawing {
        /// Title of the chart.
        chart: String,
        /// The library's message.
        why: String,
    },
}

/// Checks that a chart has series, and a colour for each.
pub(super) fn check_count(chart: &str, series: usize) -> Result<(), FigureError> {
    match series {
        0 => Err(FigureError::Empty { chart: chart.to_owned(), missing: "series" }),
        found if found > COLOURS.len() => Err(FigureError::TooMany { chart: chart.to_owned(), found }),
        _ => Ok(()),
    }
}

/// Checks that the numbers of an estimate are finite.
pub(super) fn check_estimate(chart: &str, series: &str, at: Estimate) -> Result<(), FigureError> {
    at.numbers().try_for_each(|number| check_number(chart, series, number))
}

/// Checks that a number is finite.
pub(super) fn check_number(chart: &str, series: &str, found: f64) -> Result<(), FigureError> {
    match found.is_finite() {
        true => Ok(()),
        false => Err(FigureError::Number { chart: chart.to_owned(), series: series.to_owned(), found }),
    }
}
