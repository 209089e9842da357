//! `aforesaid eval study`

use std::{path::PathBuf, time::Instant};

use aforesaid::visible::escaped_json;
use aforesaid_eval::{
    EvalError,
    datasets::DataSet,
    studies::{
        ConfidenceStudy, FusionStudy, RoxyStudy, confidence_study, default_study, fusion_study, roxy_study, turns_study,
    },
};
use clap::{Args, ValueEnum, ValueHint};
use serde_json::json;

use super::{
    CueArgs,
    equipment::{VectorArgs, watched},
    model::ModelArgs,
    place_of, print_json,
};
use crate::{
    failure::Failure,
    files::write_whole,
    render::{path, say},
    settings::{Output, Settings},
    unused::{LLM, PRESET, Unused, unused},
};

#[derive(Debug, Args)]
pub(crate) struct Study {
    /// fusion: Tables 1 to 10 and the figures of the fusion study. turns: turn retrieval over five splits.
    /// default: what each piece of the default brings, and which fusion is best, on four data sets.
    /// roxy: what cue questions bring, by the way they are indexed; recorded ones, in cues beside the data or --cues.
    /// confidence: whether a search knows that it found nothing, and the coefficients for that.
    #[arg(value_enum)]
    name: Name,
    /// LoCoMo's file or folder; for the studies of the default and of confidence, the folder with the folders locomo,
    /// realmem, beam, longmemeval (and qmsum), of which the former can do without some [default: where `eval data fetch` puts them].
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    data: Option<PathBuf>,
    /// LongMemEval-S in the official format, for Table 8 of the fusion study.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    longmemeval: Option<PathBuf>,
    /// Folder for report.md, report.json, questions.csv and the figures [default: study-<name>].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    cues: CueArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    vectors: VectorArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    Fusion,
    Turns,
    Default,
    Confidence,
    Roxy,
}

impl Study {
    pub(super) fn unused(&self) -> Vec<Unused> {
        let unasked =
            (!self.model.is_given()).then(|| unused(LLM, "no language model is asked; add --judge or --answers"));
        unasked.into_iter().chain([unused(PRESET, "a study names its pipelines")]).collect()
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let started = Instant::now();
        let data = match (self.name, &self.data) {
            (Name::Default | Name::Confidence, None) => settings.datasets()?,
            (Name::Confidence, Some(folder)) => folder.clone(),
            (_, named) => place_of(DataSet::Locomo, named.as_deref(), settings)?,
        };
        if self.longmemeval.is_some() && self.name != Name::Fusion {
            return Err(Failure::Usage("--longmemeval: only the fusion study has a table for it".to_owned()));
        }
        if (self.cues.recording().is_some() || self.model.is_given()) && self.name != Name::Roxy {
            let message = "--cues, --judge and --answers: only the roxy study is of cue questions and language models";
            return Err(Failure::Usage(message.to_owned()));
        }
        let cues = self.cues.recording().unwrap_or_default();
        let equipment = self.vectors.equipment(DataSet::Locomo, None, settings)?;
        let connected = self.model.connect(settings)?;
        let asked = connected.as_ref().map(|connected| self.model.asked(&connected.chat));
        let roxy = RoxyStudy { locomo: &data, cues: &cues, model: asked.as_ref() };
        if self.model.exchange(&roxy, &equipment, settings)? {
            return Ok(());
        }
        let study = watched(settings, |observe| match self.name {
            Name::Fusion => {
                let study = FusionStudy { locomo: &data, longmemeval: self.longmemeval.as_deref() };
                fusion_study(&study, &equipment, observe)
            }
            Name::Turns => turns_study(&data, &equipment, observe),
            Name::Roxy => roxy_study(&roxy, &equipment, observe),
            Name::Default => default_study(&data, &equipment, observe),
            Name::Confidence => confidence_study(&ConfidenceStudy { data: &data }, &equipment, observe),
        })?;
        let name = match self.name {
            Name::Fusion => "fusion",
            Name::Turns => "turns",
            Name::Default => "default",
            Name::Confidence => "confidence",
            Name::Roxy => "roxy",
        };
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("study-{name}")));
        std::fs::create_dir_all(&out).map_err(Failure::io(format!("folder {}", out.display())))?;
        let markdown = study.to_markdown();
        let mut files = vec![
            ("report.md".to_owned(), markdown.clone().into_bytes()),
            ("report.json".to_owned(), escaped_json(&format!("{:#}\n", study.to_json())).into_owned().into_bytes()),
            ("questions.csv".to_owned(), study.questions.clone().into_bytes()),
        ];
        for (stem, figure) in study.sections.iter().filter_map(|section| section.figure.as_ref()) {
            files.push((format!("{stem}.svg"), figure.svg.clone().into_bytes()));
            files.push((format!("{stem}.png"), figure.png().map_err(EvalError::from)?));
        }
        for (name, bytes) in &files {
            write_whole(&out.join(name), bytes)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        match settings.output {
            Output::Programs => {
                let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
                print_json(&json!({"study": study.to_json(), "folder": out, "files": names, "seconds": seconds}))
            }
            Output::People => {
                say!("{}", markdown.trim_end())?;
                say!("\n{} files in {}, {seconds:.1} s", files.len(), path(&out))
            }
        }
    }
}
