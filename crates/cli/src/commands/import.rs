//! `aforesaid import`

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use aforesaid::{
    Creation, Imported, Memory,
    formats::{Captions, Format, Source},
    types::ConversationId,
};
use clap::{Args, ValueHint};
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    opening::Effort,
    progress, render,
    settings::{Output, Settings},
};

/// Reasons for skipping shown to people; a program gets all.
const SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files to read; - reads standard input.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Format of the files: locomo, openai, openai-jsonl, chatgpt, claude or jsonl [default: by their content].
    #[arg(long)]
    format: Option<Format>,
    /// Name of the conversation, where a file gives none [default: the file's name].
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// Leave image captions out.
    #[arg(long)]
    no_captions: bool,
}

impl Import {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        // Read and checked before the store is made or a model is fetched.
        let first = self.files.first().map(|file| read(file)).transpose()?;
        let memory = settings.open(Creation::Allowed, Effort::Fetch)?;
        let mut first = first;
        let mut reports = Vec::new();
        for file in &self.files {
            let bytes = first.take().map_or_else(|| read(file), Ok)?;
            let imported = self.one(settings, &memory, file, &bytes)?;
            if settings.output == Output::People {
                describe(file, &imported);
            }
            reports.push((file, imported));
        }
        memory.prepare(&settings.namespace, &settings.preset)?;
        if settings.output == Output::Programs {
            let files: Vec<_> = reports.iter().map(|(file, imported)| report(file, imported)).collect();
            let sum = |count: fn(&Imported) -> usize| reports.iter().map(|(_, i)| count(i)).sum::<usize>();
            print_json(&json!({
                "namespace": settings.namespace,
                "added": sum(|i| i.added),
                "unchanged": sum(|i| i.unchanged),
                "skipped": sum(|i| i.skipped.len()),
                "files": files,
            }))?;
        }
        Ok(())
    }

    fn one(&self, settings: &Settings, memory: &Memory, file: &Path, bytes: &[u8]) -> Result<Imported, Failure> {
        let name = file.to_string_lossy();
        let stem = file.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let source = Source {
            file: &name,
            stem: if file == Path::new("-") { "stdin" } else { &stem },
            conversation: self.conversation.clone(),
            captions: if self.no_captions { Captions::Drop } else { Captions::Keep },
        };
        let bar = progress::passages(settings.output, &format!("reading {}", render::printable(&name)));
        let imported = memory.import(&settings.namespace, self.format, bytes, &source, &mut |progress| {
            bar.set_message("encoding");
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        Ok(imported?)
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes),
        false => std::fs::read(file),
    };
    read.map_err(Failure::io(format!("file {}: could not be read; check the path", file.display())))
}

fn describe(file: &Path, imported: &Imported) {
    render::warnings(&imported.warnings);
    anstream::println!(
        "{}: {} conversations, {} sessions; {} added, {} already there, {} skipped ({})",
        render::printable(&file.to_string_lossy()),
        imported.conversations,
        imported.sessions,
        imported.added,
        imported.unchanged,
        imported.skipped.len(),
        imported.format,
    );
    for skipped in imported.skipped.iter().take(SHOWN) {
        anstream::println!("  skipped {}", render::printable(&skipped.to_string()));
    }
    if imported.skipped.len() > SHOWN {
        anstream::println!("  ... and {} more (all with --json)", imported.skipped.len() - SHOWN);
    }
}

fn report(file: &Path, imported: &Imported) -> serde_json::Value {
    let skipped: Vec<_> =
        imported.skipped.iter().map(|skipped| json!({"at": skipped.at, "why": skipped.why.to_string()})).collect();
    json!({
        "file": file.to_string_lossy(),
        "format": imported.format.to_string(),
        "conversations": imported.conversations,
        "sessions": imported.sessions,
        "added": imported.added,
        "unchanged": imported.unchanged,
        "skipped": skipped,
        "warnings": imported.warnings,
    })
}
