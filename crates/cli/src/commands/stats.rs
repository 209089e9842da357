//! `aforesaid stats`

use aforesaid::store::{CueStats, NamespaceStats};
use clap::Args;
use serde_json::{Map, json};

use super::print_json;
use crate::{
    failure::Failure,
    render::{self, STRONG, count, erasure, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(after_help = "Without --namespace it lists all.")]
pub(crate) struct Stats {}

impl Stats {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let namespaces = match &settings.named_namespace {
            Some(namespace) => vec![namespace.clone()],
            None => memory.namespaces()?,
        };
        let mut all = Vec::new();
        for namespace in namespaces {
            let stats = memory.stats(&namespace)?;
            let cues = memory.cue_stats(&namespace)?;
            all.push((namespace, stats, cues));
        }
        if settings.output == Output::Programs {
            let of_one = |stats: &NamespaceStats, cues: &CueStats| {
                let mut stats = json!(stats);
                if let (Some(fields), 1..) = (stats.as_object_mut(), cues.memories) {
                    fields.insert("cues".to_owned(), json!(cues));
                }
                stats
            };
            let namespaces: Map<_, _> =
                all.iter().map(|(name, stats, cues)| (name.to_string(), of_one(stats, cues))).collect();
            return print_json(&json!({
                "store": memory.location(),
                "erasure": memory.erasure()?,
                "namespaces": namespaces,
            }));
        }
        say!("store {}", render::printable(&memory.location()))?;
        if all.is_empty() {
            say!("empty; `aforesaid import FILE` fills it")?;
        }
        for (namespace, stats, cues) in &all {
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
                let serves = stats.serving.as_ref().is_some_and(|serving| serving.as_str() == encoder);
                let serves = if serves { "; searches go by them" } else { "" };
                say!("  {} by {encoder}{serves}", count(*vectors, "vector"))?;
            }
            if stats.staged > 0 {
                say!(
                    "  {} of an unfinished import; the same import goes on from there, and `aforesaid forget` deletes them",
                    count(stats.staged, "vector")
                )?;
            }
            if cues.memories > 0 {
                say!("  {} of {}", count(cues.questions, "cue question"), render::memories(cues.memories))?;
            }
        }
        erasure(memory.erasure()?);
        Ok(())
    }
}
