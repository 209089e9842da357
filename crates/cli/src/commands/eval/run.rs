//! `aforesaid eval run`

use std::path::PathBuf;

use aforesaid::formats::Captions;
use aforesaid_eval::{
    EvalError,
    experiments::{Criterion, System},
    receipts::{Figures, Receipt, Tolerance},
    recipe::{Equipment, Outcome, Recipe},
    reports::questions_csv,
};
use clap::{Args, ValueHint};

use super::{
    CueArgs, DataArgs, MeasureArgs, OutputArgs,
    equipment::{VectorArgs, watched},
    learned::learned_with,
    own_store,
};
use crate::{failure::Failure, files::write_whole, rerank::LocalRerankArgs, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    data: DataArgs,
    /// A preset, paper-fusion-{mean,max,top3,lse}, or a pipeline such as "zscore(bm25, dense(all-MiniLM-L6-v2, max))";
    /// a set in the place of a number, as in "bm25(k1={0.9, 1.2}, b={0.2..0.8/0.2})", has it chosen for each
    /// conversation on all others, by coordinate ascent from the first values; loco is the set of weights 0 to 1 by 0.05.
    /// With --queries, the pipeline that searches use where none is named.
    #[arg(long)]
    system: Option<System>,
    /// Measure the store that searches are asked of (--store, --namespace) by the labelled queries of this file: one JSON
    /// object a line with query and gold_ids.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = [
        "dataset", "data", "cues", "captions", "criterion", "receipt", "run", "csv", "vector_cache", "no_vector_cache",
        "scratch_store",
    ])]
    queries: Option<PathBuf>,
    /// Choose numbers by this measure, or by the mean of several as in hit@1+recall@5+mrr [default: hit@1].
    #[arg(long)]
    criterion: Option<Criterion>,
    #[command(flatten)]
    measures: MeasureArgs,
    #[command(flatten)]
    cues: CueArgs,
    #[command(flatten)]
    rerank: LocalRerankArgs,
    /// Whether image captions are indexed: keep or drop [default: drop for paper-* systems].
    #[arg(long, value_parser = captions)]
    captions: Option<Captions>,
    /// Write the rankings as a TREC run, and the gold beside it as <FILE>.qrels.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    run: Option<PathBuf>,
    /// Write one row a question as CSV.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Write a receipt: the figures with all that is needed to measure them again (`aforesaid-studies reproduce`).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    receipt: Option<PathBuf>,
    /// Title of the receipt.
    #[arg(long, requires = "receipt")]
    title: Option<String>,
    /// How far a measure may be off when the receipt is replayed.
    #[arg(long, requires = "receipt", default_value = "0.0005")]
    tolerance: Tolerance,
    #[command(flatten)]
    vectors: VectorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

fn captions(word: &str) -> Result<Captions, String> {
    match word {
        "keep" => Ok(Captions::Keep),
        "drop" => Ok(Captions::Drop),
        _ => Err("expected keep or drop".to_owned()),
    }
}

impl Run {
    pub(super) fn system(&self) -> Option<&System> {
        self.system.as_ref()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        if let Some(queries) = &self.queries {
            let system = self.system.as_ref();
            let asked = own_store::Asked { queries, system, unit: self.data.unit, rerank: &self.rerank };
            return asked.run(&self.measures.measures(), &self.output, settings);
        }
        let (dataset, unit) = (self.data.dataset()?, self.data.unit());
        let missing = || Failure::Usage("--system: name a pipeline, as in --system hybrid".to_owned());
        let named = self.system.as_ref().ok_or_else(missing)?;
        let mut system = named.clone();
        system.captions = self.captions.unwrap_or(system.captions);
        if let Some(criterion) = &self.criterion {
            if !system.chooses() {
                return Err(Failure::Usage(format!(
                    "--criterion {criterion}: system {} has no numbers to choose; give a set of them, as in \
                     \"bm25(k1={{0.9, 1.2}})\", or leave --criterion out",
                    system.name
                )));
            }
            system.criterion = criterion.clone();
        }
        let system = learned_with(system, settings)?;
        if self.receipt.is_some() && self.rerank.is_another() {
            let why =
                "a receipt names what everybody has; leave --receipt out, or rerank by the one that ships (evidence)";
            return Err(Failure::Usage(format!("--receipt: {why}")));
        }
        let reranker = self.rerank.load(settings)?;
        let recipe = Recipe {
            dataset,
            unit,
            measures: self.measures.measures(),
            system,
            cues: self.cues.recording(),
            rerank_depth: reranker.as_ref().map(|reranker| self.rerank.reranking(reranker.as_ref()).depth),
        };
        let path_of_data = self.data.path(settings)?;
        let equipment = self.vectors.equipment(dataset, recipe.system.pipeline.encoder(), settings)?;
        let equipment = Equipment { reranker, ..equipment };
        let outcome = watched(settings, |observe| recipe.run(&path_of_data, &equipment, observe))?;
        self.write(&outcome)?;
        if let Some(path) = &self.receipt {
            let data = recipe.dataset.fingerprint(&path_of_data).map_err(EvalError::from)?;
            let figures = Figures::of(&recipe, &equipment, data, &outcome);
            let usual = || format!("{} on {dataset}, unit {unit}", named.name);
            let title = self.title.clone().unwrap_or_else(usual);
            let place = Receipt::data_beside(path, dataset);
            let receipt = Receipt::of(&title, self.tolerance, &recipe, &figures, place.as_deref());
            write_whole(path, receipt.as_bytes())?;
        }
        self.output.give(settings, &outcome.report.to_json(), &outcome.report.to_markdown())
    }

    fn write(&self, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(path) = &self.run {
            let run = outcome.trial.run.to_trec().map_err(EvalError::from)?;
            let qrels = outcome.benchmark.qrels().map_err(EvalError::from)?;
            write_whole(path, run.as_bytes())?;
            write_whole(&super::compare::qrels_beside(path), qrels.to_trec().map_err(EvalError::from)?.as_bytes())?;
        }
        if let Some(path) = &self.csv {
            let rows = questions_csv(&outcome.benchmark, &outcome.trial).map_err(EvalError::from)?;
            write_whole(path, rows.as_bytes())?;
        }
        Ok(())
    }
}
