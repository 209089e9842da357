//! Fitting the model, and predicting what it was not fitted on.

use aforesaid::pipeline::confidence::{Basis, Signal, Target};

use super::cases::{Case, Sample};
use aforesaid_eval::statistics::{Logistic, StatisticsError};

/// Share of the questions that cannot be answered, as the shipped model expects it; that of LoCoMo is 0.225.
pub(super) const UNANSWERABLE: f64 = 0.25;

/// Fits a target on cases that count alike.
pub(super) fn plain<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
    target: Target,
) -> Result<Logistic, StatisticsError> {
    weighted(cases.into_iter().map(|case| (case, 1.0)), target)
}

/// Fits a target on samples that count alike, [`UNANSWERABLE`] of each being questions that cannot be answered, in equal parts
/// for whatever reason.
pub(super) fn balanced(samples: &[&Sample], target: Target) -> Result<Logistic, StatisticsError> {
    let total: usize = samples.iter().map(|sample| sample.cases.len()).sum();
    let share = total as f64 / samples.len().max(1) as f64;
    let of_sample = |sample: &&'_ Sample| {
        let counts = sample.counts_by_kind(UNANSWERABLE).into_iter().map(|count| share * count);
        sample.cases.iter().cloned().zip(counts).collect::<Vec<_>>()
    };
    let counted: Vec<(Case, f64)> = samples.iter().flat_map(of_sample).collect();
    weighted(counted.iter().map(|(case, count)| (case, *count)), target)
}

fn weighted<'a>(cases: impl Iterator<Item = (&'a Case, f64)>, target: Target) -> Result<Logistic, StatisticsError> {
    let (mut rows, mut truths, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (case, count) in cases {
        // Without hits there is nothing to weigh: the probability is 0 by definition.
        if let Some(row) = case.row(target) {
            rows.push(row);
            truths.push(case.is(target));
            counts.push(count);
        }
    }
    Logistic::fit(&rows, &truths, &counts)
}

/// Probabilities of a sample's cases.
pub(super) fn predict(model: &Logistic, sample: &Sample, target: Target) -> Vec<f64> {
    sample.cases.iter().map(|case| of_case(model, case, target)).collect()
}

fn of_case(model: &Logistic, case: &Case, target: Target) -> f64 {
    case.row(target).map_or(0.0, |row| model.probability(&row))
}

/// Probabilities of a sample's cases, those of each history by a model fitted on the other histories.
pub(super) fn leave_one_out(sample: &Sample, target: Target) -> Result<Vec<f64>, StatisticsError> {
    let histories = sample.cases.iter().map(|case| case.history + 1).max().unwrap_or(0);
    let models = (0..histories)
        .map(|held_out| plain(sample.cases.iter().filter(|case| case.history != held_out), target))
        .collect::<Result<Vec<Logistic>, _>>()?;
    Ok(sample.cases.iter().map(|case| of_case(&models[case.history], case, target)).collect())
}

/// The statement of a fitted model, to be pasted into the file of the shipped ones.
pub(super) fn source(name: &str, doc: &str, model: &Logistic, basis: Basis) -> String {
    let mut text = format!(
        "/// {doc}\nstatic {name}: Model = Model {{\n    intercept: {:.4},\n    weights: &[\n",
        model.intercept
    );
    for (signal, weight) in Signal::of(basis).zip(&model.weights) {
        text.push_str(&format!("        (Signal::{signal:?}, {weight:.4}),\n"));
    }
    text.push_str("    ],\n};\n");
    text
}
