//! `aforesaid cues write`

use aforesaid::{Creation, CueWriting};
use aforesaid_llm::Spent;
use clap::Args;
use serde_json::json;

use super::{
    conclude, print_json,
    prompt::{PromptArgs, Prompted, VectorArgs},
    render, report, say, written,
};
use crate::{
    args::ScopeArgs,
    failure::Failure,
    llm::LlmArgs,
    opening::Effort,
    progress,
    settings::{Output, Settings},
    unused::Unused,
};

#[derive(Debug, Args)]
#[command(
    after_help = "What is answered is kept at once. It may be stopped at any time, by a limit too: run again, it goes on \
    where it was, and asks again about what was skipped."
)]
pub(super) struct Write {
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    vectors: VectorArgs,
    #[command(flatten)]
    llm: LlmArgs,
}

impl Write {
    pub(super) fn unused(&self) -> Vec<Unused> {
        [self.prompt.unused(Prompted::Yes), self.vectors.unused()].concat()
    }

    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let model = self.llm.connect(settings)?;
        let indexing = self.vectors.indexing();
        let memory = match indexing.questions {
            true => settings.open(&settings.namespace, Creation::Forbidden, Effort::Fetch)?,
            false => settings.open_plain()?,
        };
        let writing = CueWriting { settings: self.prompt.settings(), concurrency: model.concurrency, indexing };
        let bar = progress::bar(
            settings.output,
            "writing cues",
            "{msg} [{bar:30}] {pos}/{len} memories, {per_sec}, {eta} left",
        );
        let done =
            memory.write_cues(&settings.namespace, &self.scope.scope(), &model.chat, &writing, &mut |progress| {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.done as u64);
                bar.set_message(model.budget.spent().to_string());
            });
        bar.finish_and_clear();
        let (done, spent) = (done?, model.budget.spent());
        if done.memories > 0 && indexing.questions {
            memory.prepare(&settings.namespace, &settings.preset)?;
        }
        match settings.output {
            Output::Programs => {
                let mut report = report(settings, &done);
                report["spent"] = cost(&spent);
                print_json(&report)?;
            }
            Output::People => {
                render::warnings(&done.warnings);
                match done.memories + done.skipped.count {
                    0 if done.stopped.is_none() => say!("nothing to do: all that may be sent has cues")?,
                    _ => say!("{}; {spent}", written(&done))?,
                }
            }
        }
        conclude(done)
    }
}

fn cost(spent: &Spent) -> serde_json::Value {
    json!({
        "requests": spent.requests,
        "estimated": spent.estimated,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "money": spent.money,
    })
}
