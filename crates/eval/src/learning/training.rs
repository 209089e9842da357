//! Trains a candidate ranker on data sets, and says whether it helps.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use aforesaid::{
    Encoder, Pipeline,
    formats::Captions,
    pipeline::candidate::{CandidateRanker, RankerRecord},
    types::{EncoderId, Granularity},
};
use serde::Serialize;

use super::{Boosting, Example, HeldOut, held_out, train};
use crate::{
    EvalError,
    datasets::{Benchmark, DataSet, Question, RecordedCues},
    experiments::{Bench, ExperimentError, Observer, Setup, Step},
    recipe::{Equipment, Recording, indexing},
    statistics::{Paired, Resampling, StatisticsError},
};

/// Candidates of a question that are learned from: the best of the first stage, which hold 98% of LoCoMo's gold.
const DEPTH: usize = 150;
/// Parts that are held out one after another.
const PARTS: usize = 5;

/// A data set to learn from.
#[derive(Clone)]
pub struct Source {
    /// Which.
    pub dataset: DataSet,
    /// Where.
    pub path: PathBuf,
    /// How its questions are made and asked.
    pub variant: Variant,
    /// Makes its vectors in the place of the encoder that the ranker is for: the same model with another adapter, which did not
    /// learn from these histories. Of its own it knows too much, and a ranker would rely on it.
    pub encoder: Option<Arc<dyn Encoder>>,
}

/// How the questions of a data set are made and asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Variant {
    /// As they are.
    Labelled,
    /// As they are, over memories with recorded cue questions.
    Cued(Recording),
    /// The recorded cue questions of histories that are on no test side, each with its memory as gold, at most so many a
    /// history.
    CuesAsked(Recording, usize),
}

/// What a ranker is trained on, and how.
#[derive(Clone)]
pub struct CandidateTraining<'a> {
    /// The data.
    pub sources: &'a [Source],
    /// The first stage.
    pub pipeline: &'a Pipeline,
    /// How trees are grown.
    pub boosting: Boosting,
    /// Whether the ranker is left out where an assistant speaks; it learns from all the data either way.
    pub among_people: bool,
    /// Whether features are of queries as the encoder reads them without the pipeline's query adapter. Where the adapter learned
    /// from the same histories, it reads their questions better than others, and a ranker would rely on it too much.
    pub plain_queries: bool,
}

/// What came of a training.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Trained on all the data.
    pub ranker: CandidateRanker,
    /// What it would have done on questions that it did not see.
    pub report: TrainingReport,
    /// For each group a ranker that was trained without it, for who needs candidates that were not learned.
    pub without: BTreeMap<usize, CandidateRanker>,
}

/// What rankers did that were trained on the other parts of the data, and whether that helps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainingReport {
    /// Questions learned from.
    pub questions: usize,
    /// Trees of the ranker.
    pub trees: usize,
    /// Recall in the first ten, the reciprocal rank, and the mean of both, held out.
    pub measures: Vec<MeasuredGain>,
    /// What is resampled for the intervals.
    pub resampled: &'static str,
    /// What the intervals do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Whether the interval of the mean of both lies above 0.
    pub helps: bool,
}

/// A measure before and after, on questions that the ranker did not see.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredGain {
    /// Its name.
    pub measure: &'static str,
    /// Of the first stage.
    pub before: f64,
    /// With the ranker.
    pub after: f64,
    /// What the second has more.
    pub gain: f64,
    /// 2.5th percentile of what it has more.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}

impl Source {
    /// What it is called in records.
    pub fn name(&self) -> String {
        match &self.variant {
            Variant::Labelled => self.dataset.to_string(),
            Variant::Cued(_) => format!("{} with cue questions", self.dataset),
            Variant::CuesAsked(..) => format!("cue questions of {}", self.dataset),
        }
    }

    /// The candidates of its questions under a pipeline; groups are numbered from `first`.
    ///
    /// # Errors
    /// When the data cannot be read, or a search fails.
    pub fn examples(
        &self,
        pipeline: &Pipeline,
        equipment: &Equipment,
        first: usize,
        observe: &Observer<'_>,
    ) -> Result<Vec<Example>, EvalError> {
        let own = self.encoder.as_ref().map(|own| Equipment { encoder: Ok(Arc::clone(own)), ..equipment.clone() });
        let (benchmark, setup) = self.prepare(pipeline, own.as_ref().unwrap_or(equipment))?;
        let bench = Bench::new(&benchmark, &setup, observe)?;
        Ok(examples(&bench, pipeline, first, observe)?)
    }

