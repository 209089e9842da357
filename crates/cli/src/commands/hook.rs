//! `aforesaid hook`

mod ending;

use std::{
    borrow::Cow,
    env,
    ffi::OsString,
    io::{self, Read},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use aforesaid::{
    Creation, ErrorKind, Memory, Pipeline, RecallOptions, Reranking,
    formats::agents::Agent,
    is_postgres_url,
    project::Project,
    rerank::Reranker,
    resolve::Network,
    sync::{Cursors, OlderTurns, Queue, QueuedEvent, SyncOptions, agent_of, discover},
    types::{ConversationId, Query, Zone},
};
use aforesaid_mcp::json_kind;
use clap::Args;
use serde_json::Value;

use super::print_json;
use crate::{
    agent_places::AgentPlaces,
    agent_settings::{HookContext, HookSearch},
    failure::Failure,
    files::MOST_TEXT,
    render::{aside, indented},
    rerank::Choice,
    settings::Settings,
    sync_setup,
};

pub(crate) use ending::{always_well, is_called};

/// Characters of a prompt that are searched for.
const PROMPT_CHARS: usize = 2_000;

#[derive(Debug, Args)]
#[command(
    after_help = "An agent runs it and hands it a JSON object on standard input. What goes wrong is said on standard error, and \
    the exit code is 0: agents take others for a refusal of what they are about to do."
)]
pub(crate) struct Hook {
    /// The event: SessionStart, UserPromptSubmit, PreCompact, Stop, SubagentStop, PostToolUse or SessionEnd. `flush` works the queue
    /// off.
    event: String,
}

/// What an agent says of an event; other fields are of no use here.
#[derive(Debug, Default)]
struct Event {
    session_id: Option<String>,
    transcript_path: Option<PathBuf>,
    cwd: Option<PathBuf>,
    prompt: Option<String>,
    source: Option<String>,
}

impl Hook {
    pub(crate) fn run(&self, settings: &Settings) -> Result<(), Failure> {
        if self.event == "flush" {
            return flush(settings);
        }
        let known =
            ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd", "SubagentStop", "PostToolUse"];
        if !known.contains(&self.event.as_str()) {
            return Err(Failure::Usage(format!(
                "event {:?}: expected one of {}, or flush",
                self.event,
                known.join(", ")
            )));
        }
        if let Err(failure) = self.answer(settings) {
            aside(format_args!("aforesaid hook: {}", indented(&failure.message())));
        }
        Ok(())
    }

    fn answer(&self, settings: &Settings) -> Result<(), Failure> {
        let mut input = Vec::new();
        io::stdin().lock().take(MOST_TEXT).read_to_end(&mut input).map_err(Failure::io("standard input"))?;
        let event = Event::read(&input)?;
        if let Some(transcript) = event.transcript_path.clone().filter(|path| !path.as_os_str().is_empty()) {
            enqueue(&self.event, transcript, settings)?;
        }
        match self.event.as_str() {
            "SessionStart" | "UserPromptSubmit" => self.hand_over(&event, settings),
            _ => Ok(()),
        }
    }

    /// Prints what the agent is handed, if there is something.
    fn hand_over(&self, event: &Event, settings: &Settings) -> Result<(), Failure> {
        let mode = settings.agents.context;
        let is_served = is_postgres_url(&settings.store);
        // Whether a server has a store is seen when it is opened: it is not waited for twice.
        if mode == HookContext::Off || !is_served && !Memory::exists(&settings.store) {
            return Ok(());
        }
        let Some(context) = context(&self.event, event, settings)? else { return Ok(()) };
        let context = match mode {
            HookContext::Ask => {
                "aforesaid has memories of earlier sessions that may fit. Ask the person whether to use them \
                before you call search_memories."
                    .to_owned()
            }
            _ => context,
        };
        let output = serde_json::json!({
            "hookSpecificOutput": {"hookEventName": self.event, "additionalContext": context}
        });
        print_json(&output)
    }
}

