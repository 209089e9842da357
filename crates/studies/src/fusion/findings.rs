//! Every evaluation that the tables are made of.

use super::sweep::{Stage, Sweep};
use crate::StudyError;
use aforesaid_eval::{
    datasets::Benchmark,
    experiments::CRITERION,
    measures::{Evaluation, Measure},
    reports::systems_csv,
    statistics::{Paired, RESAMPLES, SEED, paired},
};

/// Interaction operators (section 3, eqs. 1 to 4), in the order of Table 7.
pub(super) const OPERATORS: [(&str, &str); 4] =
    [("mean", "mean"), ("max-sim", "max"), ("top-3", "top3"), ("lse-10", "lse10")];

/// Place of early interaction in [`OPERATORS`].
pub(super) const EARLY: usize = 0;
/// Place of late interaction, max-sim, in [`OPERATORS`].
pub(super) const LATE: usize = 1;

/// A way of merging BM25 and max-sim, for the table of combiners.
pub(super) struct Combiner {
    pub(super) name: &'static str,
    pub(super) weights: String,
    pub(super) evaluation: Evaluation,
}

pub(super) struct Findings {
    pub(super) bm25: Evaluation,
    /// By operator.
    pub(super) dense: Vec<Evaluation>,
    /// BM25 and each operator, z-scores.
    pub(super) fused: Vec<Sweep>,
    /// Other ways of merging BM25 and max-sim.
    pub(super) combiners: Vec<Combiner>,
    pub(super) clusters: Vec<usize>,
}

impl Findings {
    pub(super) fn gather(stage: &Stage<'_, '_>) -> Result<Self, StudyError> {
        let dense = OPERATORS.map(|(_, operator)| stage.evaluate(&format!("dense({operator})")));
        let fused = OPERATORS.map(|(_, operator)| stage.sweep(&format!("zscore(loco, paper-bm25, dense({operator}))")));
        let minmax = stage.sweep("minmax(loco, paper-bm25, dense(max))")?;
        let rrf = stage.sweep("rrf(loco, paper-bm25, dense(max))")?;
        let combiners = vec![
            Combiner { name: "minmax, LOCO weight", weights: minmax.weights_text(), evaluation: minmax.chosen },
            Combiner { name: "rrf, LOCO weight", weights: rrf.weights_text(), evaluation: rrf.chosen },
            Combiner {
                name: "rrf, equal weights",
                weights: "1 and 1".to_owned(),
                evaluation: stage.evaluate("rrf(60, 1, 1, paper-bm25, dense(max))")?,
            },
        ];
        Ok(Self {
            bm25: stage.evaluate("paper-bm25")?,
            dense: dense.into_iter().collect::<Result<_, _>>()?,
            fused: fused.into_iter().collect::<Result<_, _>>()?,
            combiners,
            clusters: stage.clusters.clone(),
        })
    }

    /// How much better `b` is than `a`, conversations resampled.
    pub(super) fn gain(&self, a: &Evaluation, b: &Evaluation, measure: Measure) -> Result<Paired, StudyError> {
        let (a, b) = (a.values(measure).unwrap_or_default(), b.values(measure).unwrap_or_default());
        Ok(paired(a, b, &self.clusters, RESAMPLES, SEED)?)
    }

    /// Hit@1 and reciprocal rank of every question under every system.
    pub(super) fn questions_csv(&self, benchmark: &Benchmark) -> Result<String, StudyError> {
        let mut systems: Vec<(String, &Evaluation)> = vec![("bm25".to_owned(), &self.bm25)];
        for ((name, _), (dense, fused)) in OPERATORS.iter().zip(self.dense.iter().zip(&self.fused)) {
            systems.push((format!("dense {name}"), dense));
            systems.push((format!("bm25 + {name}"), &fused.chosen));
        }
        systems.extend(self.combiners.iter().map(|combiner| (combiner.name.to_owned(), &combiner.evaluation)));
        Ok(systems_csv(benchmark, &systems, &[CRITERION, Measure::Mrr])?)
    }
}
