//! How cues are asked for, which a batch must be read as it was written.

use aforesaid::CueIndexing;
use aforesaid_llm::{CuePrompt, CueSettings};
use clap::Args;

use crate::unused::{ENCODER, PIPELINE, Unused, unused};

/// Whether a command asks a model, now or in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompted {
    Yes,
    No,
}

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(super) struct PromptArgs {
    /// What the prompt includes: contextual (preceding turns and the date) or isolated [default: contextual].
    #[arg(long)]
    prompt: Option<CuePrompt>,
    /// Questions per turn or note, from 1 to 10 [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=10))]
    questions: Option<u8>,
    /// Preceding turns in a contextual prompt, at most 16 [default: 6].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16))]
    before: Option<u8>,
}

impl PromptArgs {
    pub(super) fn settings(&self) -> CueSettings {
        let usual = CueSettings::default();
        CueSettings {
            prompt: self.prompt.unwrap_or(usual.prompt),
            questions: self.questions.map_or(usual.questions, usize::from),
            before: self.before.map_or(usual.before, usize::from),
            ..usual
        }
    }

    /// What is not used, if there is a prompt or not.
    pub(super) fn unused(&self, prompted: Prompted) -> Vec<Unused> {
        match (prompted, self.settings().prompt) {
            (Prompted::No, _) => vec![unused(&["prompt", "questions", "before"], "nothing is asked for; add --batch")],
            (Prompted::Yes, CuePrompt::Isolated) => {
                vec![unused(&["before"], "an isolated prompt shows no other turns")]
            }
            (Prompted::Yes, _) => Vec::new(),
        }
    }
}

/// Which vectors are made.
#[derive(Debug, Clone, Args)]
pub(super) struct VectorArgs {
    /// Make no vectors: cues are matched lexically only, until `aforesaid reembed`.
    #[arg(long, conflicts_with = "concat")]
    no_vectors: bool,
    /// Also encode each text together with its questions, for pipelines with dense(concat).
    #[arg(long)]
    concat: bool,
}

impl VectorArgs {
    /// What is not used where no vectors are made.
    pub(super) fn unused(&self) -> Vec<Unused> {
        match self.no_vectors {
            true => vec![
                unused(ENCODER, "--no-vectors makes none"),
                unused(PIPELINE, "--no-vectors leaves the index to the next search"),
            ],
            false => Vec::new(),
        }
    }

    pub(super) fn indexing(&self) -> CueIndexing {
        CueIndexing { questions: !self.no_vectors, passage: self.concat }
    }
}
