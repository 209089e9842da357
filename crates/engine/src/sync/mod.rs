//! Keeps up with what coding agents write: reads only what is new, cuts secrets out, and stores the turns of each project
//! in its namespace.
//!
//! A log has a cursor, a file in a folder beside the store. It is written after the turns are stored; an interrupted run
//! reads a part again and finds its turns there by their ids. One run works at a time: the folder has a lock.

mod bound;
mod cursor;
mod discover;
mod elsewhere;
mod gather;
mod log;
mod projects;
mod questions;
mod queue;
mod report;
mod run;
mod watch;

use std::{io, path::PathBuf};

use aforesaid_core::types::{Namespace, Timestamp};

use crate::{
    error::Error,
    formats::agents::{Agent, ToolTurns},
    secrets::SecretCutter,
};

pub use cursor::{Cursors, SyncLock};
pub use discover::{LogRoots, agent_of, discover};
pub use log::{Log, LogPlace};
pub use projects::{InvalidRule, ProjectRules};
pub use queue::{Queue, QueuedEvent};
pub use report::{Dropped, FailedLog, ForgottenLogs, ProjectReport, StoredElsewhere, SuggestedQuestion, SyncReport};
pub use watch::{LogChanges, LogWatch, WatchStop};

/// How a run goes about its work.
#[derive(Debug)]
pub struct SyncOptions {
    /// What becomes of tool calls.
    pub tools: ToolTurns,
    /// Only what was said at or after this moment.
    pub since: Option<Timestamp>,
    /// What becomes of what an earlier run left out by its `since`.
    pub older: OlderTurns,
    /// Which projects are read.
    pub rules: ProjectRules,
    /// What is cut out.
    pub secrets: SecretCutter,
    /// The namespace of everything, instead of that of each project.
    pub namespace: Option<Namespace>,
    /// How many turns a project may have; the oldest sessions beyond are forgotten.
    pub most_turns: Option<u64>,
}

/// What becomes of turns that an earlier run left out since they were too old for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OlderTurns {
    /// They are read where this run asks for them.
    #[default]
    Read,
    /// They stay left out.
    Leave,
}

/// A run could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// A file of its own could not be read or written.
    #[error("sync: {path} could not be used; check its permissions", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The operating system does not tell what changes in a folder.
    #[error(
        "sync: folder {path} could not be watched; where a limit is named, raise it (on Linux fs.inotify.max_user_watches)",
        path = .path.display()
    )]
    Watch {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: notify::Error,
    },
    /// The store failed, or refused the turns.
    #[error(transparent)]
    Memory(#[from] Error),
}

impl SyncError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncProgress {
    /// Logs looked at.
    pub done: usize,
    /// Logs there are.
    pub total: usize,
    /// Whose the last one is.
    pub agent: Agent,
}
