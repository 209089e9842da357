//! `aforesaid backup`

use std::path::PathBuf;

use aforesaid::store::Existing;
use clap::{Args, ValueHint};
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    progress,
    render::{self, count, memories, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "The copy is of one moment; others may go on reading and writing. It gets its name once it is whole, checked \
    and on the disk, and is for its owner alone. What was forgotten before is not in it; what is forgotten later stays in \
    it.\n\
    To restore, use the file as the store (--store FILE), or put it in the store's place while nothing uses that: remove \
    the old store with its -wal and -shm files first."
)]
pub(crate) struct Backup {
    /// File to write.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Replace the file if it is there, once the new copy is whole.
    #[arg(long)]
    replace: bool,
}

impl Backup {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let existing = if self.replace { Existing::Replaced } else { Existing::Kept };
        let memory = settings.open_plain()?;
        let bar = progress::bar(settings.output, "backing up", "{spinner} backing up: {msg} ({elapsed})");
        let backed_up = memory.back_up(&self.file, existing, &mut |step| bar.set_message(step.to_owned()));
        bar.finish_and_clear();
        let backed_up = backed_up?;
        let file = self.file.display().to_string();
        match settings.output {
            Output::Programs => {
                let mut report = json!(backed_up);
                report["store"] = json!(memory.location());
                report["file"] = json!(file);
                print_json(&report)
            }
            Output::People => say!(
                "{} of {} in {}, {} bytes; checked",
                memories(backed_up.memories),
                count(backed_up.namespaces, "namespace"),
                render::printable(&file),
                backed_up.bytes
            ),
        }
    }
}
