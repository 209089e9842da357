//! `aforesaid import`

use std::path::{Path, PathBuf};

use aforesaid::{
    Creation, ErrorKind, Imported, Memory,
    formats::{self, Captions, Format, Parsed, Source},
    types::ConversationId,
    wire::{ImportReport, ImportedFile, InNamespace},
};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    failure::Failure,
    files::read_input,
    progress,
    render::{self, count, say},
    settings::{Output, Settings},
};

/// Reasons for skipping shown to people; a program gets all.
const SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files to import, each of at most 1 GiB; - reads standard input.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Format of the files: locomo, openai, openai-jsonl, chatgpt, claude or jsonl [default: detected from the content].
    #[arg(long)]
    format: Option<Format>,
    /// The conversation, where a file names none [default: the file's name].
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// Ignore image captions.
    #[arg(long)]
    no_captions: bool,
}

impl Import {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let [first, others @ ..] = self.files.as_slice() else { return Ok(()) };
        // Read before the store is made or a model is fetched: a bad file leaves nothing behind.
        let parsed = self.parse(first)?;
        let memory = settings.open(Creation::Allowed)?;
        let mut reports = Vec::new();
        let mut result = self.one(settings, &memory, first, parsed, &mut reports);
        for file in others {
            result = result
                .and_then(|()| self.parse(file))
                .and_then(|parsed| self.one(settings, &memory, file, parsed, &mut reports));
        }
        // What came before a bad file is in, so it is reported, and its index kept.
        if !reports.is_empty() {
            memory.prepare(&settings.namespace, &settings.pipeline)?;
            if settings.output == Output::Programs {
                print_json(&InNamespace { namespace: &settings.namespace, result: ImportReport::new(&reports) })?;
            }
        }
        result
    }

    fn parse(&self, file: &Path) -> Result<(Format, Parsed), Failure> {
        let name = file.to_string_lossy();
        let stem = file.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let source = Source {
            file: &name,
            stem: if file == Path::new("-") { "stdin" } else { &stem },
            conversation: self.conversation.clone(),
            captions: if self.no_captions { Captions::Drop } else { Captions::Keep },
        };
        let bytes = read(file)?;
        let format = match self.format {
            Some(format) => format,
            None => formats::detect(&bytes, &name).map_err(aforesaid::Error::from)?,
        };
        let parsed = formats::parse(format, &bytes, &source).map_err(aforesaid::Error::from)?;
        self.refuse_unheard(&name, &parsed)?;
        Ok((format, parsed))
    }

    /// Refuses a name for the conversation of a file that names all of its own.
    fn refuse_unheard(&self, file: &str, parsed: &Parsed) -> Result<(), Failure> {
        let Some(given) = &self.conversation else { return Ok(()) };
        if parsed.drafts.is_empty() || parsed.drafts.iter().any(|draft| draft.conversation() == Some(given)) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "--conversation {given}: nothing in file {file} takes it: turns there name their own conversations, and \
             notes need none; leave --conversation out"
        )))
    }

    fn one(
        &self,
        settings: &Settings,
        memory: &Memory,
        file: &Path,
        (format, parsed): (Format, Parsed),
        reports: &mut Vec<ImportedFile>,
    ) -> Result<(), Failure> {
        let bar = progress::passages(settings.output, "encoding");
        let imported = memory.import_parsed(&settings.namespace, format, parsed, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let imported = imported.map_err(|error| match error.kind() {
            // The file is at fault, so it is named; of a store that failed, the file says nothing.
            ErrorKind::InvalidInput => Failure::Importing { file: file.display().to_string(), source: Box::new(error) },
            _ => error.into(),
        })?;
        if settings.output == Output::People {
            describe(file, &imported)?;
        }
        reports.push(ImportedFile { file: file.to_string_lossy().into_owned(), imported });
        Ok(())
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    if file.is_dir() {
        let file = file.display();
        return Err(Failure::Input(format!(
            "file {file}: is a directory; name the files in it, such as {file}/*.json"
        )));
    }
    read_input(file).map_err(Failure::io(format!("file {}: could not be read; check the path", file.display())))
}

fn describe(file: &Path, imported: &Imported) -> Result<(), Failure> {
    render::warnings(&imported.warnings);
    say!(
        "{}: {}, {}; {} added, {} already there, {} skipped ({})",
        render::printable(&file.to_string_lossy()),
        count(imported.conversations, "conversation"),
        count(imported.sessions, "session"),
        imported.added,
        imported.unchanged,
        imported.skipped.len(),
        imported.format,
    )?;
    for skipped in imported.skipped.iter().take(SHOWN) {
        say!("  skipped {}", render::printable(&skipped.to_string()))?;
    }
    if imported.skipped.len() > SHOWN {
        say!("  ... and {} more (all with --json)", imported.skipped.len() - SHOWN)?;
    }
    Ok(())
}
