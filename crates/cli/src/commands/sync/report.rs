//! The summary of a run, for people.

use std::collections::BTreeMap;

use aforesaid::{
    sync::{ProjectReport, SyncReport},
    types::Namespace,
};

use super::CompletedIn;
use crate::{
    failure::Failure,
    local_time,
    quoted::quoted,
    render::{NAME, QUIET, STRONG, aside, count, printable, say},
    settings::Settings,
};

/// Projects and kinds that are shown; a program gets all.
const SHOWN: usize = 12;

/// Prints what a run did.
pub(super) fn print(report: &SyncReport, vectors: &[CompletedIn], settings: &Settings) -> Result<(), Failure> {
    print_what_came(report, vectors, settings)?;
    if !report.questions.is_empty() {
        say!("")?;
        say!("{STRONG}Ask:{STRONG:#}")?;
    }
    for question in &report.questions {
        let (namespace, text) = (quoted(question.namespace.as_str()), quoted(&question.text));
        say!("  aforesaid search -n {} {}", printable(&namespace), printable(&text))?;
    }
    Ok(())
}

/// Prints what came, and what was left out; not what could be asked.
pub(super) fn print_what_came(
    report: &SyncReport,
    vectors: &[CompletedIn],
    settings: &Settings,
) -> Result<(), Failure> {
    let SyncReport { projects, .. } = report;
    let added: u64 = projects.values().map(|project| project.added).sum();
    let sessions: u64 = projects.values().map(|project| project.sessions).sum();
    match projects.is_empty() {
        true => say!("nothing new in {}", count(report.logs, "log"))?,
        false => say!(
            "{STRONG}{} of {} in {}{STRONG:#}, from {} ({} with something new)",
            count(added, "turn"),
            count(sessions, "session"),
            count(projects.len(), "project"),
            count(report.logs, "log"),
            report.read,
        )?,
    }
    let mut sorted: Vec<(&Namespace, &ProjectReport)> = projects.iter().collect();
    sorted.sort_by_key(|(_, project)| std::cmp::Reverse(project.added));
    for (namespace, project) in sorted.iter().take(SHOWN) {
        let agents: Vec<&str> = project.agents.iter().map(|agent| agent.name()).collect();
        say!(
            "  {NAME}{}{NAME:#}  {}, {}{}  {QUIET}{}{}{QUIET:#}",
            printable(namespace.as_str()),
            count(project.sessions, "session"),
            count(project.added, "turn"),
            changed(project),
            span(project, settings),
            agents.join(", "),
        )?;
    }
    if sorted.len() > SHOWN {
        say!("  ... and {} (all with --json)", count(sorted.len() - SHOWN, "other project"))?;
    }
    counts("cut out", &report.cut)?;
    for (agent, left_out) in &report.left_out {
        if !left_out.unknown.is_empty() {
            // The format may have moved: this is worth a word each time.
            let first = report.unknown_in.get(agent).map(|path| format!("; the first in {}", path.display()));
            aside(format_args!(
                "note: in logs of {agent}, lines that this version does not know: {}{}",
                listed(&left_out.unknown),
                printable(&first.unwrap_or_default()),
            ));
        }
    }
    let plain = [
        (report.too_old, "turn said before --since"),
        (report.repeated, "turn of another log that a resumed session repeats"),
        (report.forgotten, "turn that was forgotten, and is not stored again"),
        (report.too_long, "turn longer than one may be"),
        (report.denied, "log of a project that is not read"),
        (report.without_folder, "log that names no folder, in a namespace named after its agent"),
        (report.anew, "log that was replaced, and read anew"),
    ];
    for (number, what) in plain.into_iter().filter(|(number, _)| *number > 0) {
        say!("left out or noted: {number} × {what}")?;
    }
    for dropped in &report.dropped {
        let until = dropped.until.map(|at| format!(", said until {}", local_time::shown(at))).unwrap_or_default();
        say!(
            "dropped to keep {} within its bound: {} of {}{until}",
            printable(dropped.namespace.as_str()),
            count(dropped.turns, "turn"),
            count(dropped.sessions, "session"),
        )?;
    }
    for failed in &report.failed {
        let path = printable(&failed.path.to_string_lossy());
        aside(format_args!("not read: {path} ({}): {}", failed.agent, printable(&failed.error)));
    }
    let made: usize = vectors.iter().map(|each| each.completed.made).sum();
    let waiting: u64 = vectors.iter().map(|each| each.completed.waiting).sum();
    if made > 0 {
        say!("{} made", count(made, "vector"))?;
    }
    if waiting > 0 {
        say!("{} without vectors; `aforesaid reembed` makes them", count(waiting, "turn"))?;
    }
    Ok(())
}

fn changed(project: &ProjectReport) -> String {
    let parts = [(project.replaced, "updated"), (project.removed, "taken back")];
    parts.into_iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!(", {number} {what}")).collect()
}

fn span(project: &ProjectReport, settings: &Settings) -> String {
    match (project.first, project.last) {
        (Some(first), Some(last)) => {
            let (first, last) =
                (local_time::date(&settings.clock.zone, first), local_time::date(&settings.clock.zone, last));
            if first == last { format!("{first}, ") } else { format!("{first} to {last}, ") }
        }
        _ => String::new(),
    }
}

fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let shown: Vec<String> =
        sorted.iter().take(SHOWN).map(|(kind, count)| format!("{count} {}", printable(kind))).collect();
    shown.join(", ")
}

fn counts(what: &str, counts: &BTreeMap<String, u64>) -> Result<(), Failure> {
    if counts.is_empty() {
        return Ok(());
    }
    let total: u64 = counts.values().sum();
    say!("{what}: {} ({})", count(total, "secret"), listed(counts))
}
