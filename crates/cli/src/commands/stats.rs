//! `aforesaid stats`

use aforesaid::{types::Namespace, wire::NamespaceReport};
use clap::Args;

use super::print_json;
use crate::{
    failure::Failure,
    render::{self, STRONG, count, erasure, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "Without --namespace it shows all namespaces.")]
pub(crate) struct Stats {}

impl Stats {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let namespaces = match &settings.named_namespace {
            Some(namespace) => vec![namespace.clone()],
            None => memory.namespaces()?,
        };
        let stats = memory.store_stats(namespaces)?;
        if settings.output == Output::Programs {
            return print_json(&stats);
        }
        say!("store {}", render::printable(&stats.store))?;
        if stats.namespaces.is_empty() {
            say!("empty; `aforesaid import FILE` fills it")?;
        }
        for (namespace, report) in &stats.namespaces {
            describe(namespace, report)?;
        }
        erasure(stats.erasure);
        Ok(())
    }
}

fn describe(namespace: &Namespace, report: &NamespaceReport) -> Result<(), Failure> {
    let stats = &report.stats;
    say!(
        "{STRONG}{}{STRONG:#}: {}, {}, {}, {}",
        render::printable(namespace.as_str()),
        count(stats.conversations, "conversation"),
        count(stats.sessions, "session"),
        count(stats.turns, "turn"),
        count(stats.notes, "note")
    )?;
    if let (Some(first), Some(last)) = (stats.first, stats.last) {
        say!("  from {} to {}", render::when(Some(first)), render::when(Some(last)))?;
    }
    for (encoder, vectors) in &stats.vectors {
        let serves = stats.active_encoder.as_ref().is_some_and(|active| active.as_str() == encoder);
        let serves = if serves { "; searches go by them" } else { "" };
        say!("  {} by {encoder}{serves}", count(*vectors, "vector"))?;
    }
    if let Some(model) = report.better_model {
        say!("  {model} finds more in conversations; `aforesaid reembed --model {model}` makes its vectors")?;
    }
    match (report.without_vectors, &stats.active_encoder) {
        (0, _) => {}
        (missing, Some(_)) => say!(
            "  {} without a vector, found by words only; `aforesaid reembed` or an import makes them",
            render::memories(missing)
        )?,
        (_, None) => say!("  no vectors, found by words only; `aforesaid reembed` makes them")?,
    }
    if stats.staged > 0 {
        say!(
            "  {} of an unfinished import; the same import goes on from there, and `aforesaid forget` deletes them",
            count(stats.staged, "vector")
        )?;
    }
    if let Some(cues) = &report.cues {
        say!("  {} of {}", count(cues.questions, "cue question"), render::memories(cues.memories))?;
    }
    Ok(())
}
