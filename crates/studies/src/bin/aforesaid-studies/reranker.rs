//! Learns the reranker of data that allow it, and measures one on data that it never saw.

use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

use aforesaid::{
    Pipeline,
    models::{
        EvidenceModel, Instructions, PairScorer, Precision, Runtime,
        training::{CheckpointFile, EvidenceSettings, EvidenceStep, Saving},
    },
    rerank::PairForm,
};
use aforesaid_eval::{datasets::DataSet, experiments::Step, learning::Watching};
use aforesaid_studies::{RerankerTraining, UnseenData, reranker_study};
use clap::{Args, Subcommand, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    lists::Lists,
    machine::Machine,
    output::{Format, bar, json_line, line, write_file},
    shippable::Shippable,
    study::Report,
};

/// Histories of different kinds that choose and are not learned from.
pub(crate) const HELD_OUT: &str = "nurse,running-coach,launch-team,Kim_Ji_young";

/// Learning, or measuring.
#[derive(Debug, Args)]
pub(crate) struct Reranker {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Learn it from the dialogues, the conversations, RealMem and LongMemEval's distractors.
    Learn(Box<Learn>),
    /// Write the lists that one is learned from, for a program that learns elsewhere.
    Lists(Box<Lists>),
    /// Measure a file on LoCoMo, the dialogues' test questions, BEAM and RealMem's other personas.
    Measure(Measure),
}

#[derive(Debug, Args)]
struct Learn {
    /// The file to write.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    shippable: Shippable,
    /// Histories that choose the step and are not learned from.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = HELD_OUT
    )]
    hold_out: Vec<String>,
    /// The file to begin with.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    begin: Option<PathBuf>,
    /// How pairs are written: turn, dialogue or excerpt.
    #[arg(long, default_value_t = PairForm::Dialogue)]
    form: PairForm,
    /// Most tokens of a pair.
    #[arg(long, default_value_t = 96)]
    max_tokens: usize,
    /// Directions in which each map may change.
    #[arg(long, default_value_t = 8)]
    rank: usize,
    /// The first stage's weight.
    #[arg(long, default_value_t = 1.0)]
    weight: f64,
    /// Candidates of a question in a step.
    #[arg(long, default_value_t = 4)]
    shown: usize,
    /// How often each question is seen, at most.
    #[arg(long, default_value_t = 1)]
    epochs: usize,
    /// Questions of a step.
    #[arg(long, default_value_t = 16)]
    batch: usize,
    /// The largest step width.
    #[arg(long, default_value_t = 1e-3)]
    rate: f32,
    /// Steps between two looks at the histories that choose.
    #[arg(long, default_value_t = 80)]
    look_every: usize,
    /// What the draws depend on.
    #[arg(long, default_value_t = EvidenceSettings::default().seed)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Measure {
    /// The reranker's file.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The folder with the data sets [default: where `aforesaid eval data fetch` puts them].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Data sets that are measured [default: all].
    #[arg(long, value_delimiter = ',')]
    dataset: Vec<DataSet>,
    /// First stages.
    #[arg(long, value_delimiter = ',', default_value = "hybrid,learned")]
    pipeline: Vec<Pipeline>,
    #[command(flatten)]
    report: Report,
}

impl Reranker {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        match &self.task {
            Task::Learn(task) => task.run(machine),
            Task::Lists(task) => task.run(machine),
            Task::Measure(task) => task.run(machine),
        }
    }
}

/// The precision of the options, or the fastest that learns; 8 bits do not.
pub(crate) fn precision_of(machine: &Machine) -> Precision {
    let asked = machine.precision().filter(|precision| *precision != Precision::Int8);
    asked.unwrap_or_else(|| Precision::default_on(Instructions::best()))
}

/// The reranker in a file to begin with.
pub(crate) fn beginning(file: Option<&PathBuf>) -> Result<Option<Arc<EvidenceModel>>, Failure> {
    let read = |file: &PathBuf| EvidenceModel::read(file).map(Arc::new).map_err(aforesaid::Error::from);
    Ok(file.map(read).transpose()?)
}

