//! `aforesaid stats`

use clap::Args;
use serde_json::{Map, json};

use super::print_json;
use crate::{
    failure::Failure,
    render::{self, STRONG, count, say},
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
            all.push((namespace, stats));
        }
        if settings.output == Output::Programs {
            let namespaces: Map<_, _> = all.iter().map(|(name, stats)| (name.to_string(), json!(stats))).collect();
            return print_json(&json!({"store": memory.location(), "namespaces": namespaces}));
        }
        say!("store {}", memory.location())?;
        if all.is_empty() {
            say!("empty; `aforesaid import FILE` fills it")?;
        }
        for (namespace, stats) in &all {
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
        }
        Ok(())
    }
}
