//! `aforesaid cues list`

use aforesaid::CuedMemory;
use clap::Args;
use serde_json::json;

use super::{memories, print_json, render, say};
use crate::{
    args::ScopeArgs,
    failure::Failure,
    render::QUIET,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    scope: ScopeArgs,
}

impl List {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (memory, scope) = (settings.open_plain()?, self.scope.scope());
        // A name that was mistyped is told from a scope without cues.
        let coverage = memory.cue_coverage(&settings.namespace, &scope)?;
        let mut cued = Vec::new();
        memory.visit_cues(&settings.namespace, &scope, &mut |memory| {
            if memory.cues.is_some() {
                cued.push(memory);
            }
        })?;
        if settings.output == Output::Programs {
            let list: Vec<_> = cued
                .iter()
                .map(|CuedMemory { memory, cues }| {
                    json!({"conversation": memory.conversation, "id": memory.id, "text": memory.text, "cues": cues})
                })
                .collect();
            return print_json(
                &json!({"namespace": settings.namespace, "memories": list, "without_cues": coverage.without_cues}),
            );
        }
        for CuedMemory { memory, cues } in &cued {
            render::memory(memory, render::STRONG)?;
            let questions = cues.iter().flat_map(|cues| &cues.questions);
            let asked = questions.clone().count();
            questions.into_iter().try_for_each(|question| say!("   {}", render::printable(question)))?;
            if asked == 0 {
                say!("   {QUIET}nothing to ask{QUIET:#}")?;
            }
        }
        match coverage.without_cues {
            0 => Ok(()),
            without => say!("{} without cues; `aforesaid cues write` writes them", memories(without)),
        }
    }
}
