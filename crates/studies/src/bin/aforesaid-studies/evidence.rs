//! The study of the evidence reranker.

use std::path::PathBuf;

use aforesaid::{
    models::{Runtime, training::EvidenceSettings},
    rerank::PairForm,
};
use aforesaid_eval::datasets::DataSet;
use aforesaid_studies::{EvidenceScope, EvidenceStudy, evidence_study};
use clap::{Args, ValueHint};

use crate::{
    failure::Failure,
    machine::Machine,
    reranker::{beginning, precision_of},
    study::Locomo,
};

/// What is trained, and how.
#[derive(Debug, Args)]
pub(crate) struct Evidence {
    #[command(flatten)]
    locomo: Locomo,
    /// The folder of the splits' rerankers: one that is there is measured, one that is not is trained and kept there.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    models: PathBuf,
    /// Seeds of the splits [default: all].
    #[arg(long, value_name = "SEED", value_delimiter = ',')]
    split: Vec<u64>,
    /// How pairs are written: turn, dialogue or excerpt.
    #[arg(long, default_value_t = PairForm::Turn)]
    form: PairForm,
    /// How often each question is seen, at most.
    #[arg(long, default_value_t = EvidenceSettings::default().epochs)]
    epochs: usize,
    /// Questions of a step.
    #[arg(long, default_value_t = EvidenceSettings::default().batch)]
    batch: usize,
    /// The largest step width.
    #[arg(long, default_value_t = EvidenceSettings::default().rate)]
    rate: f32,
    /// The file to begin with.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    begin: Option<PathBuf>,
    /// Directions in which each map may change.
    #[arg(long, default_value_t = EvidenceSettings::default().rank)]
    rank: usize,
    /// Most tokens of a pair.
    #[arg(long, default_value_t = 256)]
    max_tokens: usize,
    /// Candidates of a question in a step [default: all ten].
    #[arg(long)]
    shown: Option<usize>,
    /// The first stage's weight, in the loss as in the score [default: that which is best for the group that chooses].
    #[arg(long)]
    weight: Option<f64>,
    /// Steps between two looks at the group that chooses.
    #[arg(long, default_value_t = EvidenceSettings::default().look_every)]
    look_every: usize,
    /// Train, and measure the cascade without cue questions only.
    #[arg(long)]
    only_cascade: bool,
    /// Write the lists of the dev sides into the folder, for a program that learns elsewhere; train and measure nothing.
    #[arg(long, conflicts_with = "only_cascade")]
    only_lists: bool,
}

impl Evidence {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let locomo = machine.dataset(DataSet::Locomo, self.locomo.data.as_deref())?;
        std::fs::create_dir_all(&self.models).map_err(Failure::io(format!("folder {}", self.models.display())))?;
        // A reranker is an update of the published weights, whatever adapter makes the vectors.
        let files = machine.model_files()?.published();
        let (threads, settings) = (machine.encoder_threads(), EvidenceSettings::default());
        let precision = precision_of(machine);
        let study = EvidenceStudy {
            locomo: &locomo,
            models: &self.models,
            splits: &self.split,
            form: self.form,
            max_tokens: self.max_tokens,
            settings: EvidenceSettings {
                begin: beginning(self.begin.as_ref())?,
                rank: self.rank,
                first_stage_weight: self.weight,
                shown: self.shown.unwrap_or(usize::MAX),
                epochs: self.epochs,
                batch: self.batch,
                rate: self.rate,
                look_every: self.look_every,
                precision,
                threads,
                ..settings
            },
            files: &files,
            runtime: Runtime::new(precision, threads),
            scope: match (self.only_lists, self.only_cascade) {
                (true, _) => EvidenceScope::Lists,
                (false, true) => EvidenceScope::Cascade,
                (false, false) => EvidenceScope::Full,
            },
        };
        let equipment = machine.equipment(None)?;
        self.locomo
            .report
            .of("evidence", machine, &equipment, |equipment, observe| evidence_study(&study, equipment, observe))
    }
}
