//! Choosing a pipeline's numbers on one part of the data and measuring them on another.

use std::collections::BTreeMap;

use aforesaid::Pipeline;

use super::{Bench, ExperimentError, Observer, System, trial::search};
use crate::{
    datasets::{Group, Splits},
    measures::{Evaluation, Measure, evaluate},
};

/// Which part of the data numbers are chosen on.
#[derive(Debug, Clone, PartialEq)]
pub enum Protocol {
    /// For each group, all the others.
    LeaveOneOut,
    /// The dev side of each split; its test side is what is reported.
    Splits(Splits),
    /// All of it; nothing is held out.
    All,
}

/// A system, and how its numbers are chosen and judged.
#[derive(Debug, Clone, Copy)]
pub struct Tuning<'a> {
    /// The pipeline to start from; where it leaves nothing to choose, see [`System::opened`].
    pub system: &'a System,
    /// What is chosen on what.
    pub protocol: &'a Protocol,
    /// What is reported.
    pub measures: &'a [Measure],
}

/// What was chosen for a part of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// The group held out, or the split.
    pub name: String,
    /// The pipeline chosen without it.
    pub pipeline: Pipeline,
    /// Questions that it is reported on, by place.
    pub questions: Vec<usize>,
    /// Their values: the pipeline's, over all questions.
    pub evaluation: Evaluation,
    /// Whether its search came to an end; see [`super::Ascent`].
    pub settled: bool,
}

/// The result of a tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// One a group or split; none where nothing is held out.
    pub folds: Vec<Fold>,
    /// How the pipeline did before, over all questions.
    pub before: Evaluation,
    /// What was chosen on all the data.
    pub whole: Fold,
    /// Configurations that were run.
    pub configurations: usize,
}

impl Tuning<'_> {
    /// Chooses numbers on all the data, and reports each part of it with what the rest chose.
    ///
    /// # Errors
    /// When a search fails, or something is to be held out and there is one group only.
    pub fn run(&self, bench: &Bench<'_>, observe: &Observer<'_>) -> Result<Tuned, ExperimentError> {
        let groups = &bench.benchmark().groups;
        if groups.len() < 2 && *self.protocol != Protocol::All {
            return Err(ExperimentError::OneGroup { system: self.system.name.clone() });
        }
        let system = self.system.opened()?;
        let qrels = bench.benchmark().qrels()?;
        let measured = |pipeline: &Pipeline| -> Result<Evaluation, ExperimentError> {
            Ok(evaluate(&bench.run(&system.name, |_| pipeline, observe)?, &qrels, self.measures)?)
        };
        let clusters = bench.clusters();
        let mut search = search(bench, &system, observe)?;
        // Folds often agree.
        let mut known: BTreeMap<Vec<usize>, Evaluation> = BTreeMap::new();
        let mut fold = |part: Part| {
            let found = search.best_on(&part.chosen_on)?;
            let pipeline = system.at(&found.configuration)?;
            let evaluation = match known.get(&found.configuration) {
                Some(evaluation) => evaluation.clone(),
                None => measured(&pipeline)?,
            };
            known.insert(found.configuration, evaluation.clone());
            let questions = (0..clusters.len()).filter(|&place| part.reported[clusters[place]]).collect();
            Ok(Fold { name: part.name, pipeline, questions, evaluation, settled: found.settled })
        };
        let folds: Vec<Fold> =
            self.protocol.parts(groups).into_iter().map(&mut fold).collect::<Result<_, ExperimentError>>()?;
        let everything = vec![true; groups.len()];
        let whole = fold(Part { name: "all".to_owned(), chosen_on: everything.clone(), reported: everything })?;
        Ok(Tuned { folds, whole, before: measured(&self.system.pipeline)?, configurations: search.runs() })
    }
}

/// Groups to choose on and groups to report, marked.
struct Part {
    name: String,
    chosen_on: Vec<bool>,
    reported: Vec<bool>,
}

impl Protocol {
    fn parts(&self, groups: &[Group]) -> Vec<Part> {
        let marked = |wanted: &dyn Fn(&Group) -> bool| groups.iter().map(wanted).collect::<Vec<bool>>();
        match self {
            Protocol::LeaveOneOut => groups
                .iter()
                .map(|held_out| Part {
                    name: held_out.id.clone(),
                    chosen_on: marked(&|group| group.id != held_out.id),
                    reported: marked(&|group| group.id == held_out.id),
                })
                .collect(),
            Protocol::Splits(splits) => splits
                .by_seed
                .iter()
                .map(|(seed, split)| Part {
                    name: format!("split {seed}"),
                    chosen_on: marked(&|group| split.dev.contains(&group.id)),
                    reported: marked(&|group| split.test.contains(&group.id)),
                })
                .collect(),
            Protocol::All => Vec::new(),
        }
    }
}

impl Fold {
    /// Mean over the questions that it is reported on.
    pub fn mean(&self, measure: Measure) -> Option<f64> {
        self.evaluation.mean_over(measure, &self.questions)
    }
}

impl Tuned {
    /// Mean over the questions that a fold reports, all folds pooled; where nothing is held out, over all questions.
    pub fn mean(&self, measure: Measure) -> Option<f64> {
        self.pooled(|fold| fold.evaluation.values(measure))
    }

    /// The same questions under the pipeline as it was.
    pub fn mean_before(&self, measure: Measure) -> Option<f64> {
        self.pooled(|_| self.before.values(measure))
    }

    fn pooled<'a>(&'a self, values: impl Fn(&'a Fold) -> Option<&'a [f64]>) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0usize);
        let reported = if self.folds.is_empty() { std::slice::from_ref(&self.whole) } else { &self.folds };
        for fold in reported {
            let values = values(fold)?;
            sum += fold.questions.iter().filter_map(|&place| values.get(place)).sum::<f64>();
            count += fold.questions.len();
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// A configuration file that has the engine search by the pipeline chosen on all the data.
    pub fn config(&self) -> String {
        format!("pipeline = {:?}\n", self.whole.pipeline.to_string())
    }
}
