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

use super::{confirm::confirm, print_json};
use crate::{
    failure::Failure,
    render::{self, count, memories, say},
    settings::Settings,
    unused::{Unused, no_search},
};

#[derive(Debug, Args)]
#[command(
    after_help = "A cue is a question that a turn or note answers, written when it is stored or later (document expansion, as in \
    doc2query). Searches match cues too. Sensitive memories are never sent to a model."
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
    /// Delete cues; the memories stay.
    Drop(drop::Drop),
    /// Show how many memories have cues, and their sources.
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

/// What stopped it, if something did.
fn conclude(written: WrittenCues) -> Result<(), Failure> {
    written.stopped.map_or(Ok(()), |reason| Err(Failure::Llm(reason)))
}
