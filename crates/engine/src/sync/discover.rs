//! Where agents keep their logs.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use aforesaid_sqlite::ForeignDatabase;
use serde_json::Value;

use super::{FailedLog, Log, LogPlace};
use crate::formats::agents::{Agent, Bubble, MessageRow, PartRow, SessionRow, bubble_ids, cursor_folder};

/// Folders in one another at most.
const MOST_DEPTH: usize = 8;
/// Bytes of a log's first line at most.
const MOST_LINE: u64 = 1 << 20;

/// The folders of each agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogRoots {
    /// Claude Code's, which has `projects`.
    pub claude_code: Vec<PathBuf>,
    /// Codex's, which has `sessions` and `archived_sessions`.
    pub codex: Vec<PathBuf>,
    /// Gemini CLI's, which has `tmp`.
    pub gemini_cli: Vec<PathBuf>,
    /// OpenCode's, which has `opencode.db` and `storage`.
    pub opencode: Vec<PathBuf>,
    /// Cursor's `User` folders, which have `globalStorage`.
    pub cursor: Vec<PathBuf>,
}

/// The logs of some agents, and what could not be looked into. Of each agent the one comes first that was left alone for longest: a
/// session that goes on with another in a new log repeats its turns, and they are to be known by the log that had them first.
pub fn discover(roots: &LogRoots, agents: &[Agent]) -> (Vec<Log>, Vec<FailedLog>) {
    let mut found = Found { logs: BTreeMap::new(), failed: Vec::new() };
    for agent in agents {
        match agent {
            Agent::ClaudeCode => roots.claude_code.iter().for_each(|root| found.claude_code(&root.join("projects"))),
            Agent::Codex => roots.codex.iter().for_each(|root| found.codex(root)),
            Agent::GeminiCli => roots.gemini_cli.iter().for_each(|root| found.gemini_cli(&root.join("tmp"))),
            Agent::OpenCode => roots.opencode.iter().for_each(|root| found.opencode(root)),
            Agent::Cursor => roots.cursor.iter().for_each(|root| found.cursor(root)),
        }
    }
    let mut logs: Vec<Log> = found.logs.into_values().collect();
    logs.sort_by_cached_key(|log| (log.agent, fs::metadata(&log.path).and_then(|file| file.modified()).ok()));
    (logs, found.failed)
}

/// The key of a log of a session of Claude Code.
pub(super) fn claude_code_key(path: &Path) -> Option<String> {
    Some(format!("{}/{}", name(path.parent()?), log_stem(path)?))
}

/// Whose log a file would be.
pub fn agent_of(roots: &LogRoots, path: &Path) -> Option<Agent> {
    let all = [
        (Agent::ClaudeCode, &roots.claude_code),
        (Agent::Codex, &roots.codex),
        (Agent::GeminiCli, &roots.gemini_cli),
        (Agent::OpenCode, &roots.opencode),
        (Agent::Cursor, &roots.cursor),
    ];
    all.into_iter().find(|(_, roots)| roots.iter().any(|root| path.starts_with(root))).map(|(agent, _)| agent)
}

struct Found {
    /// By agent and key: a log that is there twice, packed and not, is one.
    logs: BTreeMap<(Agent, String), Log>,
    failed: Vec<FailedLog>,
}

/// What is in a folder, sorted; nothing where it is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The name of a log without `.jsonl` and `.jsonl.zst`; `None` of other files.
fn log_stem(path: &Path) -> Option<String> {
    let name = name(path);
    let stem = name.strip_suffix(".zst").unwrap_or(&name).strip_suffix(".jsonl")?;
    (!stem.is_empty()).then(|| stem.to_owned())
}

/// The files below a folder; links to folders are not followed.
fn files_below(folder: &Path, depth: usize, take: &mut dyn FnMut(PathBuf)) {
    for path in entries(folder) {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() && depth < MOST_DEPTH => files_below(&path, depth + 1, take),
            Ok(found) if found.is_dir() => {}
            _ => take(path),
        }
    }
}