impl Learn {
    fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let folder = self.shippable.folder(machine)?;
        let equipment = machine.equipment(None)?;
        let files = machine.model_files()?.published();
        let pipeline = Pipeline::hybrid();
        let training = RerankerTraining {
            sources: self.shippable.beside(&folder),
            hold_out: &self.hold_out,
            pipeline: &pipeline,
            form: self.form,
            max_tokens: self.max_tokens,
            files: &files,
            settings: EvidenceSettings {
                begin: beginning(self.begin.as_ref())?,
                rank: self.rank,
                first_stage_weight: Some(self.weight),
                shown: self.shown,
                epochs: self.epochs,
                batch: self.batch,
                rate: self.rate,
                seed: self.seed,
                look_every: self.look_every,
                patience: usize::MAX,
                precision: precision_of(machine),
                threads: machine.encoder_threads(),
            },
        };
        let format = machine.format();
        let bar = bar(format, "searching", "{msg} [{bar:30}] {pos}/{len}, {eta} left");
        let observe = |step: Step| {
            bar.set_length(step.total as u64);
            bar.set_position(step.done as u64);
        };
        let mut looks = Vec::new();
        let mut step = |step: &EvidenceStep| {
            bar.set_message(format!("learning, loss {:.2}", step.loss));
            bar.set_length(step.steps as u64);
            bar.set_position(step.step as u64);
            if let Some(rank) = step.held_out {
                looks.push((step.step, rank));
            }
            ControlFlow::Continue(())
        };
        let kept = CheckpointFile::of(&self.out);
        let state = kept.read().map_err(aforesaid::Error::from)?;
        let mut keep = |bytes: &[u8]| kept.write(bytes);
        let saving = Saving { resume: state.as_deref(), every: 30, keep: &mut keep };
        let mut watching = Watching { observe: &observe, step: &mut step, saving };
        let trained = training.run(&equipment, &mut watching)?;
        bar.finish_and_clear();
        write_file(&self.out, &trained.file)?;
        kept.remove().map_err(aforesaid::Error::from)?;
        let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / ranks.len().max(1) as f64;
        let (before, after) = (mean(&trained.before), mean(&trained.after));
        match format {
            Format::Text => {
                looks.iter().try_for_each(|(step, rank)| line(&format!("step {step}: held-out MRR {rank:.4}")))?;
                line(&format!(
                    "{} questions; step {} of {} kept; {} questions held out: MRR {before:.4} before, {after:.4} after; {}",
                    trained.model.record().questions,
                    trained.best_step,
                    trained.steps,
                    trained.before.len(),
                    trained.model.sha256()
                ))
            }
            Format::Json => json_line(&json!({
                "file": self.out, "sha256": trained.model.sha256(), "record": trained.model.record(),
                "steps": trained.steps, "kept_step": trained.best_step, "looks": looks,
                "held_out": { "questions": trained.before.len(), "before": before, "after": after },
            })),
        }
    }
}

impl Measure {
    fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let data = self.data.clone().map_or_else(|| machine.datasets(), Ok)?;
        let model = EvidenceModel::read(&self.file).map_err(aforesaid::Error::from)?;
        let precision = machine.precision().unwrap_or_else(|| Precision::default_on(Instructions::best()));
        let runtime = Runtime::new(precision, machine.encoder_threads());
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let scorer = model.load(machine.model_files()?.published(), &name, runtime).map_err(aforesaid::Error::from)?;
        let record = model.record();
        let scorer: Arc<dyn PairScorer> = Arc::new(scorer);
        let equipment = machine.equipment(None)?;
        self.report.of("reranker", machine, &equipment, |equipment, observe| {
            let unseen = UnseenData { folder: &data, datasets: &self.dataset, pipelines: &self.pipeline };
            reranker_study(unseen, (record, Arc::clone(&scorer)), equipment, observe)
        })
    }
}
