//! What `eval tune` says.

use serde_json::{Map, Value, json};

use super::table::{Table, escaped, four};
use crate::{
    datasets::Benchmark,
    experiments::{PASSES, Tuned, Tuning},
    measures::Measure,
};

/// A tuning and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct TuningReport<'a> {
    /// The data.
    pub benchmark: &'a Benchmark,
    /// What was tried.
    pub tuning: &'a Tuning<'a>,
    /// What was chosen.
    pub tuned: &'a Tuned,
}

impl TuningReport<'_> {
    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        let Self { benchmark, tuning, tuned } = self;
        let means = |mean: &dyn Fn(Measure) -> Option<f64>| -> Map<String, Value> {
            tuning.measures.iter().map(|measure| (measure.to_string(), json!(mean(*measure)))).collect()
        };
        let folds: Vec<Value> = tuned
            .folds
            .iter()
            .map(|fold| {
                json!({
                    "held_out": fold.name,
                    "n": fold.questions.len(),
                    "pipeline": fold.pipeline.to_string(),
                    "measures": means(&|measure| fold.mean(measure)),
                    "settled": fold.settled,
                })
            })
            .collect();
        json!({
            "dataset": benchmark.dataset,
            "unit": benchmark.unit,
            "system": tuning.system.name,
            "criterion": tuning.system.criterion,
            "configurations": tuned.configurations,
            "before": means(&|measure| tuned.mean_before(measure)),
            "held_out": (!folds.is_empty()).then(|| means(&|measure| tuned.mean(measure))),
            "folds": folds,
            "pipeline": tuned.whole.pipeline.to_string(),
            "seen": means(&|measure| tuned.whole.mean(measure)),
            "settled": tuned.whole.settled,
        })
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let Self { benchmark, tuning, tuned } = self;
        let cell = |mean: Option<f64>| mean.map(four).unwrap_or_default();
        let held_out = !tuned.folds.is_empty();
        let mut summary = Table::new([
            "measure",
            "before",
            if held_out { "chosen elsewhere" } else { "chosen on the same questions" },
        ]);
        for &measure in tuning.measures {
            summary.push([measure.to_string(), cell(tuned.mean_before(measure)), cell(tuned.mean(measure))]);
        }
        let criterion = &tuning.system.criterion;
        let mut text = format!(
            "# {} on {}, unit {}: {} configurations, chosen by {criterion}\n\n{summary}\n",
            escaped(&tuning.system.name),
            escaped(&benchmark.dataset),
            benchmark.unit,
            tuned.configurations,
        );
        if held_out {
            let mut folds = Table::new(["held out", "n", "pipeline chosen on the rest", "value"]);
            for fold in &tuned.folds {
                let value = cell(criterion.mean_over(&fold.evaluation, &fold.questions));
                folds.push([fold.name.clone(), fold.questions.len().to_string(), fold.pipeline.to_string(), value]);
            }
            text.push_str(&format!("## Folds\n\n{folds}\n"));
        }
        for fold in tuned.folds.iter().chain([&tuned.whole]).filter(|fold| !fold.settled) {
            text.push_str(&format!("Stopped after {PASSES} passes, not at an optimum: {}\n\n", escaped(&fold.name)));
        }
        let standing = match held_out {
            true => "The figures above are of questions that had no say in what was chosen",
            false => "The figures above are of the questions it was chosen on, and no estimate of others",
        };
        text.push_str(&format!(
            "On all the data: `{}`\n\n{standing}; use the last line with --pipeline, or in a configuration file (--out \
             writes one).\n",
            tuned.whole.pipeline
        ));
        text
    }
}
