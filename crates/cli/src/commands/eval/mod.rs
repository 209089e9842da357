//! `aforesaid eval`

mod compare;
mod confidence;
mod data;
pub(super) mod equipment;
mod learned;
mod moved;
mod own_store;
mod run;
mod tune;

use std::path::{Path, PathBuf};

use aforesaid::{types::Granularity, visible::escaped_json};
use aforesaid_eval::{
    datasets::{DataSet, RECORDED},
    experiments::System,
    measures::Measure,
    recipe::Recording,
};
use clap::{Args, Subcommand, ValueHint};
use serde_json::Value;

use super::print_json;
use crate::{
    failure::Failure,
    files::write_whole,
    old_names,
    page::Page,
    render::{aligned, say},
    screen::Screen,
    settings::{Output, Settings},
    unused::{PIPELINE, Unused, no_search, no_vectors_in, unused},
};

/// Measure retrieval on public data sets, or on your own labelled history.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Measure one system on one data set.
    Run(run::Run),
    /// Compare two runs that `eval run --run` wrote.
    Compare(compare::Compare),
    /// Choose a pipeline's numbers on one part of the data, measure them on another.
    Tune(tune::Tune),
    /// Measure whether a search knows that it found the answer.
    Confidence(confidence::Confidence),
    /// List the public data sets, or fetch one.
    Data(data::Data),
    /// Moved to `aforesaid-studies`.
    #[command(hide = true)]
    Study(moved::Moved),
    /// Moved to `aforesaid-studies`.
    #[command(hide = true)]
    Reproduce(moved::Moved),
    /// Moved to `aforesaid-studies`.
    #[command(hide = true)]
    Tables(moved::Moved),
}

impl Eval {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        let pipeline = |system: &System| {
            old_names::warn_of_words(&system.name);
            let named = unused(PIPELINE, "--system names the pipeline");
            no_vectors_in(&system.pipeline).into_iter().chain([named]).collect()
        };
        match &self.action {
            Action::Run(command) => command.system().map(pipeline).unwrap_or_default(),
            Action::Tune(command) => pipeline(command.system()),
            Action::Confidence(command) => pipeline(command.system()),
            Action::Compare(_) | Action::Data(_) => no_search(),
            Action::Study(_) | Action::Reproduce(_) | Action::Tables(_) => Vec::new(),
        }
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.action {
            Action::Run(command) => command.run(settings),
            Action::Compare(command) => command.run(settings),
            Action::Tune(command) => command.run(settings),
            Action::Confidence(command) => command.run(settings),
            Action::Data(command) => command.run(settings),
            Action::Study(command) => command.refuse("study"),
            Action::Reproduce(command) => command.refuse("reproduce"),
            Action::Tables(command) => command.refuse("tables"),
        }
    }
}

/// Which data, measured on what.
#[derive(Debug, Args)]
struct DataArgs {
    /// The data set: locomo, locomo-audit, longmemeval, longmemeval-pooled, beam, realmem, qmsum, dialogues,
    /// dialogues-dev, dialogues-test, conversations, ranking, assistants or jsonl.
    #[arg(long)]
    dataset: Option<DataSet>,
    /// Its file or folder [default: where `eval data fetch` puts it; else, of dialogues, the folder datasets/dialogues
    /// here].
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    data: Option<PathBuf>,
    /// What is retrieved: turn or session [default: turn; with --queries, both].
    #[arg(long)]
    unit: Option<Granularity>,
}

impl DataArgs {
    fn dataset(&self) -> Result<DataSet, Failure> {
        let missing = || Failure::Usage("--dataset: name the data set, as in --dataset locomo".to_owned());
        self.dataset.ok_or_else(missing)
    }

    fn unit(&self) -> Granularity {
        self.unit.unwrap_or_default()
    }

    fn path(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        place_of(self.dataset()?, self.data.as_deref(), settings)
    }
}

/// Where a data set is: as named, where `eval data fetch` puts it, or in a checkout of this project that we are in.
pub(super) fn place_of(dataset: DataSet, named: Option<&Path>, settings: &Settings) -> Result<PathBuf, Failure> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    if dataset == DataSet::Jsonl {
        return Err(Failure::Usage("--data: name the folder or file of your own labelled history".to_owned()));
    }
    let usual = settings.datasets().map(|datasets| datasets.join(dataset.folder()));
    let fetched = usual.as_ref().is_ok_and(|place| place.is_dir());
    match dataset.in_repository().filter(|place| !fetched && place.is_dir()) {
        Some(place) => Ok(place.to_owned()),
        None => usual,
    }
}

/// Cue questions that were recorded for the data.
#[derive(Debug, Args)]
struct CueArgs {
    /// Index the cue questions of this folder, a file <GROUP>.jsonl each; "recorded" for those in cues beside the data.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cues: Option<PathBuf>,
    /// Give a memory at most so many of them, the first ones.
    #[arg(long, value_name = "N", requires = "cues")]
    cue_questions: Option<usize>,
}

impl CueArgs {
    fn recording(&self) -> Option<Recording> {
        let folder = |folder: &PathBuf| (folder.as_os_str() != RECORDED).then(|| folder.clone());
        self.cues.as_ref().map(|cues| Recording { folder: folder(cues), at_most: self.cue_questions })
    }
}

/// Where the results go.
#[derive(Debug, Args)]
struct OutputArgs {
    /// With --json: write the JSON to this file instead of printing it.
    #[arg(value_name = "FILE", requires = "json", value_hint = ValueHint::FilePath)]
    json_file: Option<PathBuf>,
    /// Write the report as Markdown; - prints it, as is done where standard output is no terminal.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    markdown: Option<PathBuf>,
}

impl OutputArgs {
    /// Writes the files asked for, and prints what is left: JSON for programs, aligned tables for people.
    fn give(&self, settings: &Settings, json: &Value, markdown: &str) -> Result<(), Failure> {
        let prints_markdown = self.markdown.as_deref() == Some(Path::new("-"));
        if let Some(path) = self.markdown.as_ref().filter(|_| !prints_markdown) {
            write_whole(path, markdown.as_bytes())?;
        }
        match (&self.json_file, settings.output) {
            (None, Output::Programs) => return print_json(json),
            (None, Output::People) => {}
            (Some(path), _) => write_whole(path, escaped_json(&format!("{json:#}\n")).as_bytes())?,
        }
        if prints_markdown || Screen::of_output().height.is_none() {
            return say!("{}", markdown.trim_end());
        }
        let mut page = Page::default();
        aligned(markdown.trim_end()).iter().for_each(|line| page.line(format_args!("{line}")));
        page.print(settings.paging)
    }
}

/// Measures to take.
#[derive(Debug, Args)]
struct MeasureArgs {
    /// Measures, separated by commas [default: hit@1,hit@5,hit@10,recall@3,recall@5,recall@10,all@5,mrr,ndcg@5].
    #[arg(long, value_delimiter = ',')]
    measures: Vec<Measure>,
}

impl MeasureArgs {
    fn measures(&self) -> Vec<Measure> {
        let mut measures = if self.measures.is_empty() { Measure::STANDARD.to_vec() } else { self.measures.clone() };
        let mut seen = std::collections::HashSet::new();
        measures.retain(|measure| seen.insert(*measure));
        measures
    }
}

/// Text that Markdown keeps, on a terminal.
fn plain(text: &str) -> String {
    crate::render::printable(text)
}
