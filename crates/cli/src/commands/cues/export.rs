//! `aforesaid cues export`

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use aforesaid::Memory;
use aforesaid_llm::BatchWriter;
use clap::{Args, ValueHint};
use serde_json::json;

use super::{
    count, memories, print_json,
    prompt::{PromptArgs, Prompted},
    render, say,
};
use crate::{
    failure::Failure,
    files::write_as_it_comes,
    llm::LlmArgs,
    scope::ScopeArgs,
    settings::{Output, Settings},
    unused::{LLM, LLM_SERVER, Unused, no_search, unused},
};

#[derive(Debug, Args)]
#[command(
    after_help = "A cue file has one object a line, {\"conversation\", \"id\", \"q\": [questions], \"model\", \"prompt\"}; \
    `aforesaid cues import` reads it. A batch file has one request a line; send it to a service with the OpenAI Batch \
    API, and import its results with `aforesaid cues import --batch` and the same options."
)]
pub(super) struct Export {
    /// File to write; - writes to standard output.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Write requests for memories without cues, as a file for a batch service.
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
        let memory = settings.open_plain()?;
        let written =
            self.put(|out| Ok(memory.export_cues(&settings.namespace, &self.scope.scope(settings)?, out)?))?;
        self.tell(
            settings,
            json!({"namespace": settings.namespace, "exported": written}),
            format!("cues of {} written", memories(written)),
        )
    }

    fn requests(&self, settings: &Settings) -> Result<(), Failure> {
        let model = self.llm.model(settings)?;
        let memory = settings.open_plain()?;
        let (requests, asked) = self.put(|out| self.batch(settings, &memory, model, out))?;
        self.tell(
            settings,
            json!({"namespace": settings.namespace, "requests": requests, "memories": asked}),
            format!("{} for {} written", count(requests, "request"), memories(asked)),
        )
    }

    /// Writes the requests of memories without cues; says how many there are, and of how many memories: the same text
    /// is asked about once.
    fn batch(
        &self,
        settings: &Settings,
        memory: &Memory,
        model: String,
        out: &mut dyn Write,
    ) -> Result<(usize, u64), Failure> {
        let (mut batch, mut asked) = (BatchWriter::new(model, out), 0);
        let (scope, prompt) = (self.scope.scope(settings)?, self.prompt.settings());
        memory.visit_cue_requests(&settings.namespace, &scope, &prompt, &mut |request| {
            if request.cued {
                return Ok(());
            }
            asked += 1;
            batch.add(&request.request).map_err(Failure::Llm)
        })?;
        Ok((batch.finish().map_err(Failure::Llm)?, asked))
    }

    fn to_stdout(&self) -> bool {
        self.file == Path::new("-")
    }

    fn put<T>(&self, write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>) -> Result<T, Failure> {
        if !self.to_stdout() {
            return write_as_it_comes(&self.file, write);
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        let written = write(&mut out)?;
        out.flush().map(|()| written).map_err(Failure::io("standard output"))
    }

    fn tell(&self, settings: &Settings, report: serde_json::Value, words: String) -> Result<(), Failure> {
        match settings.output {
            _ if self.to_stdout() => Ok(()),
            Output::Programs => print_json(&report),
            Output::People => say!("{words} to {}", render::printable(&self.file.to_string_lossy())),
        }
    }
}
