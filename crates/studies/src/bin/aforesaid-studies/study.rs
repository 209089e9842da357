//! The studies: where each reads its data, and the files of its report.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use aforesaid::visible::escaped_json;
use aforesaid_eval::{
    datasets::{DataSet, RECORDED},
    experiments::Observer,
    recipe::{Equipment, Recording},
};
use aforesaid_studies::{
    ConfidenceStudy, FusionStudy, RecallStudy, RoxyStudy, Study, StudyError, cascade_study, confidence_study,
    default_study, fusion_study, recall_study, reranked_confidence_study, roxy_study, turns_study,
};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    language_model::ModelArgs,
    machine::Machine,
    output::{Format, json_line, line, watched, write_file},
};

/// A study on LoCoMo.
#[derive(Debug, Args)]
pub(crate) struct Locomo {
    /// LoCoMo's file or folder [default: where `aforesaid eval data fetch` puts it].
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: Report,
}

/// A study on several data sets.
#[derive(Debug, Args)]
pub(crate) struct DataSets {
    /// The folder with the folders locomo, realmem, beam and longmemeval (and qmsum for the study of confidence)
    /// [default: where `aforesaid eval data fetch` puts them].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    report: Report,
}

/// The fusion study.
#[derive(Debug, Args)]
pub(crate) struct Fusion {
    #[command(flatten)]
    locomo: Locomo,
    /// LongMemEval-S in the official format, for Table 8.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    longmemeval: Option<PathBuf>,
}

/// The study of what a hook hands over.
#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// A data set in the form of the dialogues.
    #[arg(long, default_value = "assistants")]
    dataset: DataSet,
    /// Its folder [default: datasets/assistants].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Only these of its histories.
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    #[command(flatten)]
    report: Report,
}

/// The study of generative indexing.
#[derive(Debug, Args)]
pub(crate) struct Roxy {
    #[command(flatten)]
    locomo: Locomo,
    /// Index the cue questions of this folder, a file <GROUP>.jsonl each; "recorded" names the folder cues beside the data.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cues: Option<PathBuf>,
    /// Give a memory at most this many of them, the first ones.
    #[arg(long, value_name = "N", requires = "cues")]
    cue_questions: Option<usize>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Where the report goes.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Folder for report.md, report.json, questions.csv and the figures [default: study-<name>].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

impl Locomo {
    pub(crate) fn turns(&self, machine: &Machine) -> Result<(), Failure> {
        let data = machine.dataset(DataSet::Locomo, self.data.as_deref())?;
        self.report.of("turns", machine, &machine.equipment(None)?, |equipment, observe| {
            turns_study(&data, equipment, observe)
        })
    }
}

impl DataSets {
    fn folder(&self, machine: &Machine) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| machine.datasets(), Ok)
    }

    pub(crate) fn default(&self, machine: &Machine) -> Result<(), Failure> {
        let folder = self.folder(machine)?;
        self.report.of("default", machine, &machine.equipment(None)?, |equipment, observe| {
            default_study(&folder, equipment, observe)
        })
    }

    pub(crate) fn cascade(&self, machine: &Machine) -> Result<(), Failure> {
        let folder = self.folder(machine)?;
        self.report.of("cascade", machine, &machine.equipment(None)?, |equipment, observe| {
            cascade_study(&folder, equipment, observe)
        })
    }

    pub(crate) fn confidence(&self, machine: &Machine) -> Result<(), Failure> {
        let study = ConfidenceStudy { data: &self.folder(machine)? };
        self.report.of("confidence", machine, &machine.equipment(None)?, |equipment, observe| {
            confidence_study(&study, equipment, observe)
        })
    }

    pub(crate) fn reranked_confidence(&self, machine: &Machine) -> Result<(), Failure> {
        let study = ConfidenceStudy { data: &self.folder(machine)? };
        let equipment = with_reranker(machine)?;
        self.report.of("reranked-confidence", machine, &equipment, |equipment, observe| {
            reranked_confidence_study(&study, equipment, observe)
        })
    }
}

/// An encoder, and the reranker that ships.
fn with_reranker(machine: &Machine) -> Result<Equipment, Failure> {
    let equipment = machine.equipment(None)?;
    let reranker = match &equipment.encoder {
        Ok(encoder) => Some(machine.reranker(encoder.id())?),
        Err(_) => None,
    };
    Ok(Equipment { reranker, ..equipment })
}

impl Recall {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let here = self.dataset.in_repository().filter(|folder| folder.is_dir());
        let data = machine.dataset(self.dataset, self.data.as_deref().or(here))?;
        let study = RecallStudy { dataset: self.dataset, data: &data, groups: &self.groups };
        self.report.of("recall", machine, &with_reranker(machine)?, |equipment, observe| {
            recall_study(&study, equipment, observe)
        })
    }
}

impl Fusion {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let locomo = machine.dataset(DataSet::Locomo, self.locomo.data.as_deref())?;
        let study = FusionStudy { locomo: &locomo, longmemeval: self.longmemeval.as_deref() };
        self.locomo.report.of("fusion", machine, &machine.equipment(None)?, |equipment, observe| {
            fusion_study(&study, equipment, observe)
        })
    }
}

impl Roxy {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let locomo = machine.dataset(DataSet::Locomo, self.locomo.data.as_deref())?;
        let folder = self.cues.clone().filter(|cues| cues.as_os_str() != RECORDED);
        let cues = Recording { folder, at_most: self.cue_questions };
        let equipment = machine.equipment(None)?;
        let connected = self.model.connect(machine)?;
        let tasks = connected.as_ref().map(|chat| self.model.tasks(chat));
        let study = RoxyStudy { locomo: &locomo, cues: &cues, model: tasks.as_ref() };
        if self.model.exchange(&study, &equipment, machine)? {
            return Ok(());
        }
        self.locomo.report.of("roxy", machine, &equipment, |equipment, observe| roxy_study(&study, equipment, observe))
    }
}

impl Report {
    /// Runs a study and writes its files.
    pub(crate) fn of(
        &self,
        name: &str,
        machine: &Machine,
        equipment: &Equipment,
        run: impl FnOnce(&Equipment, &Observer<'_>) -> Result<Study, StudyError>,
    ) -> Result<(), Failure> {
        let started = Instant::now();
        let study = watched(machine.format(), |observe| run(equipment, observe))?;
        let folder = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("study-{name}")));
        let names = write(&study, &folder)?;
        let seconds = started.elapsed().as_secs_f64();
        match machine.format() {
            Format::Json => json_line(&json!({
                "study": study.to_json(), "folder": folder, "files": names, "seconds": seconds,
            })),
            Format::Text => {
                line(study.to_markdown().trim_end())?;
                line(&format!("\n{} files in {}, {seconds:.1} s", names.len(), folder.display()))
            }
        }
    }
}

/// Writes the files of a report; returns their names.
fn write(study: &Study, folder: &Path) -> Result<Vec<String>, Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::io(format!("folder {}", folder.display())))?;
    let json = escaped_json(&format!("{:#}\n", study.to_json())).into_owned();
    let mut files = vec![
        ("report.md".to_owned(), study.to_markdown()),
        ("report.json".to_owned(), json),
        ("questions.csv".to_owned(), study.questions.clone()),
    ];
    for (stem, figure) in study.sections.iter().filter_map(|section| section.figure.as_ref()) {
        files.push((format!("{stem}.svg"), figure.svg.clone()));
    }
    for (name, text) in &files {
        write_file(&folder.join(name), text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}
