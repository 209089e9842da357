//! `aforesaid eval confidence`

use std::path::PathBuf;

use aforesaid_eval::{
    EvalError,
    experiments::System,
    recipe::{Equipment, Recipe},
};
use clap::{Args, ValueHint};

use super::{
    CueArgs, DataArgs, OutputArgs,
    equipment::{VectorArgs, watched},
    learned::learned_with,
};
use crate::{failure::Failure, files::write_whole, rerank::LocalRerankArgs, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Confidence {
    #[command(flatten)]
    data: DataArgs,
    /// A preset or a pipeline, as in --system hybrid.
    #[arg(long, default_value = "learned")]
    system: System,
    #[command(flatten)]
    cues: CueArgs,
    #[command(flatten)]
    rerank: LocalRerankArgs,
    /// Write one row a question as CSV.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    #[command(flatten)]
    vectors: VectorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Confidence {
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (dataset, unit) = (self.data.dataset()?, self.data.unit());
        if self.system.chooses() {
            return Err(Failure::Usage(format!(
                "--system: {} has numbers to choose, and confidence is of one pipeline; give one number for each",
                self.system.name
            )));
        }
        let reranker = self.rerank.load(settings)?;
        let recipe = Recipe {
            dataset,
            unit,
            measures: Vec::new(),
            system: learned_with(self.system.clone(), settings)?,
            cues: self.cues.recording(),
            rerank_depth: reranker.as_ref().map(|reranker| self.rerank.reranking(reranker.as_ref()).depth),
        };
        let path = self.data.path(settings)?;
        let equipment = self.vectors.equipment(dataset, recipe.system.pipeline.encoder(), settings)?;
        let equipment = Equipment { reranker, ..equipment };
        let report = watched(settings, |observe| recipe.confidence(&path, &equipment, observe))?;
        if let Some(path) = &self.csv {
            write_whole(path, report.to_csv().map_err(EvalError::from)?.as_bytes())?;
        }
        self.output.give(settings, &report.to_json(), &report.to_markdown())
    }
}
