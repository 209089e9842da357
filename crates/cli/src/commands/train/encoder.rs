//! `aforesaid train encoder`

use std::path::PathBuf;

use aforesaid::{
    AdapterRecord, Creation, Lessons,
    models::training::{Trained, TrainingSettings, TrainingStep, train},
    resolve::ModelResolver,
};
use aforesaid_eval::{
    EvalError,
    statistics::{Paired, RESAMPLES, SEED, paired},
};
use clap::{Args, ValueHint};
use serde_json::json;

use super::super::print_json;
use crate::{
    failure::Failure,
    files::write_whole,
    interruption::Interruption,
    progress,
    quoted::quoted,
    remembering,
    render::{count, memories, say},
    settings::{Output, Settings},
};

/// Questions that something can be learned from.
const LEAST_LEARNED: usize = 100;
/// Questions held out by which it can be told whether it helped.
const LEAST_HELD_OUT: usize = 20;

#[derive(Debug, Args)]
#[command(
    after_help = "It learns from the cue questions of four fifths of the sessions, and the others show whether that helped: the file is \
    written only where it surely did. Sensitive memories are left out. An adapter remembers what it learned from: \
    `aforesaid forget` names the adapters that learned from what it deletes; delete their files to forget that too. Ctrl-C ends the learning early.\n\
    Use it with --model FILE, or as `model` in the configuration file: `aforesaid reembed --model FILE` brings the namespace over. \
    Use one of --queries with --query-adapter FILE, or as `query_adapter` in the configuration file: nothing is encoded anew."
)]
pub(crate) struct TrainEncoder {
    /// The file to write, which ends in .safetensors.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = adapter_file)]
    out: PathBuf,
    /// Learn a query adapter: queries are read with it, and the vectors of what is stored stay as they are.
    #[arg(long)]
    queries: bool,
    /// How many steps to take.
    #[arg(long, value_name = "N", default_value_t = TrainingSettings::default().steps)]
    steps: usize,
    /// The largest step width.
    #[arg(long, value_name = "NUMBER", default_value_t = TrainingSettings::default().rate, value_parser = rate)]
    rate: f32,
    /// What the random numbers depend on.
    #[arg(long, value_name = "N", default_value_t = TrainingSettings::default().seed)]
    seed: u64,
}

/// The name of an adapter's file: by its end it is told from a model's name.
pub(super) fn adapter_file(name: &str) -> Result<PathBuf, String> {
    match name.strip_suffix(".safetensors") {
        Some(stem) if !stem.is_empty() && !stem.ends_with('/') => Ok(name.into()),
        _ => Err("expected a file name that ends in .safetensors".to_owned()),
    }
}

pub(super) fn rate(number: &str) -> Result<f32, String> {
    match number.parse::<f32>() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("expected a number above 0, at most 1".to_owned()),
    }
}

