//! The logs that coding agents keep of their sessions.
//!
//! A log is read to [`Change`]s: turns that are there, and turns that are gone again. What people and models said becomes
//! turns; a tool call and its result become one short turn; thinking, instructions and what a program put into a person's
//! message are left out. What a reader does not know is counted by its type.
//!
//! Claude Code, Codex and Gemini CLI write a line at a time ([`read_lines`]). Such a log is read in parts: a part begins at a
//! checkpoint, where nothing is open, so that reading in parts and reading at once give the same turns. OpenCode and Cursor
//! keep a database, and a session is read as a whole ([`read_opencode`], [`read_cursor`]).
//!
//! | agent | conversation | session | id of a turn |
//! |---|---|---|---|
//! | Claude Code | `claude-code:<session>` | by pauses; `agent-<id>` of a subagent | `uuid`, `message.id`, id of the tool call |
//! | Codex | `codex:<session>` | by pauses | `<end of the session's id>:<line>`, `call_id` |
//! | Gemini CLI | `gemini-cli:<session>` | by pauses | `id`, `<id>:<tool call>` |
//! | OpenCode | `opencode:<session>` | by pauses | `<message>`, `<part>` |
//! | Cursor | `cursor:<composer>` | by pauses | `<bubble>` |

mod claude_code;
mod codex;
mod cursor;
mod elements;
mod gemini;
mod import;
mod lines;
mod opencode;
mod output;
mod snapshot;
mod spoken;
mod state;
mod tools;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt, str::FromStr};

use aforesaid_core::types::{ConversationId, MemoryId, SessionId, Turn, UnknownChoice};
use serde::{Deserialize, Serialize};

pub use cursor::{Bubble, bubble_ids, folder as cursor_folder, read_cursor};
pub(super) use import::{detect, read};
pub use lines::{Checkpoint, Lines, read_lines};
pub use opencode::{MessageRow, PartRow, SessionRow, read_opencode};
pub use snapshot::Snapshot;
pub use state::LineState;

/// A coding agent whose logs can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// Claude Code: `projects/<folder>/<session>.jsonl`.
    ClaudeCode,
    /// Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, also packed with zstd.
    Codex,
    /// Gemini CLI: `tmp/<project>/chats/session-*.jsonl`.
    GeminiCli,
    /// OpenCode: `opencode.db`.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Cursor: `state.vscdb`.
    Cursor,
}

impl Agent {
    /// Every agent, in the order in which they are listed to people.
    pub const ALL: [Agent; 5] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli, Agent::OpenCode, Agent::Cursor];

    /// The word that names the agent on a command line, in conversations and in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::GeminiCli => "gemini-cli",
            Agent::OpenCode => "opencode",
            Agent::Cursor => "cursor",
        }
    }

    /// The conversation of one of its sessions.
    ///
    /// # Errors
    /// When the session's id cannot be part of a name.
    pub fn conversation(self, session: &str) -> Result<ConversationId, aforesaid_core::types::InvalidName> {
        ConversationId::new(format!("{self}:{session}"))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Agent {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        Agent::ALL.into_iter().find(|agent| agent.name() == word).ok_or_else(|| UnknownChoice {
            what: "agent",
            found: word.into(),
            expected: "claude-code, codex, gemini-cli, opencode or cursor",
        })
    }
}

/// What becomes of tool calls and their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolTurns {
    /// They are left out.
    Off,
    /// One line: what was done and how it ended. A call that failed has the first and last lines of what it gave back too, of
    /// 600 bytes at most.
    #[default]
    Short,
    /// The line, what the tool was given, and what it gave back, each up to 4,000 bytes.
    Full,
}

impl ToolTurns {
    /// The word that names the choice.
    pub fn name(self) -> &'static str {
        match self {
            ToolTurns::Off => "off",
            ToolTurns::Short => "short",
            ToolTurns::Full => "full",
        }
    }
}

impl FromStr for ToolTurns {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let all = [ToolTurns::Off, ToolTurns::Short, ToolTurns::Full];
        all.into_iter().find(|choice| choice.name() == word).ok_or_else(|| UnknownChoice {
            what: "choice on tool calls",
            found: word.into(),
            expected: "off, short or full",
        })
    }
}

/// Whose log it is, and where its turns go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSource {
    /// Who wrote it.
    pub agent: Agent,
    /// The conversation of its turns.
    pub conversation: ConversationId,
    /// The session of all its turns, where it is a subagent's.
    pub session: Option<SessionId>,
    /// What becomes of tool calls.
    pub tools: ToolTurns,
}

/// What a log says of a turn.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all changes are turns")]
pub enum Change {
    /// It is there, as this. An earlier turn with its id is replaced, and its place stays.
    Put(Turn),
    /// It is gone: taken back, or on a branch that was left.
    Remove(MemoryId),
}

/// What was left out of a log, by what it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct LeftOutLines {
    /// What is never read, such as thinking: reason and count.
    pub known: BTreeMap<String, u64>,
    /// What no reader knows, by its type: the format may have moved.
    pub unknown: BTreeMap<String, u64>,
}

impl LeftOutLines {
    /// Counts something that is never read.
    pub(super) fn know(&mut self, what: &str) {
        *self.known.entry(what.to_owned()).or_default() += 1;
    }

    /// Counts something that the reader does not know.
    pub(super) fn wonder(&mut self, what: &str) {
        let kind: String = what.chars().filter(|c| !c.is_control()).take(64).collect();
        *self.unknown.entry(kind).or_default() += 1;
    }

    /// Adds the counts of another read.
    pub fn add(&mut self, other: &LeftOutLines) {
        for (to, from) in [(&mut self.known, &other.known), (&mut self.unknown, &other.unknown)] {
            for (what, count) in from {
                *to.entry(what.clone()).or_default() += count;
            }
        }
    }
}
