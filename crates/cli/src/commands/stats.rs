//! `aforesaid stats`

use aforesaid::types::Namespace;
use clap::Args;
use serde_json::{Map, json};

use super::print_json;
use crate::{
    failure::Failure,
    render::{self, STRONG},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only this namespace [default: all].
    only: Option<Namespace>,
}

impl Stats {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let namespaces = match &self.only {
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
        anstream::println!("store {}", memory.location());
        if all.is_empty() {
            anstream::println!("empty; `aforesaid import FILE` fills it");
        }
        for (namespace, stats) in &all {
            anstream::println!(
                "{STRONG}{}{STRONG:#}: {} conversations, {} sessions, {} turns, {} notes",
                render::printable(namespace.as_str()),
                stats.conversations,
                stats.sessions,
                stats.turns,
                stats.notes
            );
            if let (Some(first), Some(last)) = (stats.first, stats.last) {
                anstream::println!("  from {} to {}", render::when(Some(first)), render::when(Some(last)));
            }
            for (encoder, count) in &stats.vectors {
                anstream::println!("  {count} vectors by {encoder}");
            }
        }
        Ok(())
    }
}
