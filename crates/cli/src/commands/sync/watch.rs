//! `aforesaid sync --watch`

use std::time::{Duration, Instant};

use aforesaid::{
    Creation,
    formats::agents::Agent,
    sync::{LogChanges, LogRoots, LogWatch, SyncOptions, SyncReport, discover},
};
use serde::Serialize;

use super::{CompletedIn, Reader, Synced, report};
use crate::{
    commands::print_json,
    failure::Failure,
    interruption::Interruption,
    local_time,
    render::{aside, count, say},
    settings::{Output, Settings},
    sync_setup,
};

/// What all rounds did, as programs read it.
#[derive(Debug, Default, Serialize)]
struct Watched {
    rounds: u64,
    added: u64,
    replaced: u64,
    removed: u64,
    cut: u64,
    seconds: u64,
}

#[derive(Debug, Serialize)]
struct Summary {
    watched: Watched,
}

/// Reads all logs, and then what is new whenever something changes, until Ctrl-C.
pub(super) fn run(
    roots: &LogRoots,
    agents: &[Agent],
    options: SyncOptions,
    settings: &Settings,
) -> Result<(), Failure> {
    let cursors = sync_setup::cursors(settings)?;
    let Some(_only) = cursors.try_watch_lock().map_err(sync_setup::failure)? else {
        return Err(Failure::Input(
            "another `aforesaid sync --watch` works on this store; let it go on, or end it first".to_owned(),
        ));
    };
    // Before the first round: what changes meanwhile is read in the second.
    let mut watch = LogWatch::begin(roots, agents).map_err(sync_setup::failure)?;
    let stop = watch.stop();
    let interruption = Interruption::watch_and(move || stop.stop());
    let reader = Reader { memory: settings.open(Creation::Allowed)?, cursors, options, interruption, settings };
    let begun = Instant::now();
    let mut watched = Watched::default();
    let mut changes = Some(LogChanges::everything());
    while let Some(changed) = changes {
        let took = round(&reader, roots, agents, &changed, &mut watched)?;
        if reader.interruption.is_asked_for() {
            break;
        }
        changes = watch.wait(took).map_err(sync_setup::failure)?;
    }
    watched.seconds = begun.elapsed().as_secs();
    match settings.output {
        Output::Programs => print_json(&Summary { watched }),
        Output::People => say!(
            "watched: {} added, {} updated, {} taken back, {} cut out, in {}",
            count(watched.added, "turn"),
            watched.replaced,
            watched.removed,
            count(watched.cut, "secret"),
            count(watched.rounds, "round"),
        ),
    }
}

/// Reads what has changed; says how long that took.
fn round(
    reader: &Reader<'_>,
    roots: &LogRoots,
    agents: &[Agent],
    changed: &LogChanges,
    watched: &mut Watched,
) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let (mut logs, failed) = discover(roots, &changed.agents(agents));
    logs.retain(|log| changed.concern(log));
    let (report, vectors) = reader.read(&logs, failed)?;
    let took = begun.elapsed();
    let is_first = watched.rounds == 0;
    if is_first || report.read > 0 || !report.failed.is_empty() {
        watched.add(&report);
        print(&report, vectors, is_first, reader.settings)?;
    }
    Ok(took)
}

fn print(report: &SyncReport, vectors: Vec<CompletedIn>, is_first: bool, settings: &Settings) -> Result<(), Failure> {
    match settings.output {
        Output::Programs => print_json(&Synced { report, vectors }),
        Output::People if is_first => {
            report::print(report, &vectors, settings)?;
            aside(format_args!("watching; Ctrl-C ends it"));
            Ok(())
        }
        // Of a log that grew by what is no turn nobody needs to know.
        Output::People if report.projects.is_empty() && report.failed.is_empty() => Ok(()),
        Output::People => {
            say!("{}", local_time::shown(local_time::now()?))?;
            report::print_what_came(report, &vectors, settings)
        }
    }
}

impl Watched {
    fn add(&mut self, report: &SyncReport) {
        self.rounds += 1;
        for project in report.projects.values() {
            self.added += project.added;
            self.replaced += project.replaced;
            self.removed += project.removed;
        }
        self.cut += report.cut.values().sum::<u64>();
    }
}
