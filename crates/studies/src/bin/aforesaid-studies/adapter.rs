//! Learns the adapter that ships.

use std::{ops::ControlFlow, path::PathBuf};

use aforesaid::models::{
    ReadWith,
    training::{StepChoice, TrainingSet, TrainingSettings, TrainingStep, train},
};
use aforesaid_studies::{adapter_dev_sets, adapter_sets};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    machine::Machine,
    output::{Format, bar, json_line, line, write_file},
    shippable::Shippable,
};

/// What the adapter is learned from, and how.
#[derive(Debug, Args)]
pub(crate) struct Adapter {
    /// The file to write.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Learn nothing, and keep --strength of the adapter in this file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    weaken: Option<PathBuf>,
    #[command(flatten)]
    shippable: Shippable,
    /// Sets that are not learned from, but looked at: the step that is best for them is kept.
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    hold_out: Vec<String>,
    /// Look at the dev sides of several genres too, and keep the step that gains most where it gains least.
    #[arg(long)]
    dev_sides: bool,
    /// Sets that are left out, by what their names begin with.
    #[arg(long, value_name = "START", value_delimiter = ',')]
    without: Vec<String>,
    /// Weights of sets by what their names begin with, as in qmsum=0.1.
    #[arg(long, value_name = "START=WEIGHT", value_delimiter = ',')]
    weight: Vec<String>,
    /// Of sets by what their names begin with, the part of what is learned that the model itself teaches, in [0, 1].
    #[arg(long, value_name = "START=SHARE", value_delimiter = ',')]
    base_share: Vec<String>,
    /// Hard passages of a step, for all sets [default: 16 for the dialogues, none for the others].
    #[arg(long, value_name = "N")]
    negatives: Option<usize>,
    /// Learn a query adapter: questions are read with it, and passages keep their vectors.
    #[arg(long)]
    queries: bool,
    /// Directions in which each map may change.
    #[arg(long, default_value_t = TrainingSettings::default().rank)]
    rank: usize,
    /// Steps.
    #[arg(long, default_value_t = TrainingSettings::default().steps)]
    steps: usize,
    /// Questions of a step.
    #[arg(long, default_value_t = TrainingSettings::default().batch)]
    batch: usize,
    /// The largest step width.
    #[arg(long, default_value_t = TrainingSettings::default().rate)]
    rate: f32,
    /// What cosines are multiplied with in the loss.
    #[arg(long, default_value_t = TrainingSettings::default().scale)]
    scale: f32,
    /// The part of the update that is kept.
    #[arg(long, default_value_t = TrainingSettings::default().strength)]
    strength: f32,
    /// Tokens of a passage.
    #[arg(long, default_value_t = TrainingSettings::default().max_tokens)]
    max_tokens: usize,
    /// Steps between two looks at the sets held out.
    #[arg(long, default_value_t = TrainingSettings::default().look_every)]
    look_every: usize,
    /// What the draws depend on.
    #[arg(long, default_value_t = TrainingSettings::default().seed)]
    seed: u64,
}

impl Adapter {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        if let Some(whole) = &self.weaken {
            let whole = aforesaid::models::Adapter::read(whole).map_err(aforesaid::Error::from)?;
            let (kept, file) = whole.weakened(self.strength).map_err(aforesaid::Error::from)?;
            write_file(&self.out, &file)?;
            return line(&format!("{} of {}: {}", self.strength, whole.sha256(), kept.sha256()));
        }
        let folder = self.shippable.folder(machine)?;
        let sources = self.shippable.beside(&folder);
        let mut sets = adapter_sets(sources)?;
        sets.retain(|set| !self.without.iter().any(|start| set.name.starts_with(start)));
        if let Some(negatives) = self.negatives {
            sets.iter_mut().for_each(|set| set.negatives = negatives);
        }
        for (start, weight) in rules("--weight", &self.weight, f64::MAX)? {
            named(&mut sets, start).for_each(|set| set.weight = weight);
        }
        for (start, share) in rules("--base-share", &self.base_share, 1.0)? {
            named(&mut sets, start).for_each(|set| set.base_share = share as f32);
        }
        let (mut held_out, sets): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|set| self.hold_out.contains(&set.name));
        if self.dev_sides {
            held_out.extend(adapter_dev_sets(sources)?);
        }
        let format = machine.format();
        let files = machine.model_files()?;
        let settings = TrainingSettings {
            rank: self.rank,
            steps: self.steps,
            batch: self.batch,
            rate: self.rate,
            scale: self.scale,
            strength: self.strength,
            max_tokens: self.max_tokens,
            precision: machine.precision().unwrap_or(TrainingSettings::default().precision),
            look_every: self.look_every,
            choice: if self.dev_sides { StepChoice::WorstSet } else { StepChoice::Mean },
            read_with: if self.queries { ReadWith::Queries } else { ReadWith::Both },
            seed: self.seed,
            threads: machine.encoder_threads(),
        };
        let note = note(&sets);
        let bar = bar(format, "learning", "{msg} [{bar:30}] {pos}/{len} steps, {eta} left");
        let mut looks = Vec::new();
        let mut observe = |step: &TrainingStep| {
            bar.set_length(step.steps as u64);
            bar.set_position(step.step as u64);
            bar.set_message(format!("learning, loss {:.2}", step.loss));
            looks.extend(step.held_out.clone().map(|ranks| (step.step, ranks)));
            ControlFlow::Continue(())
        };
        let trained =
            train(&files, &sets, &held_out, &note, &settings, &mut observe).map_err(aforesaid::Error::from)?;
        bar.finish_and_clear();
        let adapter = trained.adapter;
        write_file(&self.out, &trained.file)?;
        match format {
            Format::Text => {
                for (step, ranks) in &looks {
                    let named = held_out.iter().zip(ranks).map(|(set, rank)| format!("{} {rank:.4}", set.name));
                    let named: Vec<String> = named.collect();
                    line(&format!("step {step}: mean reciprocal ranks {}", named.join(", ")))?;
                }
                line(&format!("{} numbers for {}: {}", adapter.parameters(), adapter.base(), adapter.sha256()))
            }
            Format::Json => json_line(&json!({
                "file": self.out, "base": adapter.base(), "rank": adapter.rank(), "sha256": adapter.sha256(),
                "parameters": adapter.parameters(), "note": adapter.note(),
                "held_out": looks,
            })),
        }
    }
}

/// The rules of an option: what names of sets begin with, and a number from 0 to `most` for them.
fn rules<'a>(option: &str, rules: &'a [String], most: f64) -> Result<Vec<(&'a str, f64)>, Failure> {
    let rule = |rule: &'a String| {
        let (start, number) = rule.split_once('=').unwrap_or((rule, ""));
        let number = number.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
        let range = if most < f64::MAX { format!("from 0 to {most}") } else { "of 0 or more".to_owned() };
        let wrong = || Failure::Usage(format!("{option} {rule}: expected the start of a name, = and a number {range}"));
        number.map(|number| (start, number)).ok_or_else(wrong)
    };
    rules.iter().map(rule).collect()
}

/// The sets whose names begin so.
fn named<'a>(sets: &'a mut [TrainingSet], start: &'a str) -> impl Iterator<Item = &'a mut TrainingSet> {
    sets.iter_mut().filter(move |set| set.name.starts_with(start))
}

/// What it was learned from.
fn note(sets: &[TrainingSet]) -> String {
    let pairs: usize = sets.iter().map(|set| set.pairs.len()).sum();
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    format!("{pairs} pairs of {}", names.join(", "))
}
