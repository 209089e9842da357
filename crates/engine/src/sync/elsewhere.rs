//! Which turns other logs have stored.
//!
//! Claude Code writes the turns of a session that is resumed or forked into a new log, each with the id that it has in the old
//! one. Those ids are random, so that what has one is the same turn.

use std::{collections::HashMap, sync::Arc};

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
    /// `None` until a log is read whose turns may be another's.
    logs: Option<Logs>,
}

/// Logs, by namespace and the hash of an id.
type Logs = HashMap<Namespace, HashMap<u64, Arc<First>>>;

/// The log that a turn was read from first.
#[derive(Debug)]
struct First {
    key: String,
    conversation: String,
}

impl Elsewhere {
    /// The conversation that a turn is stored in, where another log than this one has stored it in a namespace.
    ///
    /// # Errors
    /// When the folder of cursors cannot be read.
    pub(super) fn conversation(
        &mut self,
        cursors: &Cursors,
        log: &Log,
        namespace: &Namespace,
        id: &str,
    ) -> Result<Option<String>, SyncError> {
        if log.agent != Agent::ClaudeCode {
            return Ok(None);
        }
        let logs = match &mut self.logs {
            Some(logs) => logs,
            None => {
                let mut logs = Logs::new();
                for cursor in cursors.all()?.iter().filter(|cursor| cursor.agent == Some(Agent::ClaudeCode)) {
                    if let Some(namespace) = &cursor.namespace {
                        add(&mut logs, namespace, &cursor.key, cursor);
                    }
                }
                self.logs.insert(logs)
            }
        };
        let first = logs.get(namespace).and_then(|turns| turns.get(&short_hash(id)));
        Ok(first.filter(|first| first.key != log.key).map(|first| first.conversation.clone()))
    }

    /// Takes note of what a log has stored now.
    pub(super) fn note(&mut self, log: &Log, namespace: &Namespace, cursor: &Cursor) {
        if let (Agent::ClaudeCode, Some(logs)) = (log.agent, &mut self.logs) {
            add(logs, namespace, &log.key, cursor);
        }
    }
}

fn add(logs: &mut Logs, namespace: &Namespace, key: &str, cursor: &Cursor) {
    let first = Arc::new(First { key: key.to_owned(), conversation: cursor.conversation.clone() });
    let turns = logs.entry(namespace.clone()).or_default();
    cursor.stored.hashes().for_each(|hash| {
        turns.entry(hash).or_insert_with(|| Arc::clone(&first));
    });
}
