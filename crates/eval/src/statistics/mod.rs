//! How sure a mean is, and a difference between two systems.
//!
//! Values stand question by question in the same order everywhere, as
//! [`Evaluation::values`](crate::measures::Evaluation::values) gives them.

mod bootstrap;
mod draws;
mod error;
mod holm;
mod logistic;
mod resampling;
mod tally;

pub use bootstrap::{
    Interval, Paired, RESAMPLES, SEED, cluster_bootstrap, paired, stratified_bootstrap, stratified_paired,
    weighted_bootstrap,
};
pub use draws::Draws;
pub use error::StatisticsError;
pub use holm::holm;
pub use logistic::Logistic;
pub use resampling::{MIN_GROUPS, Resampling};
pub use tally::{Tally, tally};

/// Differences up to this size come from rounding and count as ties.
pub const TOLERANCE: f64 = 1e-12;

/// `b - a` of each question.
fn differences(a: &[f64], b: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if a.len() != b.len() {
        return Err(StatisticsError::Lengths {
            what: "values of the second system",
            found: b.len(),
            expected: a.len(),
        });
    }
    check(a)?;
    check(b)?;
    Ok(a.iter().zip(b).map(|(a, b)| b - a).collect())
}

fn check(values: &[f64]) -> Result<(), StatisticsError> {
    if values.is_empty() {
        return Err(StatisticsError::NoValues);
    }
    match (0..).zip(values).find(|(_, value)| !value.is_finite()) {
        Some((place, found)) => Err(StatisticsError::NotFinite { place, found: *found }),
        None => Ok(()),
    }
}
