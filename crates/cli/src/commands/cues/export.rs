//! `aforesaid cues export`

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use aforesaid::{Memory, visible::escaped_json};
use aforesaid_llm::Batch;
use clap::{Args, ValueHint};
use serde_json::json;

use super::{
    count, memories, print_json,
    prompt::{PromptArgs, Prompted},
    render, say,
};
use crate::{
    args::ScopeArgs,
    failure::Failure,
    files::write_whole,
    llm::LlmArgs,
    settings::{Output, Settings},
    unused::{LLM, LLM_SERVER, Unused, no_search, unused},
};

#[derive(Debug, Args)]
#[command(
    after_help = "A cue file has an object a line, {\"conversation\", \"id\", \"q\": [questions], \"model\", \"prompt\"}; \
    `aforesaid cues import` reads it back. A batch file has a line a request; send it to a service with the OpenAI Batch \
    API, and read its results with `aforesaid cues import --batch` and the same options."
)]
pub(super) struct Export {
    /// File to write; - writes to standard output.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Write the requests for what has no cues, as a file for a batch service.
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Export {
    pub(super) fn unused(&self) -> Vec<Unused> {
        let (prompted, llm) = match self.batch {
            true => (
                Prompted::Yes,
                vec![
                    unused(LLM_SERVER, "requests are written, and none is sent"),
                    unused(&["llm_cache"], "requests are written whatever answers are kept"),
                ],
            ),
            false => (Prompted::No, vec![unused(LLM, "no language model is asked; add --batch")]),
        };
        [self.prompt.unused(prompted), llm, no_search()].concat()
    }

    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        match self.batch {
            true => self.requests(settings),
            false => self.cues(settings),
        }
    }

    fn cues(&self, settings: &Settings) -> Result<(), Failure> {
        let mut lines = Vec::new();
        let written = settings.open_plain()?.export_cues(&settings.namespace, &self.scope.scope(), &mut lines)?;
        self.put(&lines)?;
        self.tell(
            settings,
            json!({"namespace": settings.namespace, "exported": written}),
            format!("cues of {} written", memories(written)),
        )
    }

    fn requests(&self, settings: &Settings) -> Result<(), Failure> {
        let model = self.llm.model(settings)?;
        let (batch, asked) = self.batch(settings, &settings.open_plain()?, model)?;
        let mut lines = Vec::new();
        batch.write(&mut lines).map_err(Failure::Llm)?;
        let lines = String::from_utf8_lossy(&lines);
        self.put(escaped_json(&lines).as_bytes())?;
        self.tell(
            settings,
            json!({"namespace": settings.namespace, "requests": batch.len(), "memories": asked}),
            format!("{} for {} written", count(batch.len(), "request"), memories(asked)),
        )
    }

    /// The requests of memories without cues, and how many memories these are: the same text is asked about once.
    fn batch(&self, settings: &Settings, memory: &Memory, model: String) -> Result<(Batch, u64), Failure> {
        let requests = memory.cue_requests(&settings.namespace, &self.scope.scope(), &self.prompt.settings())?;
        let uncued: Vec<_> = requests.into_iter().filter(|asked| !asked.cued).map(|asked| asked.request).collect();
        let asked = uncued.len() as u64;
        Ok((Batch::new(model, uncued), asked))
    }

    fn to_stdout(&self) -> bool {
        self.file == Path::new("-")
    }

    fn put(&self, lines: &[u8]) -> Result<(), Failure> {
        match self.to_stdout() {
            true => std::io::stdout().lock().write_all(lines).map_err(Failure::io("standard output")),
            false => write_whole(&self.file, lines),
        }
    }

    fn tell(&self, settings: &Settings, report: serde_json::Value, words: String) -> Result<(), Failure> {
        match settings.output {
            _ if self.to_stdout() => Ok(()),
            Output::Programs => print_json(&report),
            Output::People => say!("{words} to {}", render::printable(&self.file.to_string_lossy())),
        }
    }
}
