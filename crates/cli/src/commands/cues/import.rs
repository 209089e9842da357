//! `aforesaid cues import`

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use aforesaid::{
    AddedCues, Creation, CueFile, CueWriting, Memory, read_cue_file,
    types::{ConversationId, CueSource, MemoryId, Scope},
    wire::{BatchCues, InNamespace},
};
use aforesaid_llm::{Batch, BatchReport, LineOutcome, ResponseCache};
use clap::{Args, ValueHint};

use super::{
    conclude, count, memories, print_json,
    prompt::{PromptArgs, Prompted, VectorArgs},
    render, say, written,
};
use crate::{
    failure::Failure,
    files::read_input,
    llm::LlmArgs,
    progress,
    render::aside,
    settings::{Output, Settings},
    unused::{LLM, LLM_SERVER, Unused, unused},
};

/// Ids and lines shown to people; a program gets all ids.
const SHOWN: usize = 5;

/// Model and prompt of cues that say nothing of them.
const UNKNOWN: &str = "unknown";

#[derive(Debug, Args)]
#[command(
    after_help = "A cue file has one object a line: {\"id\": \"D1:3\", \"q\": [\"Who has the kite?\"]}, and optionally \
    \"conversation\", \"model\" and \"prompt\". A file named after a conversation is about that conversation. All files are \
    checked before anything is stored. Imported cues replace those a memory has."
)]
pub(super) struct Import {
    /// Files to read.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// The conversation of lines that name none; with --batch, only this one.
    #[arg(long, short)]
    conversation: Option<ConversationId>,
    /// The model that wrote the questions, where a line does not name one [default: unknown].
    #[arg(long, value_name = "NAME", conflicts_with = "batch")]
    model_name: Option<String>,
    /// The files are batch results; give the options of the export again.
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    vectors: VectorArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Import {
    pub(super) fn unused(&self) -> Vec<Unused> {
        let (prompted, llm) = match self.batch {
            true => (Prompted::Yes, unused(LLM_SERVER, "a batch service has answered, and no other server is asked")),
            false => (Prompted::No, unused(LLM, "no language model has answered these; add --batch")),
        };
        [self.prompt.unused(prompted), vec![llm], self.vectors.unused()].concat()
    }

    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match self.batch {
            true => self.results(settings),
            false => self.cues(settings),
        }
    }

    fn open(&self, settings: &Settings) -> Result<Memory, Failure> {
        match self.vectors.indexing().questions {
            true => settings.open(Creation::Forbidden),
            false => settings.open_plain(),
        }
    }

    fn scope(&self) -> Scope {
        Scope { conversation: self.conversation.clone(), ..Scope::default() }
    }

    fn cues(&self, settings: &Settings) -> Result<(), Failure> {
        // Without an encoder first: a bad file fetches no model.
        let memory = settings.open_plain()?;
        if self.conversation.is_some() {
            memory.cue_coverage(&settings.namespace, &self.scope())?;
        }
        let mut lines = Vec::new();
        for file in &self.files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let conversation = match &self.conversation {
                Some(given) => Some(given.clone()),
                None => memory.conversation_named(&settings.namespace, &stem)?,
            };
            let model = self.model_name.clone().unwrap_or_else(|| UNKNOWN.to_owned());
            let source = CueSource { model, prompt: UNKNOWN.to_owned() };
            let name = file.display().to_string();
            lines.extend(read_cue_file(&read(file)?, &CueFile { name: &name, conversation, source })?);
        }
        let memory = self.open(settings)?;
        let bar = progress::bar(settings.output, "encoding", "{msg} [{bar:30}] {pos}/{len} memories, {eta} left");
        let added = memory.import_cues(&settings.namespace, &lines, self.vectors.indexing(), &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let added = added?;
        self.prepare(settings, &memory, added.added)?;
        match settings.output {
            Output::Programs => print_json(&InNamespace { namespace: &settings.namespace, result: added }),
            Output::People => describe(&added),
        }
    }

