//! `aforesaid train evidence`

use std::path::PathBuf;

use aforesaid::{
    models::{
        Precision,
        training::{CheckpointFile, EvidenceSettings, EvidenceStep, Saving},
    },
    rerank::PairForm,
    resolve::ModelResolver,
};
use aforesaid_eval::{
    EvalError,
    datasets::DataSet,
    learning::{EvidenceOutcome, EvidenceTraining, Source, Variant, Watching},
    recipe::Recording,
};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{
    super::{eval::equipment::VectorArgs, print_json},
    encoder::{adapter_file, rate},
    held_out::table,
    labelled::{most_private, places},
};
use crate::{
    failure::Failure,
    files::write_whole,
    interruption::Interruption,
    progress,
    render::{aligned, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "Histories are dealt to five parts: three are learned from, one chooses the step and the weight of the first \
    stage, and one reports. The file is written only where it surely helped there. Its state is kept beside it \
    (the same name, ending in .checkpoint) until the file is written. Ctrl-C ends the learning, and what was best so far is looked at.\n\
    Use it with `search --rerank FILE`."
)]
pub(super) struct TrainEvidence {
    /// A data set with gold for turns: longmemeval-pooled, qmsum, dialogues-dev, conversations, jsonl, ... May be given several times.
    #[arg(long, required = true)]
    dataset: Vec<DataSet>,
    /// The file or folder of each data set, in the same order [default: as for `eval run`].
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    data: Vec<PathBuf>,
    /// Learn also from recorded cue questions, at most so many a history; histories on a test side of splits.json are left
    /// out.
    #[arg(long, value_name = "N")]
    ask_cues: Option<usize>,
    /// The file to write if it helps; its name ends in .safetensors.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = adapter_file)]
    out: PathBuf,
    /// How pairs are written: the turn alone, with the turns before and after it (dialogue), or so with an excerpt of a long
    /// turn (excerpt).
    #[arg(long, default_value_t = PairForm::Turn)]
    form: PairForm,
    /// How often each question is seen, at most.
    #[arg(long, value_name = "N", default_value_t = EvidenceSettings::default().epochs)]
    epochs: usize,
    /// The largest step width.
    #[arg(long, value_name = "NUMBER", default_value_t = EvidenceSettings::default().rate, value_parser = rate)]
    rate: f32,
    /// What the random numbers depend on.
    #[arg(long, value_name = "N", default_value_t = EvidenceSettings::default().seed)]
    seed: u64,
    /// Steps between two checkpoints.
    #[arg(long, value_name = "N", default_value_t = 25)]
    save_every: usize,
    /// Go on from the checkpoint of the same command, which was interrupted.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    vectors: VectorArgs,
}

