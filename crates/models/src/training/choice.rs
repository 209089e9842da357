//! Which step of a training is kept.

/// Which of the steps that looked at what was held out is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepChoice {
    /// The one with the best mean over the sets held out.
    #[default]
    Mean,
    /// The one that gains most over step 0 on the set where it gains least. Where every step loses on some set, it is step 0,
    /// which changes nothing.
    WorstSet,
}

impl StepChoice {
    /// What a step is worth; more is better. `before` and `now` are the means of each set held out, at step 0 and at this one.
    pub(super) fn worth(self, before: &[f64], now: &[f64]) -> f64 {
        match self {
            Self::Mean => mean(now),
            Self::WorstSet => now.iter().zip(before).map(|(now, before)| now - before).reduce(f64::min).unwrap_or(0.0),
        }
    }
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_set_is_the_one_that_gains_least() {
        let worst = |before: &[f64], now: &[f64]| StepChoice::WorstSet.worth(before, now);
        assert_eq!(worst(&[0.5, 0.25], &[0.75, 0.125]), -0.125);
        assert_eq!(worst(&[], &[]), 0.0);
        assert_eq!(StepChoice::Mean.worth(&[0.5, 0.25], &[0.75, 0.25]), 0.5);
    }
}