    fn results(&self, settings: &Settings) -> Result<(), Failure> {
        let model = self.llm.model(settings)?;
        let contents: Vec<Vec<u8>> = self.files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
        let memory = settings.open_plain()?;
        let asked = self.prompt.settings();
        let requests = memory.cue_requests(&settings.namespace, &self.scope(), &asked)?;
        let batch = Batch::new(&model, requests.into_iter().map(|asked| asked.request));
        // Answers hold what was said: a folder for this user alone, which goes when this is done.
        let folder = tempfile::tempdir().map_err(Failure::io("a temporary folder could not be made"))?;
        let cache = match self.llm.sealed_cache(settings)? {
            Some(cache) => cache,
            None => ResponseCache::open(folder.path()).map_err(Failure::Llm)?,
        };
        let mut reports = Vec::new();
        for (file, content) in self.files.iter().zip(&contents) {
            let report = batch.read(&content[..], &cache).map_err(Failure::Llm)?;
            check(file, &report)?;
            reports.push(report);
        }
        let memory = self.open(settings)?;
        let writing =
            CueWriting { settings: asked, concurrency: std::num::NonZeroUsize::MIN, indexing: self.vectors.indexing() };
        let bar = progress::bar(settings.output, "encoding", "{msg} [{bar:30}] {pos}/{len} memories, {eta} left");
        let taken = memory.take_cues(&settings.namespace, &self.scope(), (&model, &cache), &writing, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
        });
        bar.finish_and_clear();
        let taken = taken?;
        self.prepare(settings, &memory, taken.written.memories)?;
        match settings.output {
            Output::Programs => {
                let result = BatchCues { taken: &taken, lines: counts(&reports) };
                print_json(&InNamespace { namespace: &settings.namespace, result })?;
            }
            Output::People => {
                render::warnings(&taken.written.warnings);
                self.files.iter().zip(&reports).for_each(|(file, report)| complain(file, report));
                let left = match taken.unanswered {
                    0 => String::new(),
                    left => {
                        format!(", {left} without an answer yet; `aforesaid cues export --batch` asks for the rest")
                    }
                };
                say!("{}; {} unchanged{left}", written(&taken.written), taken.unchanged)?;
            }
        }
        conclude(taken.written)
    }

    fn prepare(&self, settings: &Settings, memory: &Memory, new: usize) -> Result<(), Failure> {
        match new > 0 && self.vectors.indexing().questions {
            true => Ok(memory.prepare(&settings.namespace, &settings.pipeline)?),
            false => Ok(()),
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let failed = Failure::io(format!("file {}: could not be read; check the path", file.display()));
    read_input(file).map_err(failed)
}

fn describe(added: &AddedCues) -> Result<(), Failure> {
    render::warnings(&added.warnings);
    if !added.unknown.is_empty() {
        let first: Vec<&str> = added.unknown.iter().take(SHOWN).map(MemoryId::as_str).collect();
        let more = if added.unknown.len() > SHOWN { ", ..." } else { "" };
        let ids = render::printable(&first.join(", "));
        aside(format_args!("note: {} that nothing here has: {ids}{more}", count(added.unknown.len(), "id")));
    }
    say!("{} got cues, {} unchanged, {} unknown", memories(added.added as u64), added.unchanged, added.unknown.len())
}

/// Refuses a file of which no line is about a request of these.
fn check(file: &Path, report: &BatchReport) -> Result<(), Failure> {
    let of_these = |outcome: &LineOutcome| !matches!(outcome, LineOutcome::Unknown | LineOutcome::Unreadable(_));
    if report.lines.is_empty() || report.lines.iter().any(|line| of_these(&line.outcome)) {
        return Ok(());
    }
    let file = file.display();
    Err(Failure::Input(match report.counts().contains_key("unknown") {
        true => format!(
            "file {file}: found no custom_id that is a request's of these memories; give the --llm-model, --prompt, \
             --questions, --before and namespace of the export"
        ),
        false => format!(
            "file {file}: found no line of batch results, expected {{\"custom_id\": ..., \"response\": ...}}; leave \
             --batch out for a file of cues"
        ),
    }))
}

/// Lines by what became of them, of all files.
fn counts(reports: &[BatchReport]) -> BTreeMap<&'static str, usize> {
    reports.iter().flat_map(BatchReport::counts).fold(BTreeMap::new(), |mut all, (kind, count)| {
        *all.entry(kind).or_default() += count;
        all
    })
}

/// Names the first lines that gave no answer, without what stands in them.
fn complain(file: &Path, report: &BatchReport) {
    let file = file.display().to_string();
    let bad = report.lines.iter().filter(|line| line.outcome != LineOutcome::Stored);
    for line in bad.clone().take(SHOWN) {
        aside(format_args!("note: {}, line {}: {}", render::printable(&file), line.line, line.outcome.kind()));
    }
    let more = bad.count().saturating_sub(SHOWN);
    if more > 0 {
        aside(format_args!("note: {}: {more} more such lines", render::printable(&file)));
    }
}
