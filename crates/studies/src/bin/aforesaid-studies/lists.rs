//! Writes the lists that a reranker is learned from, for a program that learns elsewhere.

use std::{num::NonZeroUsize, path::PathBuf};

use aforesaid::{
    Pipeline,
    rerank::{CrossEncoderReranker, PairForm},
};
use aforesaid_eval::{datasets::DataSet, experiments::Step};
use aforesaid_studies::Asked;
use clap::{Args, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    machine::Machine,
    output::{Format, bar, json_line, json_lines, line, write_file},
    reranker::HELD_OUT,
    shippable::Shippable,
};

#[derive(Debug, Args)]
pub(crate) struct Lists {
    /// The file to write: JSON lines, a question each.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    shippable: Shippable,
    /// Labelled questions of these data sets instead of what a shipped model may be learned from. They are marked as held out.
    #[arg(long, value_delimiter = ',')]
    dataset: Vec<DataSet>,
    /// Histories that are marked as held out.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = HELD_OUT
    )]
    hold_out: Vec<String>,
    /// Every question; otherwise some of each kind and history, as `learn` takes them.
    #[arg(long)]
    all: bool,
    /// The first stage.
    #[arg(long, default_value = "hybrid")]
    pipeline: Pipeline,
    /// How pairs are written: turn, dialogue or excerpt.
    #[arg(long, default_value_t = PairForm::Dialogue)]
    form: PairForm,
    /// Candidates of a question.
    #[arg(long, value_name = "N", default_value_t = CrossEncoderReranker::DEPTH)]
    depth: NonZeroUsize,
}

impl Lists {
    pub(crate) fn run(&self, machine: &Machine) -> Result<(), Failure> {
        let folder = self.shippable.folder(machine)?;
        let equipment = machine.equipment(None)?;
        let Self { ref pipeline, form, depth, ref hold_out, all, .. } = *self;
        let asked = Asked { pipeline, form, depth, hold_out, all };
        let format = machine.format();
        let bar = bar(format, "searching", "{msg} [{bar:30}] {pos}/{len}, {eta} left");
        let observe = |step: Step| {
            bar.set_length(step.total as u64);
            bar.set_position(step.done as u64);
        };
        let mut lists = Vec::new();
        if self.dataset.is_empty() {
            lists = asked.shippable(self.shippable.beside(&folder), &equipment, &observe)?;
        }
        for dataset in &self.dataset {
            lists.extend(asked.labelled(*dataset, &folder, &equipment, &observe)?);
        }
        bar.finish_and_clear();
        write_file(&self.out, &json_lines(&lists)?)?;
        let taught = lists.iter().filter(|found| found.list.teaches() && !found.held_out).count();
        let held_out = lists.iter().filter(|found| found.held_out).count();
        match format {
            Format::Text => line(&format!(
                "{} questions in {}: {taught} teach, {held_out} are held out",
                lists.len(),
                self.out.display()
            )),
            Format::Json => {
                json_line(&json!({ "file": self.out, "questions": lists.len(), "teach": taught, "held_out": held_out }))
            }
        }
    }
}
