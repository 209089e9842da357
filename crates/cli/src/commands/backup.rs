//! `aforesaid backup`

use std::path::PathBuf;

use aforesaid::{store::Existing, sync::Cursors, wire::BackupReport};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    failure::Failure,
    interruption::Interruption,
    progress,
    render::{self, count, memories, say},
    settings::{Output, Settings},
    sync_setup,
};

#[derive(Debug, Args)]
#[command(
    after_help = "The backup is a consistent snapshot; other processes may read and write meanwhile. The file appears once it is complete, \
    checked and on disk, and only its owner can read it. It has nothing that was deleted before, and keeps what is deleted \
    later. How far the logs of agents were read is copied to the folder FILE.sync beside it.\n\
    To restore, use the file as the store (--store FILE), or replace the store with it while no process uses the store: \
    remove the old store with its -wal and -shm files first."
)]
pub(crate) struct Backup {
    /// File to write.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Replace an existing file, once the new copy is complete.
    #[arg(long)]
    replace: bool,
}

impl Backup {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let existing = if self.replace { Existing::Replaced } else { Existing::Kept };
        let memory = settings.open_plain()?;
        let bar = progress::bar(settings.output, "backing up", "{spinner} backing up: {msg} ({elapsed})");
        let interruption = Interruption::watch_and(|| ());
        let mut step = |step: &str| bar.set_message(step.to_owned());
        let backed_up = memory.back_up(&self.file, existing, &mut step, interruption.flag());
        bar.finish_and_clear();
        let file = self.file.display().to_string();
        let backed_up = match backed_up {
            Err(_) if interruption.is_asked_for() => return Err(Failure::Stopped { file, next: "back up again" }),
            backed_up => backed_up?,
        };
        // Without them, a `sync` into the backup would read again what was forgotten of the logs.
        let cursors = sync_setup::cursors(settings)?;
        let copies = Cursors::beside(&self.file);
        cursors.copy_to(&copies, &memory.namespaces()?, Existing::Replaced).map_err(sync_setup::failure)?;
        match settings.output {
            Output::Programs => print_json(&BackupReport { backed_up, store: memory.location(), file }),
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
