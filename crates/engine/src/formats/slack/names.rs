//! The names of who speaks in a file, and of what its texts mention.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::workspace::{Workspace, cleaned, name_in};

/// The names of the workspace, and below them those that messages of the file bring along.
pub(super) struct Names<'w> {
    workspace: Option<&'w Workspace>,
    told: HashMap<String, String>,
}

impl<'w> Names<'w> {
    pub(super) fn new(workspace: Option<&'w Workspace>) -> Self {
        Self { workspace, told: HashMap::new() }
    }

    /// Takes down who a message says that its author is. The last message counts, so that one person has one name.
    pub(super) fn learn(&mut self, message: &Map<String, Value>) {
        let Some(user) = message.get("user").and_then(Value::as_str) else { return };
        if let Some(name) = message.get("user_profile").and_then(name_in) {
            self.told.insert(user.to_owned(), name);
        }
    }

    pub(super) fn person(&self, id: &str) -> Option<&str> {
        let listed = self.workspace.and_then(|workspace| workspace.person(id));
        listed.or_else(|| self.told.get(id).map(String::as_str)).or((id == "USLACKBOT").then_some("Slackbot"))
    }

    pub(super) fn channel(&self, id: &str) -> Option<&str> {
        self.workspace?.channel(id)
    }

    /// Who says a message. A program may give itself a name for each of its messages.
    pub(super) fn speaker(&self, message: &Map<String, Value>) -> String {
        let text = |field: &str| message.get(field).and_then(Value::as_str);
        // An id is a number in some exports.
        let id = |field: &str| match message.get(field)? {
            Value::String(id) => cleaned(id),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        };
        let (user, bot) = (id("user"), id("bot_id"));
        let known = || user.as_deref().and_then(|user| self.person(user)).map(str::to_owned);
        let profile = || message.get("bot_profile").and_then(name_in);
        let listed = || self.workspace?.bot(bot.as_deref()?).map(str::to_owned);
        let brought = || message.get("user_profile").and_then(name_in);
        let own = text("username").filter(|_| is_program(message)).and_then(cleaned);
        own.or_else(known)
            .or_else(profile)
            .or_else(listed)
            .or_else(brought)
            .or_else(|| text("username").and_then(cleaned))
            .or_else(|| user.clone())
            .or_else(|| bot.clone())
            .unwrap_or_else(|| "unknown".to_owned())
    }
}

/// Whether a program says a message.
pub(super) fn is_program(message: &Map<String, Value>) -> bool {
    let is_there = |field: &str| message.get(field).is_some_and(|value| !value.is_null());
    is_there("bot_id") || is_there("bot_profile") || message.get("subtype").is_some_and(|kind| kind == "bot_message")
}
