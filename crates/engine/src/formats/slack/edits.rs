//! What later lines of a file say of earlier messages: that they were edited or deleted.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// Why a message that was deleted is left out.
pub(super) const DELETED: &str = "deleted message";

/// The edits and deletions in a file.
#[derive(Default)]
pub(super) struct Edits {
    /// The latest form of each edited message, until it is taken.
    changed: HashMap<String, Option<Map<String, Value>>>,
    deleted: HashSet<String>,
}

impl Edits {
    /// Takes down what a message says of another.
    pub(super) fn learn(&mut self, message: Map<String, Value>) {
        match kind(&message) {
            "message_deleted" => {
                self.deleted.extend(deleted_by(&message).map(str::to_owned));
            }
            "message_changed" => {
                let Some((stamp, latest)) = latest(message) else { return };
                self.changed.insert(stamp, Some(latest));
            }
            _ => {}
        }
    }

    /// The message that stands for this one: itself, or its latest form. `None` where an earlier place in the file had it.
    pub(super) fn latest(&mut self, message: Map<String, Value>) -> Option<Map<String, Value>> {
        let is_event = kind(&message) == "message_changed";
        let edited = match is_event {
            true => message.get("message").and_then(stamp),
            false => message.get("ts").and_then(Value::as_str),
        };
        match edited.and_then(|stamp| self.changed.get_mut(stamp)) {
            Some(latest) => latest.take(),
            None => (!is_event).then_some(message),
        }
    }

    pub(super) fn is_deleted(&self, stamp: &str) -> bool {
        self.deleted.contains(stamp)
    }
}

/// The subtype of a message; empty where it has none.
pub(super) fn kind(message: &Map<String, Value>) -> &str {
    message.get("subtype").and_then(Value::as_str).unwrap_or_default()
}

/// The message that another says was deleted.
pub(super) fn deleted_by(message: &Map<String, Value>) -> Option<&str> {
    let named = message.get("deleted_ts").and_then(Value::as_str);
    named.or_else(|| message.get("previous_message").and_then(stamp))
}

fn latest(mut message: Map<String, Value>) -> Option<(String, Map<String, Value>)> {
    match message.get_mut("message").map(Value::take)? {
        Value::Object(latest) => Some((latest.get("ts")?.as_str()?.to_owned(), latest)),
        _ => None,
    }
}

fn stamp(message: &Value) -> Option<&str> {
    message.get("ts")?.as_str()
}
