//! Logs of one JSON object a line, read in parts.

use std::collections::{HashMap, HashSet};

use aforesaid_core::types::{Importance, MemoryId, SessionId, Timestamp, Turn};
use serde_json::{Map, Value};

use super::{
    Agent, Change, LeftOutLines, LineState, LogSource, ToolTurns, claude_code, codex, gemini, output::Output,
    tools::Call,
};

/// The tag of turns that stand for a tool call.
pub(super) const TOOL_TAG: &str = "tool";
/// The tag of turns that a subagent took part in.
pub(super) const SUBAGENT_TAG: &str = "subagent";
/// How many prompts later a result may come for its call.
const PATIENCE: u64 = 1;

/// Where the next part begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Bytes of the part before it.
    pub bytes: usize,
    /// What is known there.
    pub state: LineState,
}

/// What a part of a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The turns that are there and those that are gone, in order.
    pub changes: Vec<Change>,
    /// Where to begin next: what follows it is read again, since it is not finished.
    pub checkpoint: Checkpoint,
    /// Bytes of whole lines. What follows is a line without its end.
    pub whole: usize,
    /// What was left out.
    pub left_out: LeftOutLines,
    /// What is known at the end.
    pub state: LineState,
}

/// Reads the whole lines of a part of a log that begins at a checkpoint with this state.
///
/// Of the first `counted` bytes, which were read before, what is left out is not counted again. Nothing fails: a line that is
/// damaged is counted and left out.
pub fn read_lines(source: &LogSource, state: LineState, part: &[u8], counted: usize) -> Lines {
    let mut reader = LineReader::new(source, state);
    let mut from = 0;
    while let Some(length) = memchr(part.get(from..).unwrap_or_default()) {
        let line = &part[from..from + length];
        reader.at = from;
        reader.counts = from >= counted;
        reader.read(line);
        from += length + 1;
    }
    reader.finish(from)
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// A tool call whose result has not come.
pub(super) struct OpenCall {
    pub(super) id: String,
    pub(super) call: Call,
    round: u64,
}

/// What a reader of one format works on.
pub(super) struct LineReader<'s> {
    pub(super) source: &'s LogSource,
    pub(super) state: LineState,
    pub(super) open: HashMap<String, OpenCall>,
    /// Calls that put questions to a person, and are not answered.
    pub(super) questions: HashSet<String>,
    /// Texts of this round by who said them: how often as an item, and how often as an event.
    pub(super) twins: HashMap<(bool, String), (u32, u32)>,
    /// Responses that may go on, by their ids: the turns that they are.
    pub(super) responses: HashMap<String, String>,
    changes: Vec<Option<Change>>,
    places: HashMap<String, usize>,
    /// Ids in the state's list of turns: each is there once, in whichever part it came.
    listed: HashSet<String>,
    checkpoint: Checkpoint,
    left_out: LeftOutLines,
    at: usize,
    counts: bool,
    round: u64,
}

impl<'s> LineReader<'s> {
    fn new(source: &'s LogSource, state: LineState) -> Self {
        Self {
            source,
            checkpoint: Checkpoint { bytes: 0, state: state.clone() },
            listed: state.turns.lines().map(str::to_owned).collect(),
            state,
            open: HashMap::new(),
            questions: HashSet::new(),
            twins: HashMap::new(),
            responses: HashMap::new(),
            changes: Vec::new(),
            places: HashMap::new(),
            left_out: LeftOutLines::default(),
            at: 0,
            counts: true,
            round: 0,
        }
    }

    fn read(&mut self, line: &[u8]) {
        // A byte order mark may stand before the first line.
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        self.state.lines += 1;
        if line.trim_ascii().is_empty() {
            return;
        }
        // A program's output may hold any bytes; those that are no UTF-8 must not take the line with them.
        let Ok(Value::Object(line)) = serde_json::from_str(&String::from_utf8_lossy(line)) else {
            return self.wonder("line that is no JSON object");
        };
        match self.source.agent {
            Agent::ClaudeCode => claude_code::line(self, &line),
            Agent::Codex => codex::line(self, &line),
            Agent::GeminiCli => gemini::line(self, &line),
            Agent::OpenCode | Agent::Cursor => self.wonder("line of a log without lines"),
        }
    }

    fn finish(mut self, whole: usize) -> Lines {
        // Lines of Gemini CLI stand by themselves.
        if self.source.agent == Agent::GeminiCli {
            self.checkpoint = Checkpoint { bytes: whole, state: self.state.clone() };
        }
        let changes = self.changes.into_iter().flatten().collect();
        let LineReader { checkpoint, left_out, state, .. } = self;
        Lines { changes, checkpoint, whole, left_out, state }
    }

    /// Counts something that is never read.
    pub(super) fn know(&mut self, what: &str) {
        if self.counts {
            self.left_out.know(what);
        }
    }

    /// Counts something that the reader does not know.
    pub(super) fn wonder(&mut self, what: &str) {
        if self.counts {
            self.left_out.wonder(what);
        }
    }

    /// A person asks: the line at hand begins a round, and a part may begin here if nothing is open.
    pub(super) fn prompt(&mut self) {
        self.round += 1;
        let round = self.round;
        self.open.retain(|_, call| call.round + PATIENCE >= round);
        if self.open.is_empty() {
            self.twins.clear();
            self.responses.clear();
            // The line is counted when it is read again.
            let state = LineState { lines: self.state.lines - 1, ..self.state.clone() };
            self.checkpoint = Checkpoint { bytes: self.at, state };
        }
    }