/// The session that the first line of a log names.
fn first_session(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(MOST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line: Value = serde_json::from_slice(&line).ok()?;
    line.get("sessionId")?.as_str().map(str::to_owned)
}

impl Found {
    fn lines(
        &mut self,
        agent: Agent,
        key: String,
        path: PathBuf,
        session: String,
        subagent: Option<String>,
        folder: Option<String>,
    ) {
        let log = Log { agent, key: key.clone(), path, place: LogPlace::Lines { session, subagent, folder } };
        match self.logs.get(&(agent, key.clone())) {
            // What is not packed is newer.
            Some(kept) if log_is_packed(&kept.path) <= log_is_packed(&log.path) => {}
            _ => drop(self.logs.insert((agent, key), log)),
        }
    }

    fn failed(&mut self, agent: Agent, path: &Path, error: impl std::fmt::Display) {
        self.failed.push(FailedLog { agent, path: path.to_owned(), error: error.to_string() });
    }

    fn claude_code(&mut self, projects: &Path) {
        for project in entries(projects) {
            for path in entries(&project) {
                let Some(stem) = log_stem(&path) else {
                    if path.is_dir() {
                        self.subagents(&name(&path), &path);
                    }
                    continue;
                };
                let Some(key) = claude_code_key(&path) else { continue };
                match stem.strip_prefix("agent-") {
                    // Before version 2.1 a subagent's file stood beside its session's.
                    Some(agent) => {
                        let session = first_session(&path).unwrap_or_else(|| stem.clone());
                        self.lines(Agent::ClaudeCode, key, path, session, Some(agent.to_owned()), None);
                    }
                    None => self.lines(Agent::ClaudeCode, key, path, stem, None, None),
                }
            }
        }
    }

    fn subagents(&mut self, session: &str, folder: &Path) {
        let mut paths = Vec::new();
        files_below(&folder.join("subagents"), 0, &mut |path| paths.push(path));
        for path in paths {
            if let Some(agent) = log_stem(&path).as_deref().and_then(|stem| stem.strip_prefix("agent-")) {
                let key = format!("{session}/agent-{agent}");
                self.lines(Agent::ClaudeCode, key, path.clone(), session.to_owned(), Some(agent.to_owned()), None);
            }
        }
    }

    fn codex(&mut self, root: &Path) {
        for folder in ["sessions", "archived_sessions"] {
            let mut paths = Vec::new();
            files_below(&root.join(folder), 0, &mut |path| paths.push(path));
            for path in paths {
                let Some(stem) = log_stem(&path).filter(|stem| stem.starts_with("rollout-")) else { continue };
                // The name ends in the session's id, which has 36 characters.
                let session = stem.len().checked_sub(36).and_then(|at| stem.get(at..)).unwrap_or(&stem).to_owned();
                self.lines(Agent::Codex, session.clone(), path, session, None, None);
            }
        }
    }

    fn gemini_cli(&mut self, tmp: &Path) {
        for project in entries(tmp) {
            let root = fs::read_to_string(project.join(".project_root")).ok().map(|root| root.trim().to_owned());
            let root = root.filter(|root| !root.is_empty());
            for path in entries(&project.join("chats")) {
                let Some(stem) = log_stem(&path).filter(|stem| stem.starts_with("session-")) else { continue };
                let session = first_session(&path).unwrap_or_else(|| stem.clone());
                self.lines(Agent::GeminiCli, format!("{}/{stem}", name(&project)), path, session, None, root.clone());
            }
        }
    }

    fn opencode(&mut self, root: &Path) {
        let storage = root.join("storage");
        for project in entries(&storage.join("session")) {
            for path in entries(&project) {
                if let Some(session) = session_file(&path) {
                    let place = LogPlace::OpenCodeFiles { storage: storage.clone(), session };
                    self.session(path, place);
                }
            }
        }
        let path = root.join("opencode.db");
        if !path.is_file() {
            return;
        }
        match ForeignDatabase::open(&path).and_then(|database| database.opencode_sessions()) {
            // What was moved to the database is read there.
            Ok(rows) => rows.into_iter().filter_map(session_row).for_each(|session| {
                self.session(path.clone(), LogPlace::OpenCode(session));
            }),
            Err(error) => self.failed(Agent::OpenCode, &path, with_cause(&error)),
        }
    }

    fn session(&mut self, path: PathBuf, place: LogPlace) {
        if let LogPlace::OpenCode(session) | LogPlace::OpenCodeFiles { session, .. } = &place {
            let key = session.id.clone();
            self.logs.insert((Agent::OpenCode, key.clone()), Log { agent: Agent::OpenCode, key, path, place });
        }
    }

    fn cursor(&mut self, user: &Path) {
        let path = user.join("globalStorage").join("state.vscdb");
        if !path.is_file() {
            return;
        }
        let windows = windows(user);
        let keys = ForeignDatabase::open(&path).and_then(|database| database.cursor_keys(COMPOSER));
        let keys = match keys {
            Ok(keys) => keys,
            Err(error) => return self.failed(Agent::Cursor, &path, with_cause(&error)),
        };
        for composer in keys.iter().filter_map(|key| key.strip_prefix(COMPOSER)) {
            let place = LogPlace::Cursor { composer: composer.to_owned(), folder: windows.get(composer).cloned() };
            let log = Log { agent: Agent::Cursor, key: composer.to_owned(), path: path.clone(), place };
            self.logs.insert((Agent::Cursor, composer.to_owned()), log);
        }
    }
}

/// What the keys of Cursor's conversations begin with.
pub(super) const COMPOSER: &str = "composerData:";

fn log_is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn session_row(row: Vec<Option<String>>) -> Option<SessionRow> {
    let [id, parent, directory, title, updated] = <[Option<String>; 5]>::try_from(row).ok()?;
    Some(SessionRow {
        id: id?,
        parent,
        directory: directory.unwrap_or_default(),
        title: title.unwrap_or_default(),
        updated: updated.and_then(|updated| updated.parse().ok()).unwrap_or(0),
    })
}

/// A session of OpenCode's before version 1.2: a file.
fn session_file(path: &Path) -> Option<SessionRow> {
    let value: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let updated = value.get("time").and_then(|time| time.get("updated")).and_then(Value::as_i64).unwrap_or(0);
    Some(SessionRow {
        id: text("id")?,
        parent: text("parentID"),
        directory: text("directory").unwrap_or_default(),
        title: text("title").unwrap_or_default(),
        updated,
    })
}

/// The folders of Cursor's conversations, as far as its windows say.
fn windows(user: &Path) -> HashMap<String, String> {
    let mut folders = HashMap::new();
    for window in entries(&user.join("workspaceStorage")) {
        let Some(folder) = window_folder(&window.join("workspace.json")) else { continue };
        let database = ForeignDatabase::open(&window.join("state.vscdb"));
        let Ok(Some(value)) = database.and_then(|database| database.editor_value("composer.composerData")) else {
            continue;
        };
        let Ok(value) = serde_json::from_str::<Value>(&value) else { continue };
        let composers = value.get("allComposers").and_then(Value::as_array).into_iter().flatten();
        for composer in composers.filter_map(|composer| composer.get("composerId")?.as_str()) {
            folders.insert(composer.to_owned(), folder.clone());
        }
    }
    folders
}

fn window_folder(path: &Path) -> Option<String> {
    let value: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let folder = value.get("folder")?.as_str()?.strip_prefix("file://")?;
    Some(unescaped(folder))
}

/// A path without the escapes of a URL.
fn unescaped(path: &str) -> String {
    let bytes = path.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let code = path.get(at + 1..at + 3).filter(|_| byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        plain.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// A conversation of Cursor's: its value, its bubbles, and the folder that it names.
type Composer = (String, Vec<Bubble>, Option<String>);
/// A session of OpenCode's: its messages, and their parts.
type SessionRows = (Vec<MessageRow>, Vec<PartRow>);

/// What Cursor's database holds of a conversation.
pub(super) fn composer(path: &Path, composer: &str) -> Result<Option<Composer>, String> {
    let read = || {
        let database = ForeignDatabase::open(path)?;
        let Some(value) = database.cursor_value(&format!("{COMPOSER}{composer}"))? else { return Ok(None) };
        let mut bubbles = Vec::new();
        for id in bubble_ids(&value) {
            let data = database.cursor_value(&format!("bubbleId:{composer}:{id}"))?;
            bubbles.push(Bubble { id, data });
        }
        let folder = cursor_folder(&value);
        Ok(Some((value, bubbles, folder)))
    };
    read().map_err(|error: aforesaid_sqlite::ForeignError| with_cause(&error))
}

/// What OpenCode's database holds of a session: messages, and parts.
pub(super) fn session_rows(path: &Path, session: &str) -> Result<SessionRows, String> {
    let read = || {
        let database = ForeignDatabase::open(path)?;
        let messages = database.opencode_messages(session)?.into_iter().filter_map(|row| {
            let [id, data] = <[Option<String>; 2]>::try_from(row).ok()?;
            Some(MessageRow { id: id?, data: data? })
        });
        let parts = database.opencode_parts(session)?.into_iter().filter_map(|row| {
            let [id, message, data] = <[Option<String>; 3]>::try_from(row).ok()?;
            Some(PartRow { id: id?, message: message?, data: data? })
        });
        Ok((messages.collect(), parts.collect()))
    };
    read().map_err(|error: aforesaid_sqlite::ForeignError| with_cause(&error))
}

/// The same of a session before version 1.2, from its files.
pub(super) fn session_files(storage: &Path, session: &str) -> SessionRows {
    let (mut messages, mut parts) = (Vec::new(), Vec::new());
    let text = |path: &Path| fs::read_to_string(path).ok();
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for path in entries(&storage.join("message").join(session)) {
        let id = stem(&path);
        for part in entries(&storage.join("part").join(&id)) {
            parts.extend(text(&part).map(|data| PartRow { id: stem(&part), message: id.clone(), data }));
        }
        messages.extend(text(&path).map(|data| MessageRow { id, data }));
    }
    (messages, parts)
}
