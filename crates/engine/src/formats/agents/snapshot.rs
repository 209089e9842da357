//! A session that is read as a whole.

use aforesaid_core::types::{MemoryId, SessionId, Timestamp, Turn};
use serde_json::{Map, Value};

use super::{LeftOutLines, LineState, LogSource, lines::meta};

/// What a session holds now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Its turns, in order.
    pub turns: Vec<Turn>,
    /// What was left out.
    pub left_out: LeftOutLines,
}

/// Puts turns together.
pub(super) struct SnapshotWriter<'s> {
    pub(super) source: &'s LogSource,
    pub(super) state: LineState,
    pub(super) read: Snapshot,
}

impl<'s> SnapshotWriter<'s> {
    pub(super) fn new(source: &'s LogSource) -> Self {
        Self { source, state: LineState::default(), read: Snapshot::default() }
    }

    pub(super) fn put(&mut self, id: &str, speaker: &str, text: String, said_at: Option<Timestamp>, tags: &[&str]) {
        let session = match &self.source.session {
            Some(session) => Ok(session.clone()),
            None => SessionId::new(format!("session-{}", self.state.session_at(said_at))),
        };
        let (Ok(id), Ok(session)) = (MemoryId::new(id), session) else {
            return self.read.left_out.wonder("id that is no name");
        };
        let title = self.state.title.clone().filter(|_| self.source.session.is_none());
        let LineState { cwd, branch, model, .. } = &self.state;
        let turn = Turn {
            id: Some(id),
            said_at,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            title,
            meta: Some(meta(self.source.agent, cwd.as_deref(), branch.as_deref(), model.as_deref())),
            ..Turn::new(self.source.conversation.clone(), session, speaker, text)
        };
        self.read.turns.push(turn);
    }
}

/// The object that a text is.
pub(super) fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}
