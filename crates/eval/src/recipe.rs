//! What `eval run` is asked for, and doing it.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use aforesaid::{CueIndexing, Encoder, Pipeline, Reranking, formats::Captions, rerank::Reranker, types::Granularity};

use crate::{
    EvalError,
    datasets::{Benchmark, DataError, DataSet, RecordedCues},
    experiments::{Bench, Observer, Place, Setup, System, Trial, try_reranked},
    measures::Measure,
    reports::{Origin, Report, reranked_by},
};

/// One system on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The data set.
    pub dataset: DataSet,
    /// What is retrieved.
    pub unit: Granularity,
    /// What retrieves it.
    pub system: System,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// Cue questions, where there are to be some.
    pub cues: Option<Recording>,
    /// How many of the best hits the equipment's reranker orders, where it does.
    pub rerank_depth: Option<NonZeroUsize>,
}

/// Recorded cue questions, and how many of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// Their folder; `None` for `cues` beside the data.
    pub folder: Option<PathBuf>,
    /// The most a memory gets, its first ones; `None` for all.
    pub at_most: Option<usize>,
}

impl Recording {
    /// Reads them for data at `path`.
    ///
    /// # Errors
    /// When they are not there or cannot be read.
    pub fn read(&self, dataset: DataSet, path: &Path) -> Result<RecordedCues, DataError> {
        let cues = match &self.folder {
            Some(folder) => RecordedCues::read(folder)?,
            None => dataset.cues(path)?,
        };
        Ok(self.at_most.map_or_else(|| cues.clone(), |most| cues.clone().at_most(most)))
    }
}

/// The vectors of cues that a pipeline looks at.
pub(crate) fn indexing(pipeline: &Pipeline) -> CueIndexing {
    let vectors = pipeline.vectors().unwrap_or_default();
    CueIndexing { questions: vectors.cue_questions, passage: vectors.cue_passages }
}

/// What an experiment runs on.
#[derive(Clone)]
pub struct Equipment {
    /// Makes the vectors, or why there are none.
    pub encoder: Result<Arc<dyn Encoder>, String>,
    /// Processor cores to use.
    pub threads: NonZeroUsize,
    /// Where the memories are kept.
    pub place: Place,
    /// What reranks, where a recipe asks for it.
    pub reranker: Option<Arc<dyn Reranker>>,
}

/// A recipe carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The data.
    pub benchmark: Benchmark,
    /// The rankings and their measures.
    pub trial: Trial,
    /// The same for people.
    pub report: Report,
    /// SHA-256 of the cue questions, where there were some.
    pub cues_sha256: Option<String>,
}

impl Equipment {
    /// How a benchmark is put into memory with this equipment.
    pub fn setup(&self, captions: Captions) -> Setup {
        let place = self.place.clone();
        Setup { encoder: self.encoder.clone(), captions, cues: None, threads: self.threads, place }
    }

    /// The same for a system, with the cue questions there are.
    pub fn setup_with(&self, system: &System, cues: Option<&Arc<RecordedCues>>) -> Setup {
        let cues = cues.map(|cues| (Arc::clone(cues), indexing(&system.pipeline)));
        Setup { cues, ..self.setup(system.captions) }
    }

    /// The encoder's id, or why there is none.
    pub fn encoder_id(&self) -> Result<String, String> {
        self.encoder.as_ref().map(|encoder| encoder.id().to_string()).map_err(Clone::clone)
    }
}

impl Recipe {
    /// Measures the system on the data at `path`.
    ///
    /// # Errors
    /// When the data cannot be read, a vector is needed and there is no encoder, or a search fails.
    pub fn run(&self, path: &Path, equipment: &Equipment, observe: &Observer<'_>) -> Result<Outcome, EvalError> {
        let equipment = self.equipment(equipment)?;
        let benchmark = self.dataset.load(path, self.unit)?;
        something_to_measure(&benchmark)?;
        let data = self.dataset.fingerprint(path)?;
        let recorded = self.cues.as_ref().map(|cues| cues.read(self.dataset, path)).transpose()?;
        let cues_sha256 = recorded.as_ref().map(|cues| cues.sha256().to_owned());
        let setup = equipment.setup_with(&self.system, recorded.map(Arc::new).as_ref());
        let bench = Bench::new(&benchmark, &setup, observe)?;
        let reranking = self.reranking(&equipment)?;
        let trial = try_reranked(&bench, &self.system, reranking, &self.measures, observe)?;
        let system = reranked_by(&self.system.name, reranking);
        let origin = Origin { system, data, encoder: equipment.encoder_id(), cues: cues_sha256.clone() };
        let report = Report::new(origin, &benchmark, &trial, &bench.clusters())?;
        drop(bench);
        Ok(Outcome { benchmark, trial, report, cues_sha256 })
    }

    /// What reranks, if anything is to, and how many hits.
    ///
    /// # Errors
    /// When the equipment has no reranker.
    pub(crate) fn reranking<'e>(&self, equipment: &'e Equipment) -> Result<Option<Reranking<'e>>, EvalError> {
        match (self.rerank_depth, &equipment.reranker) {
            (None, _) => Ok(None),
            (Some(depth), Some(reranker)) => Ok(Some(Reranking { depth, ..Reranking::new(reranker.as_ref()) })),
            (Some(_), None) => Err(EvalError::NoReranker { system: self.system.name.clone() }),
        }
    }

    /// The equipment without what the system never looks at, which need not be made.
    ///
    /// # Errors
    /// When a vector is needed and there is no encoder.
    pub(crate) fn equipment(&self, equipment: &Equipment) -> Result<Equipment, EvalError> {
        match (self.system.pipeline.compares_vectors(), &equipment.encoder) {
            (true, Err(reason)) => {
                Err(EvalError::NoEncoder { system: self.system.name.clone(), reason: reason.clone() })
            }
            (true, Ok(_)) => Ok(equipment.clone()),
            (false, _) => Ok(Equipment { encoder: Err("the system does not use one".to_owned()), ..equipment.clone() }),
        }
    }
}

/// Refuses a benchmark whose questions are all excluded.
///
/// # Errors
/// [`EvalError::NothingToMeasure`], with the reasons.
pub fn something_to_measure(benchmark: &Benchmark) -> Result<(), EvalError> {
    const SHOWN: usize = 3;
    if benchmark.questions().next().is_some() {
        return Ok(());
    }
    let ledger = &benchmark.ledger;
    let mut reasons: Vec<String> =
        ledger.excluded.iter().map(|(reason, questions)| format!("{reason} ({})", questions.len())).collect();
    let unresolved = ledger.unresolved.iter().take(SHOWN);
    reasons.extend(unresolved.map(|lost| format!("{:?} of {} names nothing", lost.evidence, lost.question)));
    Err(EvalError::NothingToMeasure {
        dataset: benchmark.dataset.clone(),
        unit: benchmark.unit.to_string(),
        reasons: if reasons.is_empty() { "there is none".to_owned() } else { reasons.join(", ") },
    })
}
