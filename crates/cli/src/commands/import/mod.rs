//! `aforesaid import`

mod report;

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use aforesaid::{
    Completed, Creation, Error, ErrorKind, Memory,
    formats::{Captions, Format, Parsed, Source},
    sources::{self, FileKind, Found, Limits, SourceFile},
    store::OnConflict,
    types::{ConversationId, Draft},
    wire::{FailedFile, ImportReport, ImportedFile, InNamespace, LeftOut},
};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    failure::Failure,
    files::read_input,
    interruption::Interruption,
    progress,
    render::{self, aside, indented, printable},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "A zip archive is read as it was downloaded. Of a folder, its .json, .jsonl, .ndjson and .zip files and \
    chats of WhatsApp are read; a pattern may have *, ?, [...] and **. Each file has at most 1 GiB. A file that cannot be \
    read does not stop the others: then the exit code is 6."
)]
pub(crate) struct Import {
    /// Files, zip archives, folders or quoted patterns to import; - reads standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Format of the files: locomo, openai, openai-jsonl, chatgpt, claude, claude-projects, claude-code, codex, gemini-cli,
    /// slack, telegram, discord, whatsapp, subtitles, mbox, markdown or jsonl [default: detected from the content].
    #[arg(long)]
    format: Option<Format>,
    /// The conversation, where a file names none [default: the file's name].
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// Ignore image captions.
    #[arg(long)]
    no_captions: bool,
    /// What becomes of a message with another text than the one stored under its id: newest replaces and erases the
    /// stored one, and erases turns of branches that are not shown any more, keep leaves the new one out, fail stores
    /// nothing of the file [default: newest where ids are unique, as in exports, chats, mail and agents' logs, else fail].
    #[arg(long, value_name = "CHOICE")]
    on_conflict: Option<OnConflict>,
}

impl Import {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let mut run = Run::new(self, settings);
        // It ends early when Ctrl-C is pressed, and where going on makes no sense; `finish` tells.
        let _ = self.paths.iter().try_for_each(|path| run.path(path));
        run.finish()
    }
}

/// An import under way.
struct Run<'a> {
    options: &'a Import,
    settings: &'a Settings,
    /// Opened for the first file that can be read: a bad one leaves no store behind.
    memory: Option<Memory>,
    imported: Vec<ImportedFile>,
    /// The conversations of all files: many files may be of one.
    conversations: HashSet<ConversationId>,
    failed: Vec<(String, Failure)>,
    left: LeftOut,
    /// Warnings that were printed: what holds for many files is said once.
    said: HashSet<String>,
    /// What ended it early.
    fatal: Option<Failure>,
    interruption: Interruption,
}

impl<'a> Run<'a> {
    fn new(options: &'a Import, settings: &'a Settings) -> Self {
        let (imported, failed, left) = (Vec::new(), Vec::new(), LeftOut::default());
        let (conversations, interruption) = (HashSet::new(), Interruption::watch());
        let said = HashSet::new();
        Self { options, settings, memory: None, imported, conversations, failed, left, said, fatal: None, interruption }
    }

    fn path(&mut self, path: &Path) -> ControlFlow<()> {
        let limits = Limits::default();
        if path != Path::new("-") {
            return sources::visit(path, limits, &mut |found| self.found(found));
        }
        match read_input(path).map_err(Failure::io("standard input")) {
            Ok(bytes) => sources::visit_bytes("-", "stdin", bytes, limits, &mut |found| self.found(found)),
            Err(failure) => self.fail("-".to_owned(), failure),
        }
    }

    fn found(&mut self, found: Found) -> ControlFlow<()> {
        self.interruption.step()?;
        match found {
            Found::File(file) => match self.file(&file) {
                Ok(()) => ControlFlow::Continue(()),
                Err(Failed::File(failure)) => self.fail(file.name, failure),
                Err(Failed::Everything(failure)) => {
                    self.fatal = Some(failure);
                    ControlFlow::Break(())
                }
            },
            Found::Left { kind, .. } => self.leave(kind),
            Found::Failed { name, error } => self.fail(name, Error::from(error).into()),
        }
    }

    fn leave(&mut self, kind: FileKind) -> ControlFlow<()> {
        *self.left.entry(kind).or_default() += 1;
        ControlFlow::Continue(())
    }

    fn fail(&mut self, name: String, failure: Failure) -> ControlFlow<()> {
        self.failed.push((name, failure));
        ControlFlow::Continue(())
    }

    fn file(&mut self, file: &SourceFile) -> Result<(), Failed> {
        let working = progress::working(self.settings.output, &format!("reading {}", printable(&file.name)));
        let read = self.store(file);
        working.finish_and_clear();
        let Some(imported) = read? else { return Ok(()) };
        if self.settings.output == Output::People {
            let new = imported.imported.warnings.iter().filter(|warning| self.said.insert(warning.to_string()));
            render::warnings(&new.cloned().collect::<Vec<_>>());
            report::file(&imported).map_err(Failed::Everything)?;
        }
        self.imported.push(imported);
        Ok(())
    }