    /// Its questions and memories, and how these are put into memory for a pipeline.
    ///
    /// # Errors
    /// When the data cannot be read.
    pub(super) fn prepare(&self, pipeline: &Pipeline, equipment: &Equipment) -> Result<(Benchmark, Setup), EvalError> {
        let mut benchmark = self.dataset.load(&self.path, Granularity::Turn)?;
        let mut setup = equipment.setup(Captions::Keep);
        match &self.variant {
            Variant::Labelled => {}
            Variant::Cued(recording) => setup = with_cues(setup, recording.read(self.dataset, &self.path)?, pipeline),
            Variant::CuesAsked(recording, most) => {
                let cues = recording.read(self.dataset, &self.path)?;
                if let Ok(splits) = self.dataset.splits(&self.path, &benchmark) {
                    let tested = |id: &String| splits.by_seed.values().any(|split| split.test.contains(id));
                    benchmark.groups.retain(|group| !tested(&group.id));
                }
                ask_cues(&mut benchmark, &cues, *most);
            }
        }
        Ok((benchmark, setup))
    }
}

/// The setup with cue questions, as a pipeline looks at them.
pub fn with_cues(setup: Setup, cues: RecordedCues, pipeline: &Pipeline) -> Setup {
    Setup { cues: Some((Arc::new(cues), indexing(pipeline))), ..setup }
}

/// The candidates of every question of a bench that has any; groups are numbered from `first`.
///
/// # Errors
/// When a search fails.
pub fn examples(
    bench: &Bench<'_>,
    pipeline: &Pipeline,
    first: usize,
    observe: &Observer<'_>,
) -> Result<Vec<Example>, ExperimentError> {
    let found = bench.features(pipeline, observe)?;
    let asked = bench.benchmark().questions().zip(bench.clusters()).zip(&found);
    let example =
        |((question, group), found): ((&Question, usize), _)| Example::of(found, &question.gold, first + group, DEPTH);
    Ok(asked.filter_map(example).collect())
}

/// Puts cue questions in the place of the questions of each history, evenly taken from all it has.
fn ask_cues(benchmark: &mut Benchmark, cues: &RecordedCues, most: usize) {
    for group in &mut benchmark.groups {
        let now = group.questions.first().and_then(|question| question.now.clone());
        let all = cues.of(&group.id).iter();
        let all: Vec<(String, &String)> = all
            .flat_map(|draft| draft.questions.iter().map(|question| (draft.id.as_str().to_owned(), question)))
            .collect();
        let step = all.len().div_ceil(most.max(1)).max(1);
        let question = |(place, (id, text)): (usize, &(String, &String))| Question {
            id: format!("{}::cue-{place}", group.id),
            text: (*text).clone(),
            gold: vec![id.clone()],
            category: None,
            before: None,
            now: now.clone(),
            answer: None,
        };
        group.questions = all.iter().step_by(step).enumerate().map(question).collect();
    }
    benchmark.groups.retain(|group| !group.questions.is_empty());
}

impl CandidateTraining<'_> {
    /// Trains on all sources, after a training without each part of their histories.
    ///
    /// # Errors
    /// When data cannot be read, a search fails, there is no encoder, or there is nothing to learn from.
    pub fn run(&self, equipment: &Equipment, observe: &Observer<'_>) -> Result<Trained, EvalError> {
        let encoder = equipment
            .encoder
            .as_ref()
            .map_err(|reason| EvalError::NoEncoder { system: self.pipeline.name.clone(), reason: reason.clone() })?;
        let first_stage = self.first_stage();
        let (mut all, mut groups) = (Vec::new(), 0);
        for source in self.sources {
            let some = source.examples(&first_stage, equipment, groups, observe)?;
            groups = some.iter().map(|example| example.group + 1).max().unwrap_or(groups);
            all.extend(some);
        }
        let names = self.sources.iter().map(Source::name).collect();
        self.learn(&all, encoder.id(), names, (equipment.threads.get(), observe))
    }

    /// The pipeline whose candidates are learned from.
    fn first_stage(&self) -> Pipeline {
        match self.plain_queries {
            true => self.pipeline.clone().without_query_adapter(),
            false => self.pipeline.clone(),
        }
    }

    /// Trains on examples of these data.
    ///
    /// # Errors
    /// When there is nothing to learn from.
    pub fn learn(
        &self,
        examples: &[Example],
        encoder: &EncoderId,
        trained_on: Vec<String>,
        (threads, observe): (usize, &Observer<'_>),
    ) -> Result<Trained, EvalError> {
        let taught = examples.iter().filter(|example| example.teaches()).count();
        if taught == 0 {
            return Err(EvalError::NothingToLearn { questions: examples.len() });
        }
        observe(Step { work: "training on parts", done: 0, total: self.boosting.trees });
        let held = held_out(&self.boosting, examples, PARTS, threads);
        let report = report(&held, examples)?;
        let settings = Boosting { trees: held.trees, ..self.boosting.clone() };
        let all: Vec<&Example> = examples.iter().collect();
        let total = settings.trees * settings.forests.max(1);
        let trees = train(&settings, &all, |done, _| observe(Step { work: "training on all", done, total }));
        let record = RankerRecord {
            pipeline: self.first_stage().to_string(),
            encoder: CandidateRanker::encoder_of(encoder).to_owned(),
            trained_on,
            questions: taught,
            seed: settings.seed,
            base_weight: settings.base_weight,
            among_people: self.among_people,
            plain_queries: self.plain_queries,
        };
        let trees_grown = trees.len();
        let by_part: Vec<CandidateRanker> =
            held.without.into_iter().map(|trees| CandidateRanker::new(record.clone(), trees)).collect();
        let without = held.parts.iter().filter_map(|(group, part)| Some((*group, by_part.get(*part)?.clone())));
        let without = without.collect();
        let ranker = CandidateRanker::new(record, trees);
        Ok(Trained { ranker, report: TrainingReport { questions: taught, trees: trees_grown, ..report }, without })
    }
}

