//! What a worker is told, and what it answers.

use aforesaid::{Error, StoreError, types::*};
use serde::{Deserialize, Serialize};

/// A turn in a conversation and session of the shared namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub session: String,
    /// Given by the store where there is none.
    pub id: Option<String>,
    pub text: String,
}

/// One thing to do; `slot` says with which of the worker's memories.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Command {
    /// Opens a memory and makes the store where there is none. A slot that holds one drops it afterwards.
    Open {
        slot: usize,
        path: String,
        encoder: String,
    },
    Drop {
        slot: usize,
    },
    Add {
        slot: usize,
        conversation: String,
        lines: Vec<Line>,
    },
    /// Adds through a file of JSON lines, with ids.
    Import {
        slot: usize,
        conversation: String,
        lines: Vec<Line>,
    },
    /// Many turns, so that their vectors are staged: `word` and a number each.
    ImportMany {
        slot: usize,
        conversation: String,
        session: String,
        word: String,
        turns: usize,
    },
    ForgetOne {
        slot: usize,
        conversation: String,
        id: String,
    },
    ForgetSession {
        slot: usize,
        conversation: String,
        session: String,
    },
    ForgetConversation {
        slot: usize,
        conversation: String,
    },
    ForgetAll {
        slot: usize,
    },
    Reembed {
        slot: usize,
        idle: Idle,
    },
    Search {
        slot: usize,
        pipeline: String,
        text: String,
    },
    Read {
        slot: usize,
        conversation: String,
    },
    Export {
        slot: usize,
    },
    Stats {
        slot: usize,
    },
    /// Opens the store by itself, for a moment.
    Version {
        path: String,
    },
    /// Opens the store as a program may that wants it for itself, reads it and closes it.
    Intrude {
        path: String,
    },
    /// Waits for a moment, in microseconds of the clock, so that several go on at once.
    Await {
        moment: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Idle {
    Keep,
    Drop,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    Done,
    /// How many memories went.
    Forgotten(u64),
    Added {
        ids: Vec<String>,
        added: usize,
    },
    /// What was found, or read, in its order.
    Turns(Vec<Found>),
    Counts {
        turns: u64,
        vectors: Vec<(String, u64)>,
        serving: Option<String>,
    },
    /// Epoch and removals, and the last place, where there is a namespace.
    Version(Option<((u64, u64), u64)>),
    /// Whether an intruder was let in.
    LetIn(bool),
    Failed {
        failure: Failure,
        message: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub conversation: String,
    pub session: String,
    pub id: String,
    pub text: String,
}

/// The kinds of failure a model can foresee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Failure {
    /// What was named is not there.
    NotThere,
    /// The vectors of another encoder serve.
    OtherEncoder,
    /// Nothing that may happen.
    Unexpected,
}

impl Answer {
    pub(crate) fn failed(error: &Error) -> Self {
        let failure = match error {
            Error::UnknownMemory { .. }
            | Error::EmptyScope { .. }
            | Error::Store(StoreError::UnknownNamespace { .. }) => Failure::NotThere,
            Error::Store(StoreError::EncoderMismatch { .. }) => Failure::OtherEncoder,
            _ => Failure::Unexpected,
        };
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(next) = cause {
            message.push_str(&format!(": {next}"));
            cause = next.source();
        }
        Answer::Failed { failure, message }
    }
}

impl Line {
    pub(crate) fn turn(&self, conversation: &str) -> Turn {
        Turn {
            id: self.id.as_ref().map(|id| MemoryId::new(id).unwrap()),
            ..Turn::new(
                ConversationId::new(conversation).unwrap(),
                SessionId::new(&self.session).unwrap(),
                "Ann",
                self.text.clone(),
            )
        }
    }

    pub(crate) fn json(&self) -> String {
        let line = serde_json::json!({"id": self.id, "session": self.session, "speaker": "Ann", "text": self.text});
        format!("{line}\n")
    }
}

/// The texts of [`Command::ImportMany`].
pub(crate) fn many_lines(session: &str, word: &str, turns: usize) -> Vec<Line> {
    let line =
        |i: usize| Line { session: session.to_owned(), id: Some(format!("{word}-{i}")), text: format!("{word} {i}") };
    (0..turns).map(line).collect()
}