    /// Stores the texts of a file; they are found by their words from now on.
    fn store(&mut self, file: &SourceFile) -> Result<Option<ImportedFile>, Failed> {
        let source = Source {
            file: &file.name,
            stem: &file.stem,
            conversation: self.options.conversation.clone(),
            captions: if self.options.no_captions { Captions::Drop } else { Captions::Keep },
            zone: Some(&self.settings.clock.zone),
        };
        let read = sources::read(file, self.options.format, &source).map_err(Error::from)?;
        let Some((format, parsed)) = read else {
            let is_text = file.name.to_ascii_lowercase().ends_with(".txt");
            let _ = self.leave(if is_text { FileKind::Document } else { FileKind::OtherJson });
            return Ok(None);
        };
        self.refuse_unheard(&file.name, &parsed).map_err(Failed::File)?;
        let memory = match &self.memory {
            Some(memory) => memory,
            None => self.memory.insert(self.settings.open(Creation::Allowed).map_err(Failed::Everything)?),
        };
        let on_conflict = self.options.on_conflict.unwrap_or(format.on_conflict());
        let conversations: HashSet<_> = parsed.drafts.iter().filter_map(Draft::conversation).cloned().collect();
        let imported = memory.import_texts(&self.settings.namespace, format, parsed, on_conflict);
        let imported = imported.map_err(|error| match error.kind() {
            // The file is at fault, so it is named; of a store that failed, the file says nothing.
            ErrorKind::InvalidInput => {
                Failed::File(Failure::Importing { file: file.name.clone(), source: Box::new(error) })
            }
            _ => Failed::Everything(error.into()),
        })?;
        self.conversations.extend(conversations);
        Ok(Some(ImportedFile::new(file.name.clone(), imported)))
    }

    /// Refuses a name for the conversation of a file that names all of its own.
    fn refuse_unheard(&self, file: &str, parsed: &Parsed) -> Result<(), Failure> {
        let Some(given) = &self.options.conversation else { return Ok(()) };
        if parsed.drafts.is_empty() || parsed.drafts.iter().any(|draft| draft.conversation() == Some(given)) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "--conversation {given}: nothing in file {file} takes it: turns there name their own conversations, and \
             notes need none; leave --conversation out"
        )))
    }

    /// Makes the vectors that the namespace lacks, also those of an import before that was interrupted.
    fn complete(&self, memory: &Memory) -> Result<Completed, Failure> {
        let bar = progress::passages(self.settings.output, "making vectors");
        let completed = memory.complete_vectors(&self.settings.namespace, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            self.interruption.step()
        });
        bar.finish_and_clear();
        Ok(completed?)
    }

    /// Makes the vectors, reports what was done, and keeps the index of it, whatever came after.
    fn finish(mut self) -> Result<(), Failure> {
        let mut completed = None;
        if let Some(memory) = self.memory.take().filter(|_| !self.imported.is_empty()) {
            if self.fatal.is_none() && !self.interruption.is_asked_for() {
                let before = memory.without_vectors(&self.settings.namespace)?;
                completed = Some(match self.complete(&memory) {
                    Ok(completed) => completed,
                    Err(failure) => {
                        self.fatal = Some(failure);
                        let waiting = memory.without_vectors(&self.settings.namespace)?;
                        let made = usize::try_from(before.saturating_sub(waiting)).unwrap_or(usize::MAX);
                        Completed { made, waiting, reason: None }
                    }
                });
            }
            if self.interruption.is_asked_for() && self.fatal.is_none() {
                let waiting = match memory.without_vectors(&self.settings.namespace)? {
                    0 => String::new(),
                    number => format!(", and {} for vectors", report::waiting(number)),
                };
                self.fatal = Some(Failure::Interrupted { waiting });
            } else {
                memory.prepare(&self.settings.namespace, &self.settings.pipeline)?;
            }
        } else if self.interruption.is_asked_for() {
            self.fatal = Some(Failure::Interrupted { waiting: String::new() });
        }
        self.report(completed)?;
        let Run { imported, failed, fatal, .. } = self;
        match (fatal, failed.len()) {
            (Some(fatal), _) => Err(fatal),
            (None, 0) if imported.is_empty() => Err(Failure::Input(
                "found no conversations; expected an export, such as a conversations.json, in one of the paths; name it"
                    .to_owned(),
            )),
            (None, 0) => Ok(()),
            (None, count) if !imported.is_empty() => Err(Failure::SomeFiles { count, total: count + imported.len() }),
            // Nothing came in: the first failure says what to do.
            (None, _) => failed.into_iter().next().map_or(Ok(()), |(_, failure)| Err(failure)),
        }
    }

    fn report(&self, completed: Option<Completed>) -> Result<(), Failure> {
        let Run { settings, imported, conversations, failed, left, fatal, .. } = self;
        // The failure says it all.
        if imported.is_empty() && left.is_empty() && failed.len() + usize::from(fatal.is_some()) == 1 {
            return Ok(());
        }
        match settings.output {
            Output::Programs => {
                let failed: Vec<FailedFile> = failed
                    .iter()
                    .map(|(file, failure)| FailedFile { file: file.clone(), error: failure.as_json() })
                    .collect();
                let report = ImportReport::new(imported, &failed, left, completed);
                print_json(&InNamespace { namespace: &settings.namespace, result: report })
            }
            Output::People => {
                report::left_out(left)?;
                for (_, failure) in failed {
                    aside(format_args!("not imported: {}", indented(&failure.message())));
                }
                completed.map_or(Ok(()), |completed| report::vectors(&completed))?;
                report::total(imported, conversations.len())
            }
        }
    }
}

/// What a file's failure means for the others.
enum Failed {
    /// Nothing.
    File(Failure),
    /// They would fail too.
    Everything(Failure),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::File(error.into())
    }
}
