//! Trains an evidence reranker on data sets, and says whether it helps.

use std::ops::ControlFlow;

use aforesaid::{
    Pipeline,
    models::{
        EvidenceRecord, ModelFiles, PairScorer, Runtime,
        training::{
            EvidenceList, EvidenceSettings, EvidenceStep, Saving, TrainedEvidence, combined_rank, train_evidence,
        },
    },
    rerank::{CrossEncoderReranker, PairForm},
};
use serde::Serialize;

use super::{EvidenceExample, evidence_examples};
use crate::{
    EvalError,
    experiments::{Bench, Observer},
    learning::{MeasuredGain, Source},
    recipe::Equipment,
    statistics::{Paired, Resampling},
};

/// Histories are dealt to so many parts: one reports, one chooses, the others are learned from.
const PARTS: usize = 5;
/// Histories that are needed for all three.
const LEAST: usize = 3;
/// Most tokens of a pair (ConvMemory v2, section 5.2).
const MAX_TOKENS: usize = 256;

/// What an evidence reranker is trained on, and how.
#[derive(Clone)]
pub struct EvidenceTraining<'a> {
    /// The data.
    pub sources: &'a [Source],
    /// The first stage.
    pub pipeline: &'a Pipeline,
    /// How pairs are written.
    pub form: PairForm,
    /// The model to begin with.
    pub files: &'a ModelFiles,
    /// How it is learned.
    pub settings: EvidenceSettings,
    /// How the learned model is run when it is measured.
    pub runtime: Runtime,
}

/// Who is told how far a training has come.
pub struct Watching<'a> {
    /// Of searches.
    pub observe: &'a Observer<'a>,
    /// Of steps; it may end the training, which keeps the best so far.
    pub step: &'a mut (dyn FnMut(&EvidenceStep) -> ControlFlow<()> + Send),
    /// Where states of it go.
    pub saving: Saving<'a>,
}

/// What came of a training.
#[derive(Debug, Clone)]
pub struct EvidenceOutcome {
    /// The reranker with its file.
    pub trained: TrainedEvidence,
    /// What it does on histories that neither taught it nor chose anything of it.
    pub report: EvidenceReport,
}

/// What a reranker does on histories that it did not see, and whether that helps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvidenceReport {
    /// Questions learned from.
    pub learned: usize,
    /// Questions by which the step and the weight of the first stage were chosen.
    pub chosen_by: usize,
    /// Questions reported on.
    pub reported: usize,
    /// The reciprocal rank of the first gold, and whether it comes first, among the ten candidates.
    pub measures: Vec<MeasuredGain>,
    /// What is resampled for the intervals.
    pub resampled: &'static str,
    /// What the intervals do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Whether the interval of the reciprocal rank lies above 0.
    pub helps: bool,
}

impl EvidenceTraining<'_> {
    /// Trains on the histories of all sources but those that choose and report.
    ///
    /// # Errors
    /// When data cannot be read, a search fails, there is no encoder, there are too few histories or none that teaches.
    pub fn run(&self, equipment: &Equipment, watching: &mut Watching<'_>) -> Result<EvidenceOutcome, EvalError> {
        let (mut all, mut groups) = (Vec::new(), 0);
        let written = (self.form, CrossEncoderReranker::DEPTH);
        for source in self.sources {
            let (benchmark, setup) = source.prepare(self.pipeline, equipment)?;
            let bench = Bench::new(&benchmark, &setup, watching.observe)?;
            let some = evidence_examples(&bench, |_| Some(self.pipeline), written, groups, watching.observe)?;
            groups = some.iter().map(|example| example.group + 1).max().unwrap_or(groups);
            all.extend(some);
        }
        let names = self.sources.iter().map(Source::name).collect();
        self.learn(&all, names, watching)
    }

    /// Trains on examples of these data.
    ///
    /// # Errors
    /// As [`EvidenceTraining::run`].
    pub fn learn(
        &self,
        examples: &[EvidenceExample],
        trained_on: Vec<String>,
        watching: &mut Watching<'_>,
    ) -> Result<EvidenceOutcome, EvalError> {
        let mut groups: Vec<usize> = examples.iter().map(|example| example.group).collect();
        groups.sort_unstable();
        groups.dedup();
        if groups.len() < LEAST {
            return Err(EvalError::TooFewHistories { histories: groups.len(), expected: LEAST });
        }
        if !examples.iter().any(|example| example.list.teaches()) {
            return Err(EvalError::NothingToLearn { questions: examples.len() });
        }
        let part = |example: &EvidenceExample| groups.binary_search(&example.group).unwrap_or_default() % PARTS;
        let lists = |wanted: fn(usize) -> bool| -> Vec<EvidenceList> {
            examples.iter().filter(|example| wanted(part(example))).map(|example| example.list.clone()).collect()
        };
        let (chosen_by, learned) = (lists(|part| part == 1), lists(|part| part > 1 && part < PARTS));
        let record = EvidenceRecord {
            base: self.files.pinned.clone(),
            form: self.form,
            max_tokens: MAX_TOKENS,
            first_stage_weight: 0.0,
            first_stage: self.pipeline.to_string(),
            trained_on,
            questions: 0,
            seed: self.settings.seed,
            reads_english: true,
        };
        let trained = train_evidence(
            self.files,
            [&learned, &chosen_by],
            &record,
            &self.settings,
            &mut watching.saving,
            watching.step,
        )?;
        let reported: Vec<&EvidenceExample> = examples.iter().filter(|example| part(example) == 0).collect();
        let report = self.report(&trained, &reported)?;
        let counts = EvidenceReport { learned: trained.model.record().questions, chosen_by: chosen_by.len(), ..report };
        Ok(EvidenceOutcome { trained, report: counts })
    }

    /// Measures the model as it would be loaded from its file.
    fn report(&self, trained: &TrainedEvidence, reported: &[&EvidenceExample]) -> Result<EvidenceReport, EvalError> {
        let scorer = trained.model.load(self.files.clone(), "trained", self.runtime)?;
        let weight = trained.model.record().first_stage_weight;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for EvidenceExample { list, .. } in reported {
            let passages: Vec<&str> = list.passages.iter().map(String::as_str).collect();
            let logits = scorer.score(&list.query, &passages).map_err(|error| EvalError::Scorer(error.to_string()))?;
            before.push(combined_rank(list, &vec![0.0; logits.len()], 1.0));
            after.push(combined_rank(list, &logits, weight));
        }
        let groups: Vec<usize> = reported.iter().map(|example| example.group).collect();
        let resampling = Resampling::of(&groups);
        let first = |ranks: &[f64]| ranks.iter().map(|rank| if *rank == 1.0 { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let mut measures = Vec::new();
        for (measure, before, after) in
            [("mrr@10", before.clone(), after.clone()), ("hit@1", first(&before), first(&after))]
        {
            let Paired { difference: gain, low, high, .. } = resampling.paired(&before, &after)?;
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
            measures.push(MeasuredGain { measure, before: mean(&before), after: mean(&after), gain, low, high });
        }
        let helps = measures.first().is_some_and(|rank| rank.low > 0.0);
        let (resampled, caveat) = (resampling.what(), resampling.caveat);
        Ok(EvidenceReport { learned: 0, chosen_by: 0, reported: reported.len(), measures, resampled, caveat, helps })
    }
}
