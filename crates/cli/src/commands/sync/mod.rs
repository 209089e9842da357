//! `aforesaid sync`

mod report;
mod watch;

use std::{num::NonZeroU64, path::PathBuf};

use aforesaid::{
    Completed, Creation, Memory, Pipeline,
    formats::agents::{Agent, ToolTurns},
    sync::{Cursors, FailedLog, Log, StoredElsewhere, SyncOptions, SyncReport, discover},
    types::UnknownChoice,
};
use clap::{Args, ValueHint};
use serde::Serialize;

use super::{confirm::confirm_all, print_json};
use crate::{
    agent_places::AgentPlaces,
    failure::Failure,
    interruption::Interruption,
    local_time, progress,
    quoted::quoted,
    remembering,
    render::{aside, count, printable, say},
    settings::{Output, Settings},
    sync_setup,
    unused::{Unused, unused},
};

#[derive(Debug, Args)]
#[command(
    after_help = "Without --namespace, each project's turns go to its own namespace, the one that `aforesaid mcp` serves. \
    Only what is new is read. Secrets are cut out."
)]
pub(crate) struct Sync {
    /// Only the logs of this agent: claude-code, codex, gemini-cli, opencode or cursor; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Vec<Agent>,
    /// Only what was said at or after this time: 2024-03-09, or words such as "last month".
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only projects that match: a namespace or a folder, with * for what may differ; may be repeated.
    #[arg(long, value_name = "PROJECT")]
    allow: Vec<String>,
    /// No projects that match; may be repeated.
    #[arg(long, value_name = "PROJECT")]
    deny: Vec<String>,
    /// What becomes of tool calls: off, short (one line each, and the error of one that failed) or full [default: short].
    #[arg(long, value_name = "CHOICE", value_parser = tools)]
    tools: Option<ToolTurns>,
    /// Keep at most so many turns of a project; the oldest sessions beyond are forgotten.
    #[arg(long, value_name = "TURNS")]
    max_turns: Option<NonZeroU64>,
    /// Go on reading what is new as agents write it, until Ctrl-C.
    #[arg(long, conflicts_with = "forget")]
    watch: bool,
    /// Forget what came from an agent (by name) or from one log (by path), instead of reading; it is not read again.
    #[arg(long, value_name = "SOURCE", value_hint = ValueHint::FilePath, conflicts_with_all = ["agent", "since", "allow", "deny", "tools", "max_turns"])]
    forget: Option<String>,
    /// Do not ask before forgetting.
    #[arg(long, short, requires = "forget")]
    yes: bool,
}

fn agent(word: &str) -> Result<Agent, String> {
    word.parse().map_err(|error: UnknownChoice| error.to_string())
}

fn tools(word: &str) -> Result<ToolTurns, String> {
    word.parse().map_err(|error: UnknownChoice| error.to_string())
}

/// What a run did, as programs read it.
#[derive(Debug, Serialize)]
struct Synced<'a> {
    #[serde(flatten)]
    report: &'a SyncReport,
    /// What became of the vectors of each project.
    vectors: Vec<CompletedIn>,
}

#[derive(Debug, Serialize)]
struct CompletedIn {
    namespace: String,
    #[serde(flatten)]
    completed: Completed,
}

