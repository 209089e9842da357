//! `aforesaid cues`

mod drop;
mod export;
mod import;
mod list;
mod prompt;
mod stats;
mod write;

use aforesaid::WrittenCues;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{confirm::confirm, print_json};
use crate::{
    failure::Failure,
    render::{self, count, memories, say},
    settings::Settings,
    unused::{Unused, no_search},
};

#[derive(Debug, Args)]
#[command(
    after_help = "A cue is a question that somebody might ask later and to which a turn or note is the answer. Searches go \
    by cues as soon as they are there. What is sensitive is never sent to a model."
)]
pub(crate) struct CuesCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Have a language model write cues for what has none.
    Write(write::Write),
    /// Write cues to a file, or requests for them as a batch file.
    Export(export::Export),
    /// Read cues from files, or the results of a batch.
    Import(import::Import),
    /// Print memories with their cues.
    List(list::List),
    /// Take cues away; the memories stay.
    Drop(drop::Drop),
    /// Say how much has cues, and where they come from.
    Stats(stats::Stats),
}

impl CuesCommand {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        match &self.action {
            Action::Write(command) => command.unused(),
            Action::Export(command) => command.unused(),
            Action::Import(command) => command.unused(),
            Action::List(_) | Action::Drop(_) | Action::Stats(_) => no_search(),
        }
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match &self.action {
            Action::Write(command) => command.run(settings),
            Action::Export(command) => command.run(settings),
            Action::Import(command) => command.run(settings),
            Action::List(command) => command.run(settings),
            Action::Drop(command) => command.run(settings),
            Action::Stats(command) => command.run(settings),
        }
    }
}

/// `3 memories got 7 questions; 2 were skipped: D1:2 (the reply is cut), ...`
fn written(written: &WrittenCues) -> String {
    let mut text = format!("{} got {}", memories(written.memories as u64), count(written.questions, "question"));
    let skipped = &written.skipped;
    if skipped.count > 0 {
        let first = skipped.first.iter().map(|memory| format!("{} ({})", memory.id, memory.why));
        let more = if skipped.count > skipped.first.len() { ", ..." } else { "" };
        let were = if skipped.count == 1 { "was" } else { "were" };
        text += &format!("; {} {were} skipped: {}{more}", skipped.count, first.collect::<Vec<_>>().join(", "));
    }
    text
}

/// Fields of a report for programs.
fn report(settings: &Settings, written: &WrittenCues) -> Value {
    json!({
        "namespace": settings.namespace,
        "memories": written.memories,
        "questions": written.questions,
        "skipped": written.skipped,
        "stopped": written.stopped.as_ref().map(ToString::to_string),
        "warnings": written.warnings,
    })
}

/// What stopped it, if something did.
fn conclude(written: WrittenCues) -> Result<(), Failure> {
    written.stopped.map_or(Ok(()), |reason| Err(Failure::Llm(reason)))
}
