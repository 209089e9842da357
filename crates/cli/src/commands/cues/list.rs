//! `aforesaid cues list`

use std::io::{BufWriter, Write};

use aforesaid::{CuedMemory, Memory, types::Scope, visible::escaped_json};
use clap::Args;
use serde_json::json;

use super::{memories, render, say};
use crate::{
    failure::Failure,
    render::QUIET,
    scope::ScopeArgs,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    scope: ScopeArgs,
}

impl List {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let (memory, scope) = (settings.open_plain()?, self.scope.scope(settings)?);
        // A name that was mistyped is told from a scope without cues.
        let coverage = memory.cue_coverage(&settings.namespace, &scope)?;
        if settings.output == Output::Programs {
            return print(settings, &memory, &scope, coverage.without_cues);
        }
        memory.try_visit_cues(&settings.namespace, &scope, &mut |CuedMemory { memory, cues }| {
            let Some(cues) = cues else { return Ok(()) };
            render::memory(&memory, render::STRONG)?;
            cues.questions.iter().try_for_each(|question| say!("   {}", render::printable(question)))?;
            match cues.questions.is_empty() {
                true => say!("   {QUIET}nothing to ask{QUIET:#}"),
                false => Ok(()),
            }
        })?;
        match coverage.without_cues {
            0 => Ok(()),
            without => say!("{} without cues; `aforesaid cues write` writes them", memories(without)),
        }
    }
}

/// Prints one object whose list is written as it is read.
fn print(settings: &Settings, memory: &Memory, scope: &Scope, without: u64) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let failed = Failure::io("standard output");
    let mut separator = "";
    let mut put = |piece: String| write!(out, "{piece}").map_err(Failure::io("standard output"));
    let namespace = json!(settings.namespace).to_string();
    put(format!("{{\"namespace\":{},\"memories\":[", escaped_json(&namespace)))?;
    memory.try_visit_cues(&settings.namespace, scope, &mut |CuedMemory { memory, cues }| {
        if cues.is_none() {
            return Ok(());
        }
        let cued = json!({"conversation": memory.conversation, "id": memory.id, "text": memory.text, "cues": cues});
        put(format!("{}{}", std::mem::replace(&mut separator, ","), escaped_json(&cued.to_string())))
    })?;
    put(format!("],\"without_cues\":{without}}}\n"))?;
    out.flush().map_err(failed)
}
