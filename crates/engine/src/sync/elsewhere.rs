//! Which turns other logs have stored.
//!
//! Claude Code writes the turns of a session that is resumed or forked into a new log, each with the id that it has in the old
//! one. Those ids are random, so that what has one is the same turn.

use std::collections::{HashMap, hash_map::Entry};

use aforesaid_core::types::Namespace;

use super::{
    Cursors, Log, SyncError,
    cursor::{Cursor, short_hash},
};
use crate::formats::agents::Agent;

/// The turns of Claude Code that were stored, each with the log that it was read from first.
///
/// What was forgotten of a log since is among them: a copy of the log does not bring it back.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    /// By namespace and the hash of an id; `None` until a log is read whose turns may be another's.
    logs: Option<HashMap<(Namespace, u64), String>>,
}

impl Elsewhere {
    /// Whether another log than this one has stored a turn in a namespace.
    ///
    /// # Errors
    /// When the folder of cursors cannot be read.
    pub(super) fn has(
        &mut self,
        cursors: &Cursors,
        log: &Log,
        namespace: &Namespace,
        id: &str,
    ) -> Result<bool, SyncError> {
        if log.agent != Agent::ClaudeCode {
            return Ok(false);
        }
        let logs = match &mut self.logs {
            Some(logs) => logs,
            None => {
                let mut logs = HashMap::new();
                for cursor in cursors.all()?.iter().filter(|cursor| cursor.agent == Some(Agent::ClaudeCode)) {
                    add(&mut logs, cursor);
                }
                self.logs.insert(logs)
            }
        };
        Ok(logs.get(&(namespace.clone(), short_hash(id))).is_some_and(|key| *key != log.key))
    }

    /// Takes note of what a log has stored now.
    pub(super) fn note(&mut self, log: &Log, cursor: &Cursor) {
        if let (Agent::ClaudeCode, Some(logs)) = (log.agent, &mut self.logs) {
            add(logs, &Cursor { key: log.key.clone(), ..cursor.clone() });
        }
    }
}

fn add(logs: &mut HashMap<(Namespace, u64), String>, cursor: &Cursor) {
    let Some(namespace) = &cursor.namespace else { return };
    for hash in cursor.stored.hashes() {
        if let Entry::Vacant(entry) = logs.entry((namespace.clone(), hash)) {
            entry.insert(cursor.key.clone());
        }
    }
}
