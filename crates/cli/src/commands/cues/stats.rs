//! `aforesaid cues stats`

use aforesaid::{
    store::CueStats,
    types::Scope,
    wire::{CueReport, CueVectorsAndSources, InNamespace},
};
use clap::Args;

use super::{count, memories, print_json, render, say};
use crate::{
    failure::Failure,
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
pub(super) struct Stats {}

impl Stats {
    pub(super) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let memory = settings.open_plain()?;
        let coverage = memory.cue_coverage(&settings.namespace, &Scope::default())?;
        let stats = memory.cue_stats(&settings.namespace)?;
        if settings.output == Output::Programs {
            let CueStats { vectors, sources, .. } = stats;
            let result = CueReport { coverage, stats: CueVectorsAndSources { vectors, sources } };
            return print_json(&InNamespace { namespace: &settings.namespace, result });
        }
        say!(
            "{} asked, {} with questions ({}), {} without cues{}",
            memories(coverage.asked),
            coverage.with_questions,
            count(coverage.questions, "question"),
            coverage.without_cues,
            match coverage.sensitive {
                0 => String::new(),
                sensitive => format!(", of which {sensitive} sensitive and never sent"),
            }
        )?;
        for (source, asked) in &stats.sources {
            say!("  {} by {}", memories(*asked), render::printable(source))?;
        }
        for (encoder, vectors) in &stats.vectors {
            say!("  {} by {encoder}", count(*vectors, "vector"))?;
        }
        Ok(())
    }
}