/// Takes one number out of recall and reciprocal rank.
type Value = fn(&[f64; 2]) -> f64;

fn report(held: &HeldOut, examples: &[Example]) -> Result<TrainingReport, StatisticsError> {
    let groups: Vec<usize> = examples.iter().map(|example| example.group).collect();
    let resampling = Resampling::of(&groups);
    let names: [(&str, Value); 3] =
        [("recall@10", |of| of[0]), ("mrr", |of| of[1]), ("mean of both", |of| (of[0] + of[1]) / 2.0)];
    let mut measures = Vec::with_capacity(names.len());
    for (measure, value) in names {
        let values = |of: &[[f64; 2]]| of.iter().map(value).collect::<Vec<f64>>();
        let (before, after) = (values(&held.before), values(&held.after));
        let Paired { difference: gain, low, high, .. } = resampling.paired(&before, &after)?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        measures.push(MeasuredGain { measure, before: mean(&before), after: mean(&after), gain, low, high });
    }
    let helps = measures.last().is_some_and(|both| both.low > 0.0);
    let (resampled, caveat) = (resampling.what(), resampling.caveat);
    Ok(TrainingReport { questions: 0, trees: 0, measures, resampled, caveat, helps })
}

#[cfg(test)]
mod tests {
    use aforesaid::pipeline::candidate::FEATURE_COUNT;

    use super::*;
    use crate::statistics::Draws;

    /// Questions whose gold candidate is told by feature 7, or by nothing.
    fn examples(told: bool) -> Vec<Example> {
        let mut draws = Draws::new(5);
        let mut one = |number: usize| {
            let mut example =
                Example { group: number % 12, golds: 1, base: Vec::new(), values: Vec::new(), gold: Vec::new() };
            for place in 0..15 {
                let gold = place == number % 15;
                let mut row: Vec<f32> = (0..FEATURE_COUNT).map(|_| draws.uniform() as f32).collect();
                row[7] += if told && gold { 1.0 } else { 0.0 };
                example.base.push(-0.1 * f64::from(place as u32));
                example.values.extend(row);
                example.gold.push(gold);
            }
            example
        };
        (0..240).map(&mut one).collect()
    }

    fn learned(examples: &[Example]) -> Result<Trained, EvalError> {
        let pipeline = Pipeline::hybrid();
        let boosting = Boosting { trees: 30, min_rows: 10, ..Boosting::default() };
        let training =
            CandidateTraining { sources: &[], pipeline: &pipeline, boosting, among_people: false, plain_queries: true };
        let encoder = EncoderId::new("bags@1/f32").unwrap();
        training.learn(examples, &encoder, vec!["mine".to_owned()], (2, &|_| {}))
    }

    #[test]
    fn a_ranker_that_learned_something_helps_and_one_that_could_not_does_not() {
        let trained = learned(&examples(true)).unwrap();
        assert!(trained.report.helps, "{:?}", trained.report);
        assert_eq!(trained.ranker.record.encoder, "bags@1");
        let read = CandidateRanker::read(trained.ranker.write().as_bytes()).unwrap();
        assert!(read.record.plain_queries, "its file says how it learned");
        assert_eq!(trained.report.trees, trained.ranker.trees().len());
        let untold = learned(&examples(false)).unwrap();
        assert!(!untold.report.helps, "{:?}", untold.report);
    }

    #[test]
    fn the_same_data_and_seed_give_the_same_file() {
        let once = || learned(&examples(true)).unwrap().ranker.write();
        assert_eq!(once(), once());
    }

    #[test]
    fn data_without_gold_among_the_candidates_teach_nothing() {
        let mut all = examples(true);
        all.iter_mut().for_each(|example| example.gold.fill(false));
        let error = learned(&all).unwrap_err().to_string();
        assert!(error.contains("240 questions"), "{error}");
    }
}
