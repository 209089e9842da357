//! What a reader of lines carries from one part of a log to the next.

use aforesaid_core::types::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::sessions::PAUSE;

/// What is known at a checkpoint of a log. It holds no message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LineState {
    /// Lines before it.
    pub(super) lines: u64,
    /// The session that the log names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    /// The session that it was forked from, whose lines it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) forked_from: Option<String>,
    /// The folder that the session began in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_cwd: Option<String>,
    /// The URL of the repository's remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// The title that the log gave last; every turn after it has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// How often there was a pause, and the last moment in milliseconds.
    pub(super) pauses: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last: Option<i64>,
    /// Where each prompt stands: what it follows, and the length of `turns` before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) prompts: Vec<(String, usize)>,
    /// Ids of the turns so far, a line each. One text, so that a checkpoint copies it at once.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) turns: String,
}

impl LineState {
    /// The folder that the session began in, where the log has said so.
    pub fn folder(&self) -> Option<&str> {
        self.first_cwd.as_deref()
    }

    /// The URL of the remote of the session's repository, where the log has said so.
    pub fn remote(&self) -> Option<&str> {
        self.remote.as_deref()
    }

    /// The session that this one was forked from, where the log has said so.
    pub fn forked_from(&self) -> Option<&str> {
        self.forked_from.as_deref()
    }

    pub(super) fn set_forked_from(&mut self, session: &str) {
        set(&mut self.forked_from, session);
    }

    pub(super) fn set_cwd(&mut self, cwd: Option<&str>) {
        if let Some(cwd) = cwd.filter(|cwd| !cwd.is_empty()) {
            set(&mut self.cwd, cwd);
            self.first_cwd.get_or_insert_with(|| cwd.to_owned());
        }
    }

    pub(super) fn set_branch(&mut self, branch: Option<&str>) {
        if let Some(branch) = branch.filter(|branch| !branch.is_empty()) {
            set(&mut self.branch, branch);
        }
    }

    /// The number of the session that a turn said now belongs to.
    pub(super) fn session_at(&mut self, said_at: Option<Timestamp>) -> u32 {
        if let Some(now) = said_at.map(Timestamp::millis) {
            if self.last.is_some_and(|last| now.saturating_sub(last) > PAUSE) {
                self.pauses = self.pauses.saturating_add(1);
            }
            self.last = Some(self.last.map_or(now, |last| last.max(now)));
        }
        self.pauses.saturating_add(1)
    }
}

fn set(field: &mut Option<String>, value: &str) {
    if field.as_deref() != Some(value) {
        *field = Some(value.to_owned());
    }
}