impl Event {
    /// Reads what an agent says. No error holds a word of it: agents keep what is said on standard error.
    fn read(input: &[u8]) -> Result<Self, Failure> {
        let expected = "expected the JSON object of an agent's hook";
        let refused = |found: String| Failure::Input(format!("standard input: found {found}; {expected}"));
        let event: Value = serde_json::from_slice(input)
            .map_err(|error| refused(format!("no JSON from line {}, column {} on", error.line(), error.column())))?;
        let Value::Object(fields) = event else { return Err(refused(json_kind(&event).to_owned())) };
        let text = |name: &str| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(refused(format!("{} in its field {name:?}, where a text should be", json_kind(other)))),
        };
        Ok(Self {
            session_id: text("session_id")?,
            transcript_path: text("transcript_path")?.map(PathBuf::from),
            cwd: text("cwd")?.map(PathBuf::from),
            prompt: text("prompt")?,
            source: text("source")?,
        })
    }
}

/// What fits of earlier sessions of the project.
fn context(name: &str, event: &Event, settings: &Settings) -> Result<Option<String>, Failure> {
    let folder = event.cwd.as_deref().unwrap_or(Path::new("."));
    let Ok(project) = Project::recorded(folder, None) else { return Ok(None) };
    if !sync_setup::rules(settings, &[], &[])?.admit(&project.namespace, Some(&project.folder)) {
        return Ok(None);
    }
    let namespace = settings.named_namespace.clone().unwrap_or(project.namespace);
    let settings = &of_hook(settings);
    // It begins to load while the store is opened. Nothing is ranked when a session begins.
    let reranker = (name == "UserPromptSubmit").then(|| reranker(settings)).flatten();
    let memory = settings.open(Creation::Forbidden)?;
    if !memory.namespaces()?.contains(&namespace) {
        return Ok(None);
    }
    let usual = RecallOptions::default();
    let options = RecallOptions {
        most_chars: settings.agents.context_chars.unwrap_or(usual.most_chars),
        min_confidence: settings.agents.context_confidence,
        present: present(event, &sync_setup::cursors(settings)?),
    };
    let prompt: String = event.prompt.as_deref().unwrap_or_default().chars().take(PROMPT_CHARS).collect();
    let query = Query { now: Some(settings.clock.now), zone: zone(settings), ..Query::new(namespace, prompt) };
    match name {
        // What is resumed or made shorter has its own past.
        "SessionStart" if matches!(event.source.as_deref(), Some("resume" | "compact")) => Ok(None),
        "SessionStart" => Ok(memory.recollection(&query, &options)?),
        _ if query.text.trim().is_empty() => Ok(None),
        _ => {
            let reranking =
                reranker.as_ref().map(|(reranker, depth)| Reranking::new(reranker.as_ref()).to_depth(*depth));
            let recalled = match memory.recall(&query, &settings.pipeline, reranking, &options) {
                Err(error) if error.kind() == ErrorKind::Model => {
                    // A model that is damaged hides nothing that words find.
                    aside(format_args!("aforesaid hook: {}", indented(&Failure::from(error).message())));
                    settings.open_plain()?.recall(&query, &Pipeline::lexical(), None, &options)?
                }
                recalled => recalled?,
            };
            Ok(recalled.map(|recalled| recalled.text))
        }
    }
}

/// The settings that a hook searches by: a prompt waits for no download and for no server elsewhere but that of the store, and
/// for that not long.
fn of_hook(settings: &Settings) -> Settings {
    let mut of_hook = settings.clone();
    of_hook.store = impatient(&settings.store).into_owned();
    of_hook.models.network = Network::Forbidden;
    if settings.agents.context_search == HookSearch::Keywords {
        of_hook.pipeline = Pipeline::lexical();
    }
    of_hook
}

/// The reranker of searches and how many turns it reads, where that is configured. In the place of a language model, which takes longer
/// than a prompt should wait, it is the default one.
fn reranker(settings: &Settings) -> Option<(Arc<dyn Reranker>, Option<NonZeroUsize>)> {
    match (&settings.rerank, settings.agents.context_search) {
        (Some(Choice::Nothing), _) | (_, HookSearch::Keywords) => None,
        (Some(Choice::Llm) | None, _) => Some((settings.default_reranker()?, None)),
        (Some(choice), _) => Some((choice.load_or_say_why(settings), settings.rerank_depth)),
    }
}

