//! `aforesaid cues write`

use aforesaid::{
    Creation, CueWriting,
    wire::{Costed, InNamespace},
};
use clap::Args;

use super::{
    conclude, print_json,
    prompt::{PromptArgs, Prompted, VectorArgs},
    render, say, written,
};
use crate::{
    failure::Failure,
    llm::LlmArgs,
    progress,
    scope::ScopeArgs,
    settings::{Output, Settings},
    unused::Unused,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Responses are stored as they arrive. An interrupted run, also one stopped by a limit, resumes when it is run again, \
    and retries what was skipped."
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
            true => settings.open(Creation::Forbidden)?,
            false => settings.open_plain()?,
        };
        let writing = CueWriting { settings: self.prompt.settings(), concurrency: model.concurrency, indexing };
        let bar = progress::bar(
            settings.output,
            "writing cues",
            "{msg} [{bar:30}] {pos}/{len} memories, {per_sec}, {eta} left",
        );
        let done = memory.write_cues(
            &settings.namespace,
            &self.scope.scope(settings)?,
            &model.chat,
            &writing,
            &mut |progress| {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.done as u64);
                bar.set_message(model.budget.spent().to_string());
            },
        );
        bar.finish_and_clear();
        let (done, spent) = (done?, model.budget.spent());
        if done.memories > 0 && indexing.questions {
            memory.prepare(&settings.namespace, &settings.pipeline)?;
        }
        match settings.output {
            Output::Programs => {
                let result = Costed { result: &done, spent };
                print_json(&InNamespace { namespace: &settings.namespace, result })?;
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