impl TrainEncoder {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open(Creation::Forbidden)?;
        let lessons = memory.lessons(&settings.namespace)?;
        let (learned, held_out) = lessons.counts();
        if learned < LEAST_LEARNED || held_out < LEAST_HELD_OUT {
            return Err(Failure::Input(format!(
                "namespace {}: found {} to learn from and {held_out} in the sessions held out, expected {LEAST_LEARNED} and \
                 {LEAST_HELD_OUT} at least; write more with `aforesaid cues write`",
                settings.namespace,
                count(learned, "cue question"),
            )));
        }
        let models = settings.models.following(memory.active_encoder(&settings.namespace)?.as_ref());
        let resolver = ModelResolver::observed(models, progress::downloads(settings.output));
        let files = resolver.model_files()?.ok_or_else(|| {
            Failure::Usage("an adapter needs an embedding model on this machine; name one with --model".to_owned())
        })?;
        let bar = progress::bar(settings.output, "learning", "{msg} [{bar:30}] {pos}/{len} steps, {eta} left");
        let interruption = Interruption::watch();
        let mut observe = |step: &TrainingStep| {
            bar.set_length(step.steps as u64);
            bar.set_position(step.step as u64);
            // What was learned up to there is looked at as if it were all.
            interruption.step()
        };
        let usual = if self.queries { TrainingSettings::for_queries() } else { TrainingSettings::default() };
        let tuned = TrainingSettings {
            steps: self.steps,
            rate: self.rate,
            seed: self.seed,
            threads: settings.models.threads,
            ..usual
        };
        // No name of the namespace: it may be a path, and the file may leave this machine.
        let note = format!("{learned} cue questions");
        let trained = train(&files, &lessons.learned, &lessons.held_out, &note, &tuned, &mut observe);
        bar.finish_and_clear();
        match self.finish(&trained?, &lessons, settings) {
            Err(Failure::Input(_)) if interruption.is_asked_for() => Err(Failure::Stopped {
                file: self.out.display().to_string(),
                next: "what it had learned by then did not surely help; begin anew",
            }),
            finished => finished,
        }
    }

    /// Writes the adapter where it helped.
    fn finish(&self, trained: &Trained, lessons: &Lessons, settings: &Settings) -> Result<(), Failure> {
        let (before, after) = (trained.before.concat(), trained.after.concat());
        let found = paired(&before, &after, &lessons.sessions, RESAMPLES, SEED).map_err(EvalError::from)?;
        let ranks = [mean(&before), mean(&after)];
        if found.low <= 0.0 {
            return Err(Failure::Input(format!(
                "namespace {}: the adapter did not surely help, and is not written: of {} held out the mean reciprocal rank \
                 went from {:.3} to {:.3} (difference {}); write more cue questions, or take more --steps",
                settings.namespace,
                count(before.len(), "question"),
                ranks[0],
                ranks[1],
                difference(&found),
            )));
        }
        // First the record: an adapter that nothing knows of cannot be told of when what it learned is forgotten.
        if let Some(records) = remembering::records(settings, &settings.store)? {
            let file = std::path::absolute(&self.out).unwrap_or_else(|_| self.out.clone());
            let (namespace, sha256) = (settings.namespace.clone(), trained.adapter.sha256());
            records.keep(&AdapterRecord::new(namespace, file, sha256, &lessons.memories))?;
        }
        write_whole(&self.out, &trained.file)?;
        let (learned, held_out) = lessons.counts();
        match settings.output {
            Output::Programs => print_json(&json!({
                "namespace": settings.namespace,
                "file": self.out,
                "base": trained.adapter.base(),
                "reads": if self.queries { "queries" } else { "queries and passages" },
                "sha256": trained.adapter.sha256(),
                "questions": learned,
                "held_out": held_out,
                "sensitive_left_out": lessons.sensitive,
                "mrr_before": ranks[0],
                "mrr_after": ranks[1],
                "difference": { "mean": found.difference, "low": found.low, "high": found.high },
            })),
            Output::People => {
                say!("learned from {}; {held_out} of other sessions were held out", count(learned, "cue question"))?;
                say!(
                    "their mean reciprocal rank by cosine: {:.3} before, {:.3} now ({})",
                    ranks[0],
                    ranks[1],
                    difference(&found)
                )?;
                if lessons.sensitive > 0 {
                    say!(
                        "{} left out as sensitive: an adapter may leave this machine",
                        memories(lessons.sensitive as u64)
                    )?;
                }
                let file = quoted(&self.out.display().to_string());
                let namespace = quoted(settings.namespace.as_str());
                match self.queries {
                    true => say!(
                        "written to {file}; `aforesaid -n {namespace} search --query-adapter {file}` reads queries with it"
                    ),
                    false => say!(
                        "written to {file}; `aforesaid -n {namespace} reembed --model {file}` brings the namespace over"
                    ),
                }
            }
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn difference(found: &Paired) -> String {
    format!("{:+.3}, 95% interval {:+.3} to {:+.3}", found.difference, found.low, found.high)
}