    /// Takes a turn; its session goes by pauses unless the log is a subagent's.
    pub(super) fn put(
        &mut self,
        id: &str,
        session: Option<&str>,
        speaker: &str,
        text: String,
        said_at: Option<Timestamp>,
        tags: &[&str],
    ) {
        let Ok(memory) = MemoryId::new(id) else {
            return self.wonder("id that is no name");
        };
        let named = session.map(str::to_owned).or_else(|| self.source.session.as_ref().map(ToString::to_string));
        let session = named.unwrap_or_else(|| format!("session-{}", self.state.session_at(said_at)));
        let Ok(session) = SessionId::new(session) else {
            return self.wonder("session that is no name");
        };
        let has_title = session.as_str().starts_with("session-");
        let turn = Turn {
            id: Some(memory),
            said_at,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            title: if has_title { self.state.title.clone() } else { None },
            importance: Importance::default(),
            meta: Some(self.meta()),
            ..Turn::new(self.source.conversation.clone(), session, speaker, text)
        };
        match self.places.get(id) {
            Some(&place) => self.changes[place] = Some(Change::Put(turn)),
            None => {
                self.places.insert(id.to_owned(), self.changes.len());
                self.changes.push(Some(Change::Put(turn)));
                // Gemini CLI has a list of its own, since a message may come again.
                if self.source.agent != Agent::GeminiCli && self.listed.insert(id.to_owned()) {
                    self.state.turns.push_str(id);
                    self.state.turns.push('\n');
                }
            }
        }
    }

    /// Gives a turn of this part another text, made of the one it has.
    pub(super) fn amend(&mut self, id: &str, text: impl FnOnce(&str) -> String) -> bool {
        match self.places.get(id).and_then(|&place| self.changes[place].as_mut()) {
            Some(Change::Put(turn)) => {
                turn.text = text(&turn.text);
                true
            }
            _ => false,
        }
    }

    /// Takes a turn away.
    pub(super) fn remove(&mut self, id: &str) {
        if let Some(place) = self.places.remove(id) {
            self.changes[place] = None;
        }
        if let Ok(id) = MemoryId::new(id) {
            self.changes.push(Some(Change::Remove(id)));
        }
    }

    /// Takes away every turn since the mark `from` of the state's turns, and the prompts from `prompt` on.
    pub(super) fn take_back(&mut self, prompt: usize) {
        let Some(&(_, from)) = self.state.prompts.get(prompt) else { return };
        self.state.prompts.truncate(prompt);
        let gone = self.state.turns.get(from..).unwrap_or_default().to_owned();
        self.state.turns.truncate(from);
        for id in gone.lines() {
            self.listed.remove(id);
            self.remove(id);
            self.know("turn of a branch that was left");
        }
    }

    /// Takes a tool call as a turn, and waits for its result.
    pub(super) fn call(
        &mut self,
        id: &str,
        session: Option<&str>,
        call: Call,
        said_at: Option<Timestamp>,
        tags: &[&str],
    ) {
        let tools = self.source.tools;
        if tools == ToolTurns::Off {
            return self.know("tool call");
        }
        let tags: Vec<&str> = [TOOL_TAG].into_iter().chain(tags.iter().copied()).collect();
        self.put(id, session, "tool", call.text(tools, None), said_at, &tags);
        let round = self.round;
        self.open.insert(id.to_owned(), OpenCall { id: id.to_owned(), call, round });
    }

    /// Gives a tool call its result.
    pub(super) fn result(&mut self, id: &str, output: &Output) {
        let tools = self.source.tools;
        match self.open.remove(id) {
            Some(OpenCall { id, call, .. }) => {
                self.amend(&id, |_| call.text(tools, Some(output)));
            }
            None if tools == ToolTurns::Off => self.know("tool result"),
            None => self.know("tool result without its call"),
        }
    }

    fn meta(&self) -> Map<String, Value> {
        meta(self.source.agent, self.state.cwd.as_deref(), self.state.branch.as_deref(), self.state.model.as_deref())
    }
}

/// What the metadata of a turn say of where it was said.
pub(super) fn meta(agent: Agent, cwd: Option<&str>, branch: Option<&str>, model: Option<&str>) -> Map<String, Value> {
    let fields = [("agent", Some(agent.name())), ("cwd", cwd), ("branch", branch), ("model", model)];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))).collect()
}

/// A moment as text, or as a number of milliseconds since 1970.
pub(super) fn moment(value: Option<&Value>) -> Option<Timestamp> {
    match value? {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => {
            let millis = number.as_i64().or_else(|| number.as_f64().map(|millis| millis as i64))?;
            Timestamp::from_millis(millis).ok()
        }
        _ => None,
    }
}

/// The text of a field.
pub(super) fn text<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    fields.get(name)?.as_str()
}

/// The texts of a message's content: a string, or parts of which those with one of `kinds` have a `text`.
pub(super) fn content(value: Option<&Value>, kinds: &[&str]) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let is_text = |part: &&Value| match part.get("type").and_then(Value::as_str) {
                Some(kind) => kinds.contains(&kind),
                None => true,
            };
            let texts =
                parts.iter().filter(is_text).filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
            texts.join("\n")
        }
        Some(Value::Object(part)) => text(part, "text").unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}
