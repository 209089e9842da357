//! `aforesaid check`

use aforesaid::{
    Memory,
    store::{CheckDepth, Finding, Gravity},
};
use clap::Args;
use serde_json::json;

use super::print_json;
use crate::{
    failure::Failure,
    progress,
    render::{self, STRONG, count, say},
    settings::{Output, Settings},
};

#[derive(Debug, Args)]
#[command(
    after_help = "Nothing is changed. Exit code 0: no damage, whatever else is worth a note; 1: something was lost or changed.\n\
    Without --full it looks at pages, counters and what belongs together; with it, at every index entry, row, checksum, \
    vector and snapshot too."
)]
pub(crate) struct Check {
    /// Look at everything; it takes as long as reading the whole store a few times.
    #[arg(long)]
    full: bool,
}

impl Check {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        let depth = if self.full { CheckDepth::Full } else { CheckDepth::Quick };
        let memory = Memory::inspect(&settings.store)?;
        let bar = progress::bar(settings.output, "checking", "{spinner} checking {msg} ({elapsed})");
        let findings = memory.check(depth, &mut |step| bar.set_message(step.to_owned()));
        bar.finish_and_clear();
        let findings = findings?;
        let damaged = findings.iter().filter(|finding| finding.gravity == Gravity::Damage).count();
        match settings.output {
            Output::Programs => print_json(&json!({
                "store": memory.location(),
                "depth": depth,
                "damaged": damaged > 0,
                "findings": findings,
            }))?,
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
            render::printable(&format!("{subject}: {found}; expected {expected}; {next}"))
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
