//! Signals weighed into a probability.

use super::{Signal, Signals};

/// What a probability is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The first hit answers the question.
    FirstHit,
    /// The question can be answered from what was searched.
    Answerable,
}

/// A logistic model: `1 / (1 + exp(-(intercept + sum of weight * signal)))`.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The log odds where every signal is 0.
    pub intercept: f64,
    /// Log odds that a signal adds for each 1 of it.
    pub weights: &'static [(Signal, f64)],
}

impl Model {
    /// The probability of the model's target; in [0, 1].
    pub fn probability(&self, signals: &Signals) -> f64 {
        1.0 / (1.0 + (-self.log_odds(signals)).exp())
    }

    /// The same as log odds.
    pub fn log_odds(&self, signals: &Signals) -> f64 {
        self.weights.iter().fold(self.intercept, |sum, (signal, weight)| sum + weight * signals.get(*signal))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{Basis, shipped},
        *,
    };

    fn basis() -> impl Strategy<Value = Basis> {
        (any::<bool>(), any::<bool>()).prop_map(|(dense, reranked)| Basis { dense, reranked })
    }

    const WEIGHTS: &[(Signal, f64)] = &[(Signal::Coverage, 2.0), (Signal::Unknown, -1.0)];

    #[test]
    fn the_formula_by_hand() {
        let signals = Signals::none(Basis::default()).with(Signal::Coverage, 0.75).with(Signal::Unknown, 0.5);
        let found = Model { intercept: -1.0, weights: WEIGHTS }.probability(&signals);
        assert!((found - 0.5).abs() < 1e-15, "{found}");
        let sure = Model { intercept: 1e6, weights: WEIGHTS }.probability(&signals);
        let not = Model { intercept: -1e6, weights: WEIGHTS }.probability(&signals);
        assert_eq!((sure, not), (1.0, 0.0));
    }

    #[test]
    fn a_model_weighs_the_signals_that_a_search_has() {
        for (dense, reranked) in [(true, true), (true, false), (false, false)] {
            let basis = Basis { dense, reranked };
            let weighed =
                |target| -> Vec<Signal> { shipped(target, basis).weights.iter().map(|(signal, _)| *signal).collect() };
            assert_eq!(weighed(Target::FirstHit), Signal::of(basis).collect::<Vec<_>>());
            assert_eq!(weighed(Target::Answerable), Signal::of(basis).collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn a_probability_is_one(values in prop::collection::vec(-8.0..8.0f64, Signal::ALL.len()), basis in basis()) {
            let signals = Signal::ALL.iter().zip(values).fold(Signals::none(basis), |all, (s, value)| all.with(*s, value));
            for target in [Target::FirstHit, Target::Answerable] {
                let found = shipped(target, basis).probability(&signals);
                prop_assert!((0.0..=1.0).contains(&found), "{found}");
            }
        }

        #[test]
        fn who_holds_more_of_the_question_is_surer(low in 0.0..1.0f64, more in 0.0..1.0f64, basis in basis()) {
            let with = |coverage: f64| shipped(Target::FirstHit, basis)
                .probability(&Signals::none(basis).with(Signal::Coverage, coverage));
            prop_assert!(with(low) <= with(low + more));
        }
    }
}