/// The store's location, where a server has a second to answer unless its URL says otherwise.
fn impatient(store: &str) -> Cow<'_, str> {
    let options = store.split_once('?').map(|(_, options)| options);
    let says = |option: &str| option.starts_with("connect_timeout=");
    if !is_postgres_url(store) || options.is_some_and(|options| options.split('&').any(says)) {
        return Cow::Borrowed(store);
    }
    let sign = if options.is_some() { '&' } else { '?' };
    Cow::Owned(format!("{store}{sign}connect_timeout=1"))
}

fn zone(settings: &Settings) -> Zone {
    settings.clock.zone.clone()
}

/// The conversations of the present session: its own, and those that its log repeats.
fn present(event: &Event, cursors: &Cursors) -> Vec<ConversationId> {
    let Some(session) = event.session_id.as_deref() else { return Vec::new() };
    let transcript = event.transcript_path.as_deref();
    let agent = AgentPlaces::of_user().and_then(|places| agent_of(&places.logs(), transcript?));
    let own = agent.unwrap_or(Agent::ClaudeCode).conversation(session).ok();
    own.into_iter().chain(transcript.into_iter().flat_map(|log| cursors.repeated_by(log))).collect()
}

/// Notes that a log has something new, and has a process of its own read it.
fn enqueue(event: &str, transcript: PathBuf, settings: &Settings) -> Result<(), Failure> {
    let cursors = sync_setup::cursors(settings)?;
    let queue = Queue::within(cursors.folder());
    queue.push(&QueuedEvent { event: event.to_owned(), transcript }).map_err(sync_setup::failure)?;
    // What begins is read when it ends.
    if event == "SessionStart" {
        return Ok(());
    }
    // One that is at work takes what was added, too.
    let Some(lock) = cursors.try_lock().map_err(sync_setup::failure)? else { return Ok(()) };
    drop(lock);
    detach(event)
}

/// Starts the process that works the queue off, with the options of this one, and does not wait for it.
fn detach(event: &str) -> Result<(), Failure> {
    let failed = || Failure::io("hook: the process that reads the log could not be started");
    let mut command = Command::new(env::current_exe().map_err(failed())?);
    let mut args: Vec<OsString> = env::args_os().skip(1).collect();
    // The value of an option may be spelt as the event is: the event follows the command.
    let command_at = args.iter().position(|arg| arg == "hook").unwrap_or_default();
    if let Some(named) = args.iter_mut().skip(command_at).find(|arg| *arg == event) {
        *named = "flush".into();
    }
    command.args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // The agent may end its own group of processes.
        command.process_group(0);
    }
    command.spawn().map_err(failed())?;
    Ok(())
}

/// Reads the logs of the queue until it is empty.
fn flush(settings: &Settings) -> Result<(), Failure> {
    let cursors = sync_setup::cursors(settings)?;
    let queue = Queue::within(cursors.folder());
    // Once more after the lock is given back: what came between would wait for the next event.
    while !queue.is_empty() {
        let Some(lock) = cursors.try_lock().map_err(sync_setup::failure)? else { return Ok(()) };
        let (events, bytes) = queue.read().map_err(sync_setup::failure)?;
        if bytes == 0 {
            return Ok(());
        }
        let transcripts: Vec<PathBuf> = events.into_iter().map(|event| event.transcript).collect();
        let places = AgentPlaces::of_user().map(|places| places.logs()).unwrap_or_default();
        let agents: Vec<Agent> = Agent::ALL
            .into_iter()
            .filter(|agent| transcripts.iter().any(|path| agent_of(&places, path) == Some(*agent)))
            .collect();
        let (mut logs, _) = discover(&places, &agents);
        // A session's subagents are in a folder of its name.
        logs.retain(|log| {
            transcripts.iter().any(|path| log.path == *path || log.path.starts_with(path.with_extension("")))
        });
        let memory = settings.open(Creation::Allowed)?;
        let options = sync_setup::options(settings, sync_setup::rules(settings, &[], &[])?, None)?;
        let options = SyncOptions { older: OlderTurns::Leave, ..options };
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let report = memory.sync(&logs, &cursors, &lock, &options, go_on).map_err(sync_setup::failure)?;
        for namespace in report.projects.keys() {
            memory.complete_vectors(namespace, &mut |_| std::ops::ControlFlow::Continue(()))?;
            memory.prepare(namespace, &of_hook(settings).pipeline)?;
        }
        queue.drop_first(bytes).map_err(sync_setup::failure)?;
    }
    Ok(())
}
