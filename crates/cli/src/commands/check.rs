//! `aforesaid check`

mod places;

use std::path::PathBuf;

use aforesaid::{
    Memory,
    store::{CheckDepth, Finding, Gravity},
    wire::CheckReport,
};
use clap::{Args, ValueHint};

use super::print_json;
use crate::{
    damaged::beyond_salvage,
    failure::Failure,
    progress, remedies,
    render::{self, STRONG, count, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "The check changes nothing. Exit code 0: no damage, maybe notes; 1: something was lost or changed.\n\
    The quick check covers pages, counters and relations; --full adds every index entry, row, checksum, vector and \
    snapshot."
)]
pub(crate) struct Check {
    /// Check everything; it takes as long as reading the whole store a few times.
    #[arg(long)]
    full: bool,
    /// The directory of cached responses of a language model, to check its permissions.
    #[arg(long, env = "AFORESAID_LLM_CACHE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    llm_cache: Option<PathBuf>,
}

impl Check {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let depth = if self.full { CheckDepth::Full } else { CheckDepth::Quick };
        let memory = Memory::builder().inspect(&settings.store).map_err(|error| beyond_salvage(error.into()))?;
        let bar = progress::bar(settings.output, "checking", "{spinner} checking {msg} ({elapsed})");
        let findings = memory.check(depth, &mut |step| bar.set_message(step.to_owned()));
        bar.finish_and_clear();
        let mut findings = findings.map_err(|error| beyond_salvage(error.into()))?;
        findings.extend(places::findings(settings, self.llm_cache.as_deref()));
        let damaged = findings.iter().filter(|finding| finding.gravity == Gravity::Damage).count();
        match settings.output {
            Output::Programs => print_json(&CheckReport::new(memory.location(), depth, &findings))?,
            Output::People => print(&findings, depth)?,
        }
        match damaged {
            0 => Ok(()),
            _ => Err(Failure::Damage { store: memory.location(), findings: damaged }),
        }
    }
}

fn print(findings: &[Finding], depth: CheckDepth) -> Result<(), Failure> {
    for finding in findings {
        let what = match finding.gravity {
            Gravity::Damage => "damage",
            Gravity::Note => "note",
        };
        let Finding { subject, found, expected, next, .. } = finding;
        say!(
            "{STRONG}{what}{STRONG:#}: {}",
            render::printable(&format!(
                "{subject}: {found}; expected {expected}; {next}{}",
                remedies::of_finding(next)
            ))
        )?;
    }
    let notes = findings.iter().filter(|finding| finding.gravity == Gravity::Note).count();
    let more = if depth == CheckDepth::Quick { "; `aforesaid check --full` looks at every row" } else { "" };
    match findings.len() - notes {
        0 if notes == 0 => say!("all is well{more}"),
        0 => say!("no damage, {}{more}", count(notes, "note")),
        _ => Ok(()),
    }
}
