//! What a run did.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use aforesaid_core::types::{ConversationId, Namespace, Timestamp};
use serde::Serialize;

use crate::formats::agents::{Agent, LeftOutLines};

/// What a run did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SyncReport {
    /// Logs there are.
    pub logs: u64,
    /// Logs that had something new.
    pub read: u64,
    /// Bytes of logs that were read.
    pub bytes: u64,
    /// What came to each project.
    pub projects: BTreeMap<Namespace, ProjectReport>,
    /// How many secrets of each kind were cut out.
    pub cut: BTreeMap<String, u64>,
    /// What of the logs was left out.
    pub left_out: BTreeMap<Agent, LeftOutLines>,
    /// The first log of each agent that has lines of types that this version does not know.
    pub unknown_in: BTreeMap<Agent, PathBuf>,
    /// Turns that were said before the moment asked for.
    pub too_old: u64,
    /// Turns of another log that the log of a resumed session repeats.
    pub repeated: u64,
    /// Turns that were stored once and forgotten since, and are not stored again.
    pub forgotten: u64,
    /// Turns that are longer than one may be.
    pub too_long: u64,
    /// Logs of projects that are not read.
    pub denied: u64,
    /// Logs that name no folder; the namespace of their turns is named after the agent.
    pub without_folder: u64,
    /// Logs whose file is another one than before, so that it was read anew.
    pub anew: u64,
    /// What was forgotten to keep projects within their bound.
    pub dropped: Vec<Dropped>,
    /// Logs that could not be read.
    pub failed: Vec<FailedLog>,
    /// Something to ask.
    pub questions: Vec<SuggestedQuestion>,
}

/// What came to a project.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProjectReport {
    /// Its folder.
    pub folder: Option<PathBuf>,
    /// Whose logs it came from.
    pub agents: BTreeSet<Agent>,
    /// Conversations that it came from.
    pub sessions: u64,
    /// Turns that are new.
    pub added: u64,
    /// Turns that have another text than before.
    pub replaced: u64,
    /// Turns that are gone from the log: taken back, or on a branch that was left.
    pub removed: u64,
    /// When the first new turn was said.
    pub first: Option<Timestamp>,
    /// When the last new turn was said.
    pub last: Option<Timestamp>,
}

/// What was forgotten of a project to keep it within its bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The project.
    pub namespace: Namespace,
    /// Turns.
    pub turns: u64,
    /// Sessions, the oldest.
    pub sessions: u64,
    /// When the last of them was said.
    pub until: Option<Timestamp>,
}

/// What was forgotten of logs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ForgottenLogs {
    /// Turns.
    pub turns: u64,
    /// Where turns that these logs repeat are stored still: sessions that they go on with, or that go on with them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub elsewhere: BTreeSet<StoredElsewhere>,
}

/// A conversation that has turns of more than one log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct StoredElsewhere {
    /// Its namespace.
    pub namespace: Namespace,
    /// The conversation.
    pub conversation: ConversationId,
}

/// A log that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedLog {
    /// Whose it is.
    pub agent: Agent,
    /// Its file.
    pub path: PathBuf,
    /// Why.
    pub error: String,
}

/// Something that was asked once, and can be asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuggestedQuestion {
    /// Where it was asked.
    pub namespace: Namespace,
    /// The question.
    pub text: String,
}
