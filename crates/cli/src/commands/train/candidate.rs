//! `aforesaid train candidate`

use std::{path::PathBuf, sync::Arc};

use aforesaid::Encoder;
use aforesaid_eval::{
    EvalError,
    datasets::DataSet,
    learning::{Boosting, CandidateTraining, Source, Trained, Variant},
    recipe::{Equipment, Recording},
};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{
    super::{
        eval::equipment::{VectorArgs, watched},
        print_json,
    },
    held_out::table,
    labelled::{most_private, places},
};
use crate::{
    failure::Failure,
    files::write_whole,
    render::{aligned, say},
    settings::{Output, Settings},
};

/// Train the candidate ranker on labelled questions, and keep it only if it helps on questions that it did not see.
#[derive(Debug, Args)]
pub(super) struct Candidate {
    /// A data set with gold for turns: locomo, longmemeval-pooled, beam, qmsum, dialogues-dev, conversations, ranking, jsonl, ... May be given
    /// several times.
    #[arg(long, required = true)]
    dataset: Vec<DataSet>,
    /// The file or folder of each data set, in the same order [default: as for `eval run`].
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    data: Vec<PathBuf>,
    /// The embedding model for each data set, in the same order: an adapter of --model that did not learn from it [default: --model].
    #[arg(long, value_name = "MODEL")]
    encoder: Vec<String>,
    /// Learn from each question twice where cue questions are recorded: without them and with them.
    #[arg(long)]
    cues: bool,
    /// Learn also from the recorded cue questions themselves, at most so many a history; histories on a test side of
    /// splits.json are left out.
    #[arg(long, value_name = "N")]
    ask_cues: Option<usize>,
    /// Leave the ranker out where an assistant speaks in what is searched.
    #[arg(long)]
    among_people: bool,
    /// Learn from queries as the encoder reads them without the pipeline's query adapter: for histories that the adapter learned
    /// from, whose questions it reads better than others.
    #[arg(long)]
    plain_queries: bool,
    /// Write the ranker to this file if it helps.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Trees of a forest at most; how many are used is chosen on held-out histories.
    #[arg(long, default_value_t = Boosting::default().trees)]
    trees: usize,
    /// Forests that are grown apart and averaged: more of them depend less on the seed, and take longer.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    forests: u8,
    /// The seed: the same data and seed give the same file.
    #[arg(long, default_value_t = Boosting::default().seed)]
    seed: u64,
    #[command(flatten)]
    vectors: VectorArgs,
}

impl Candidate {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let pipeline = settings.pipeline.clone().without_stage();
        let equipment = self.vectors.equipment(most_private(&self.dataset), pipeline.encoder(), settings)?;
        let sources = self.sources(&equipment, settings)?;
        let boosting =
            Boosting { trees: self.trees, forests: self.forests.into(), seed: self.seed, ..Boosting::default() };
        let training = CandidateTraining {
            sources: &sources,
            pipeline: &pipeline,
            boosting,
            among_people: self.among_people,
            plain_queries: self.plain_queries,
        };
        let Trained { ranker, report, .. } = watched(settings, |observe| training.run(&equipment, observe))?;
        if report.helps {
            write_whole(&self.out, ranker.write().as_bytes())?;
        }
        match settings.output {
            Output::Programs => print_json(&json!({
                "ranker": ranker.id(), "record": ranker.record, "held_out": report,
                "file": report.helps.then_some(&self.out),
            }))?,
            Output::People => {
                aligned(&table(&report.measures).to_string()).iter().try_for_each(|line| say!("{line}"))?;
                report.caveat.iter().try_for_each(|caveat| say!("{caveat}"))?;
                say!("{} questions, {} trees", report.questions, report.trees)?;
                if report.helps {
                    say!("ranker {} in {}; use it with --ranker {1}", ranker.id(), self.out.display())?;
                }
            }
        }
        match report.helps {
            true => Ok(()),
            false => Err(Failure::Input(format!(
                "the ranker did not help on questions that it did not see, and was not written to {}; label more questions, \
                 of more conversations",
                self.out.display()
            ))),
        }
    }

    fn sources(&self, equipment: &Equipment, settings: &Settings) -> Result<Vec<Source>, Failure> {
        let encoders = self.encoders(equipment, settings)?;
        let encoders = encoders.into_iter().map(Some).chain(std::iter::repeat(None));
        let mut sources = Vec::new();
        for ((dataset, path), encoder) in places(&self.dataset, &self.data, settings)?.into_iter().zip(encoders) {
            let mut push = |variant: Variant| {
                sources.push(Source { dataset, path: path.clone(), variant, encoder: encoder.clone() });
            };
            push(Variant::Labelled);
            if dataset.has_cues(&path).map_err(EvalError::from)? {
                if self.cues {
                    push(Variant::Cued(Recording::default()));
                }
                if let Some(most) = self.ask_cues {
                    push(Variant::CuesAsked(Recording::default(), most));
                }
            }
        }
        Ok(sources)
    }

    /// The encoders that were named, each of the same published model as the one that the ranker is for.
    fn encoders(&self, equipment: &Equipment, settings: &Settings) -> Result<Vec<Arc<dyn Encoder>>, Failure> {
        if self.encoder.len() > self.dataset.len() {
            return Err(Failure::Usage(format!(
                "--encoder: found {} models, expected at most one for each of {} data sets",
                self.encoder.len(),
                self.dataset.len()
            )));
        }
        let unavailable = |what: &str, reason: &str| Failure::Input(format!("{what}: {reason}"));
        let named = |(name, dataset): (&String, &DataSet)| {
            let own = self.vectors.equipment(most_private(&[*dataset]), None, &settings.with_chosen_model(name))?;
            let own = own.encoder.map_err(|reason| unavailable(&format!("--encoder {name}"), &reason))?;
            let main = equipment.encoder.as_ref().map_err(|reason| unavailable("--model", reason))?;
            match own.id().published() == main.id().published() {
                true => Ok(own),
                false => Err(Failure::Usage(format!(
                    "--encoder {name}: found {}, expected {} or an adapter of it: the ranker is for its vectors",
                    own.id(),
                    main.id().published()
                ))),
            }
        };
        self.encoder.iter().zip(&self.dataset).map(named).collect()
    }
}
