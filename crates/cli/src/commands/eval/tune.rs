//! `aforesaid eval tune`

use std::{path::PathBuf, sync::Arc};

use super::{
    CueArgs, DataArgs, MeasureArgs, OutputArgs,
    equipment::{VectorArgs, watched},
    learned::refuse_learned,
};
use crate::{
    failure::Failure,
    files::write_whole,
    render::{path, say},
    settings::{Output, Settings},
};
use aforesaid_eval::{
    EvalError,
    experiments::{Bench, Criterion, Protocol, System, Tuned, Tuning},
    reports::TuningReport,
};
use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(flatten)]
    data: DataArgs,
    /// The pipeline, with sets in the place of the numbers to choose as in "bm25(k1={0.9, 1.2}, b={0.2..0.8/0.2})";
    /// the first values are where the search begins. Without sets, the fusion weight and BM25's k1 and b are chosen.
    #[arg(long)]
    system: System,
    /// loco: for each conversation, choose on all others. splits: choose on the dev sides of splits.json beside the data.
    /// all: choose on all the data, and hold nothing out.
    #[arg(long, value_enum, default_value_t = By::Loco)]
    by: By,
    /// Choose by this measure, or by the mean of several as in hit@1+recall@5+mrr.
    #[arg(long, default_value = "mrr")]
    criterion: Criterion,
    /// Write a configuration file with the pipeline chosen on all the data.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    measures: MeasureArgs,
    #[command(flatten)]
    cues: CueArgs,
    #[command(flatten)]
    vectors: VectorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Loco,
    Splits,
    All,
}

impl Tune {
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        refuse_learned("numbers are chosen", settings)?;
        let (dataset, data) = (self.data.dataset()?, self.data.path(settings)?);
        let mut measures = self.measures.measures();
        for measure in self.criterion.measures() {
            if !measures.contains(measure) {
                measures.push(*measure);
            }
        }
        let system = System { criterion: self.criterion.clone(), ..self.system.clone() };
        let benchmark = dataset.load(&data, self.data.unit()).map_err(EvalError::from)?;
        let protocol = match self.by {
            By::Loco => Protocol::LeaveOneOut,
            By::Splits => Protocol::Splits(dataset.splits(&data, &benchmark).map_err(EvalError::from)?),
            By::All => Protocol::All,
        };
        let mut equipment = self.vectors.equipment(dataset, system.pipeline.encoder(), settings)?;
        match (system.pipeline.compares_vectors().then_some(()), &equipment.encoder) {
            (None, _) => equipment.encoder = Err("the system does not use one".to_owned()),
            (Some(_), Err(reason)) => {
                let (system, reason) = (system.name.clone(), reason.clone());
                return Err(EvalError::NoEncoder { system, reason }.into());
            }
            (Some(_), Ok(_)) => {}
        }
        let tuning = Tuning { system: &system, protocol: &protocol, measures: &measures };
        let cues = self.cues.recording().map(|cues| cues.read(dataset, &data));
        let cues = cues.transpose().map_err(EvalError::from)?.map(Arc::new);
        let tuned = watched(settings, |observe| -> Result<Tuned, EvalError> {
            let setup = equipment.setup_with(&system, cues.as_ref());
            let bench = Bench::new(&benchmark, &setup, observe)?;
            Ok(tuning.run(&bench, observe)?)
        })?;
        if let Some(file) = &self.out {
            write_whole(file, tuned.config().as_bytes())?;
        }
        let report = TuningReport { benchmark: &benchmark, tuning: &tuning, tuned: &tuned };
        self.output.give(settings, &report.to_json(), &report.to_markdown())?;
        match &self.out {
            Some(file) if settings.output == Output::People => {
                say!("the pipeline is written to {0}; use it with --config {0}", path(file))
            }
            _ => Ok(()),
        }
    }
}