impl TrainEvidence {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let sources = self.sources(settings)?;
        let pipeline = settings.pipeline.clone();
        let equipment = self.vectors.equipment(most_private(&self.dataset), pipeline.encoder(), settings)?;
        let resolver = ModelResolver::observed(settings.models.clone(), progress::downloads(settings.output));
        let files = resolver.model_files()?.ok_or_else(|| {
            Failure::Usage(
                "a reranker is begun from an embedding model on this machine; name one with --model".to_owned(),
            )
        })?;
        // It is added to the model as it was published, as every reranker's file is.
        let files = files.published();
        let training = EvidenceTraining {
            sources: &sources,
            pipeline: &pipeline,
            form: self.form,
            files: &files,
            settings: self.tuned(settings),
            runtime: settings.models.runtime(None),
        };
        let kept = CheckpointFile::of(&self.out);
        let state = self.state(&kept)?;
        let mut keep = |bytes: &[u8]| kept.write(bytes);
        let bar = progress::bar(settings.output, "searching", "{msg} [{bar:30}] {pos}/{len}, {eta} left");
        let interruption = Interruption::watch();
        let mut step = |step: &EvidenceStep| {
            bar.set_message(match step.held_out {
                Some(rank) => format!("learning, held-out MRR {rank:.3}"),
                None => "learning".to_owned(),
            });
            bar.set_length(step.steps as u64);
            bar.set_position(step.step as u64);
            interruption.step()
        };
        let observe = |step: aforesaid_eval::experiments::Step| {
            bar.set_length(step.total as u64);
            bar.set_position(step.done as u64);
        };
        let saving = Saving { resume: state.as_deref(), every: self.save_every, keep: &mut keep };
        let mut watching = Watching { observe: &observe, step: &mut step, saving };
        let outcome = training.run(&equipment, &mut watching);
        bar.finish_and_clear();
        match self.finish(&outcome?, settings) {
            Err(Failure::Input(_)) if interruption.is_asked_for() => Err(Failure::Stopped {
                file: self.out.display().to_string(),
                next: "what it had learned by then did not surely help; the same command with --resume goes on from its \
                       checkpoint",
            }),
            finished => finished,
        }
    }

    fn tuned(&self, settings: &Settings) -> EvidenceSettings {
        let usual = EvidenceSettings::default();
        // Derivatives do not bear 8 bits.
        let asked = settings.models.precision.filter(|precision| *precision != Precision::Int8);
        EvidenceSettings {
            epochs: self.epochs,
            rate: self.rate,
            seed: self.seed,
            precision: asked.unwrap_or_else(|| Precision::default_on(settings.models.instructions)),
            threads: settings.models.threads,
            ..usual
        }
    }

    /// The state to go on from.
    fn state(&self, kept: &CheckpointFile) -> Result<Option<Vec<u8>>, Failure> {
        if !self.resume {
            return Ok(None);
        }
        let state = kept.read().map_err(aforesaid::Error::from)?;
        let none = || Failure::Input(format!("checkpoint {}: not found; leave out --resume", kept.path().display()));
        state.ok_or_else(none).map(Some)
    }

    fn sources(&self, settings: &Settings) -> Result<Vec<Source>, Failure> {
        let mut sources = Vec::new();
        for (dataset, path) in places(&self.dataset, &self.data, settings)? {
            let source = |variant| Source { dataset, path: path.clone(), variant, encoder: None };
            sources.push(source(Variant::Labelled));
            if let Some(most) = self.ask_cues.filter(|most| *most > 0)
                && dataset.has_cues(&path).map_err(EvalError::from)?
            {
                sources.push(source(Variant::CuesAsked(Recording::default(), most)));
            }
        }
        Ok(sources)
    }

    /// Writes the file where it helped.
    fn finish(&self, outcome: &EvidenceOutcome, settings: &Settings) -> Result<(), Failure> {
        let EvidenceOutcome { trained, report } = outcome;
        if report.helps {
            write_whole(&self.out, &trained.file)?;
            CheckpointFile::of(&self.out).remove().map_err(aforesaid::Error::from)?;
        }
        match settings.output {
            Output::Programs => print_json(&json!({
                "sha256": trained.model.sha256(), "record": trained.model.record(), "steps": trained.steps,
                "kept_step": trained.best_step, "held_out": report, "file": report.helps.then_some(&self.out),
            }))?,
            Output::People => {
                aligned(&table(&report.measures).to_string()).iter().try_for_each(|line| say!("{line}"))?;
                report.caveat.iter().try_for_each(|caveat| say!("{caveat}"))?;
                say!(
                    "learned from {} questions; step {} of {} is kept, the first stage counts {}",
                    report.learned,
                    trained.best_step,
                    trained.steps,
                    trained.model.record().first_stage_weight
                )?;
                if report.helps {
                    say!("written to {}; use it with --rerank {0}", self.out.display())?;
                }
            }
        }
        match report.helps {
            true => Ok(()),
            false => Err(Failure::Input(format!(
                "the reranker did not surely help on histories that it did not see, and was not written to {}; label more \
                 questions, of more histories, or take more --epochs",
                self.out.display()
            ))),
        }
    }
}