impl Sync {
    pub(crate) fn unused(&self) -> Vec<Unused> {
        match self.forget {
            Some(_) => super::super::unused::no_search(),
            None => vec![unused(&["pipeline"], "this command ranks nothing")],
        }
    }

    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        if let Some(source) = &self.forget {
            return self.forget(source, settings);
        }
        let no_home = || Failure::Usage("no home directory: nothing says where agents keep their logs".to_owned());
        let roots = AgentPlaces::of_user().ok_or_else(no_home)?.logs();
        let agents = if self.agent.is_empty() { Agent::ALL.to_vec() } else { self.agent.clone() };
        if self.watch {
            return watch::run(&roots, &agents, self.options(settings)?, settings);
        }
        let options = self.options(settings)?;
        let (logs, failed) = discover(&roots, &agents);
        if logs.is_empty() && failed.is_empty() {
            return match settings.output {
                Output::Programs => print_json(&Synced { report: &SyncReport::default(), vectors: Vec::new() }),
                Output::People => {
                    let names: Vec<&str> = agents.iter().map(|agent| agent.name()).collect();
                    say!("no logs of {} on this machine", names.join(", "))
                }
            };
        }
        let reader = Reader {
            memory: settings.open(Creation::Allowed)?,
            cursors: sync_setup::cursors(settings)?,
            options,
            interruption: Interruption::watch(),
            settings,
        };
        let (report, vectors) = reader.read(&logs, failed)?;
        match settings.output {
            Output::Programs => print_json(&Synced { report: &report, vectors })?,
            Output::People => report::print(&report, &vectors, settings)?,
        }
        match reader.interruption.is_asked_for() {
            true => Err(Failure::Interrupted { waiting: String::new() }),
            false => Ok(()),
        }
    }

    fn options(&self, settings: &Settings) -> Result<SyncOptions, Failure> {
        let since =
            self.since.as_deref().map(|text| local_time::beginning("--since", text, &settings.clock)).transpose()?;
        let rules = sync_setup::rules(settings, &self.allow, &self.deny)?;
        let options = sync_setup::options(settings, rules, since)?;
        Ok(SyncOptions {
            tools: self.tools.unwrap_or(options.tools),
            most_turns: self.max_turns.map(NonZeroU64::get).or(options.most_turns),
            ..options
        })
    }

    fn forget(&self, source: &str, settings: &Settings) -> Result<(), Failure> {
        let cursors = sync_setup::cursors(settings)?;
        let memory = settings.open_plain()?;
        let path = std::path::absolute(source).unwrap_or_else(|_| PathBuf::from(source));
        let named: Option<Agent> = source.parse().ok();
        let is_meant = |agent: Agent, log: &std::path::Path| named == Some(agent) || named.is_none() && log == path;
        let logs = memory.synced_logs(&cursors).map_err(sync_setup::failure)?;
        let meant = logs.iter().filter(|(agent, log)| is_meant(*agent, log)).count();
        if meant == 0 {
            return Err(Failure::Input(format!(
                "{source}: no log of it was read into this store; expected the name of an agent, such as claude-code, or the path \
                 of a log"
            )));
        }
        let doomed = format!("what came from {}", count(meant, "log"));
        if !self.yes && !confirm_all("forget", &doomed)? {
            aside(format_args!("nothing was forgotten"));
            return Ok(());
        }
        let lock = cursors
            .lock(|| aside(format_args!("another sync is at work; waiting for it")))
            .map_err(sync_setup::failure)?;
        let forgotten = memory.forget_synced(&cursors, &lock, is_meant).map_err(sync_setup::failure)?;
        let adapters = remembering::told(&memory, settings);
        match settings.output {
            Output::Programs => {
                let mut report = serde_json::json!({"forgotten": forgotten});
                report["forgotten"]["logs"] = meant.into();
                let adapters = adapters?;
                if !adapters.is_empty() {
                    report["adapters"] = serde_json::json!(adapters);
                }
                print_json(&report)
            }
            Output::People => {
                say!("gone: {} of {}", count(forgotten.turns, "turn"), count(meant, "log"))?;
                for StoredElsewhere { namespace, conversation } in &forgotten.elsewhere {
                    let (namespace, conversation) = (quoted(namespace.as_str()), quoted(conversation.as_str()));
                    say!(
                        "turns that it repeats are in another session still; they are forgotten with: aforesaid forget -n {} \
                         --conversation {}",
                        printable(&namespace),
                        printable(&conversation),
                    )?;
                }
                adapters.map(|_| ())
            }
        }
    }
}

/// What reads logs into a store.
struct Reader<'s> {
    memory: Memory,
    cursors: Cursors,
    options: SyncOptions,
    interruption: Interruption,
    settings: &'s Settings,
}

impl Reader<'_> {
    /// Reads what is new in some logs, and makes vectors of it.
    fn read(&self, logs: &[Log], failed: Vec<FailedLog>) -> Result<(SyncReport, Vec<CompletedIn>), Failure> {
        let waiting = || aside(format_args!("another sync is at work; waiting for it"));
        let lock = self.cursors.lock(waiting).map_err(sync_setup::failure)?;
        let bar = progress::bar(self.settings.output, "reading logs", "{msg} [{bar:30}] {pos}/{len}");
        let read = self.memory.sync(logs, &self.cursors, &lock, &self.options, &mut |progress| {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            self.interruption.step()
        });
        bar.finish_and_clear();
        drop(lock);
        let mut report = read.map_err(sync_setup::failure)?;
        report.failed.splice(0..0, failed);
        let vectors = self.complete(&report)?;
        Ok((report, vectors))
    }

    /// Makes the vectors of the projects that something came to, and keeps the index of each.
    fn complete(&self, report: &SyncReport) -> Result<Vec<CompletedIn>, Failure> {
        let Self { memory, interruption, settings, .. } = self;
        let mut all = Vec::new();
        for namespace in report.projects.keys() {
            if interruption.is_asked_for() {
                break;
            }
            let bar = progress::passages(settings.output, "making vectors");
            let completed = memory.complete_vectors(namespace, &mut |progress| {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.done as u64);
                interruption.step()
            });
            bar.finish_and_clear();
            all.push(CompletedIn { namespace: namespace.to_string(), completed: completed? });
            memory.prepare(namespace, &settings.pipeline)?;
            // Hooks search lexically.
            memory.prepare(namespace, &Pipeline::lexical())?;
        }
        Ok(all)
    }
}
