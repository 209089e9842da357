//! One pair of legs under every weight.

use aforesaid::Pipeline;

use crate::StudyError;
use aforesaid_eval::{
    experiments::{Bench, Observer, System, sweep},
    measures::{Evaluation, Measure, Qrels, evaluate},
};

/// Evaluations of a fusion by the weight of its lexical leg.
pub(super) struct Sweep {
    /// One for each weight of [`alphas`].
    pub(super) by_alpha: Vec<Evaluation>,
    /// Under the weight chosen for each conversation on the others.
    pub(super) chosen: Evaluation,
    /// That weight, by conversation.
    pub(super) weights: Vec<f64>,
}

/// A bench with its gold: what every system of a study is run on.
pub(super) struct Stage<'a, 'b> {
    pub(super) bench: &'a Bench<'b>,
    pub(super) qrels: Qrels,
    pub(super) clusters: Vec<usize>,
    pub(super) observe: &'a Observer<'a>,
}

impl Stage<'_, '_> {
    /// A system whose weights are given.
    pub(super) fn evaluate(&self, spec: &str) -> Result<Evaluation, StudyError> {
        let system: System = spec.parse()?;
        self.under(spec, |_| &system.pipeline)
    }

    fn under<'p>(&self, name: &str, pipeline: impl Fn(usize) -> &'p Pipeline + Sync) -> Result<Evaluation, StudyError> {
        let run = self.bench.run(name, pipeline, self.observe)?;
        Ok(evaluate(&run, &self.qrels, &Measure::STANDARD)?)
    }

    /// A system whose weight is to be chosen.
    pub(super) fn sweep(&self, spec: &str) -> Result<Sweep, StudyError> {
        let system: System = spec.parse()?;
        let swept = sweep(self.bench, &system, &Measure::STANDARD, self.observe)?;
        Ok(Sweep {
            chosen: self.under(spec, |group| &swept.pipelines[group])?,
            weights: swept.weights,
            by_alpha: swept.by_alpha,
        })
    }
}

impl Sweep {
    /// The weights chosen, as text: `0.35 (9 of 10), 0.4`.
    pub(super) fn weights_text(&self) -> String {
        let mut counted: Vec<(f64, usize)> = Vec::new();
        for &weight in &self.weights {
            match counted.iter_mut().find(|(counted, _)| *counted == weight) {
                Some((_, times)) => *times += 1,
                None => counted.push((weight, 1)),
            }
        }
        counted.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let text = |(weight, times): &(f64, usize)| format!("{weight} ({times} of {})", self.weights.len());
        counted.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}
