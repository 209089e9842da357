//! Logs of coding agents: read at once and in parts, they say the same.

use std::collections::{BTreeMap, BTreeSet};

use aforesaid::{
    formats::agents::{
        Agent, Bubble, Change, LeftOutLines, LineState, LogSource, MessageRow, PartRow, SessionRow, ToolTurns,
        bubble_ids, read_cursor, read_lines, read_opencode,
    },
    types::{ConversationId, Draft, Turn},
};

/// Where a log is cut, beside the places that its own bytes choose.
const CUTS: [usize; 4] = [1, 300, 2_000, 9_000];

fn source(agent: Agent) -> Option<LogSource> {
    let conversation = ConversationId::new("log").ok()?;
    Some(LogSource { agent, conversation, session: None, tools: ToolTurns::Short })
}

/// What a store would hold of a log.
#[derive(Default)]
struct Told {
    turns: Vec<Turn>,
    left_out: LeftOutLines,
    gone: BTreeSet<String>,
    /// Whether a turn that was gone came again, as in no log that an agent writes: then its place is not promised.
    is_again: bool,
}

impl Told {
    fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Put(turn) => {
                    assert!(Draft::Turn(turn.clone()).check().is_ok(), "a turn that could not be kept");
                    self.is_again |= turn.id.as_ref().is_some_and(|id| self.gone.contains(id.as_str()));
                    match self.turns.iter_mut().find(|kept| kept.id == turn.id) {
                        Some(kept) => *kept = turn,
                        None => self.turns.push(turn),
                    }
                }
                Change::Remove(id) => {
                    self.turns.retain(|kept| kept.id.as_ref() != Some(&id));
                    self.gone.insert(id.to_string());
                }
            }
        }
    }
}

fn lines(agent: Agent, bytes: &[u8]) {
    let Some(source) = source(agent) else { return };
    // The last line is whole, so that all is read.
    let bytes = [bytes, b"\n"].concat();
    let read = read_lines(&source, LineState::default(), &bytes, 0);
    assert_eq!(read.whole, bytes.len());
    let mut whole = Told { left_out: read.left_out, ..Told::default() };
    whole.apply(read.changes);

    let own = bytes.iter().take(6).scan(0usize, |at, byte| {
        *at += usize::from(*byte) * 7 + 1;
        Some(*at)
    });
    let mut cuts: Vec<usize> = CUTS.into_iter().chain(own).filter(|cut| *cut < bytes.len()).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let (mut parts, mut state, mut from, mut seen) = (Told::default(), LineState::default(), 0, 0);
    for cut in cuts {
        let read = read_lines(&source, state, &bytes[from..cut], seen - from);
        seen = from + read.whole;
        parts.apply(read.changes);
        parts.left_out.add(&read.left_out);
        from += read.checkpoint.bytes;
        state = read.checkpoint.state;
    }
    if parts.is_again || whole.is_again {
        parts.turns.sort_by(|one, other| one.id.cmp(&other.id));
        whole.turns.sort_by(|one, other| one.id.cmp(&other.id));
    }
    assert_eq!(parts.turns, whole.turns, "read in parts");
    assert_eq!(parts.left_out, whole.left_out, "counted in parts");
}

pub(crate) fn claude_code(bytes: &[u8]) {
    lines(Agent::ClaudeCode, bytes);
}

pub(crate) fn codex(bytes: &[u8]) {
    lines(Agent::Codex, bytes);
}

pub(crate) fn gemini_cli(bytes: &[u8]) {
    lines(Agent::GeminiCli, bytes);
}

fn check(turns: &[Turn]) {
    let mut ids = BTreeMap::new();
    for turn in turns {
        assert!(Draft::Turn(turn.clone()).check().is_ok(), "a turn that could not be kept");
        *ids.entry(turn.id.clone()).or_insert(0) += 1;
    }
}

/// Rows as lines of fields with tabs between.
pub(crate) fn opencode(bytes: &[u8]) {
    let Some(source) = source(Agent::OpenCode) else { return };
    let text = String::from_utf8_lossy(bytes);
    let (mut messages, mut parts) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        match fields.as_slice() {
            [_, id, data] => messages.push(MessageRow { id: id.clone(), data: data.clone() }),
            [_, id, message, data] => {
                parts.push(PartRow { id: id.clone(), message: message.clone(), data: data.clone() });
            }
            _ => {}
        }
    }
    let session = SessionRow { title: text.lines().next().unwrap_or_default().to_owned(), ..SessionRow::default() };
    check(&read_opencode(&source, &session, &messages, &parts).turns);
}

/// The first line is the conversation, the others are its bubbles.
pub(crate) fn cursor(bytes: &[u8]) {
    let Some(source) = source(Agent::Cursor) else { return };
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let composer = lines.next().unwrap_or_default();
    let bubbles: Vec<Bubble> =
        bubble_ids(composer).into_iter().map(|id| Bubble { id, data: lines.next().map(str::to_owned) }).collect();
    check(&read_cursor(&source, None, composer, &bubbles).turns);
}
