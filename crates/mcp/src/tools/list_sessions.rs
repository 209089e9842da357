//! `list_sessions`: what is stored, the latest session first.

use aforesaid::{
    ListedSession,
    types::{ConversationId, Scope, Zone},
};
use serde_json::json;

use super::{Effect, Tool, ToolResult, Toolbox, json_of};
use crate::{
    arguments::{Given, Kind, optional},
    cursor::Pages,
    failure::ToolError,
    text::{count, name},
    times,
};

/// Sessions of a page, where a call does not say.
const USUAL: u64 = 20;

pub(super) const TOOL: Tool = Tool {
    name: "list_sessions",
    title: "List sessions",
    description: "Lists the sessions that are stored, the latest first, with title, dates and number of turns.",
    arguments: &[
        optional("conversation", Kind::Text, ""),
        optional("from", Kind::Text, "Since this time"),
        optional("to", Kind::Text, "Until this time"),
        optional("limit", Kind::Whole { least: 1, most: 100 }, "Default 20"),
        optional("cursor", Kind::Text, "next_cursor, for more sessions"),
    ],
    answer: &[("sessions", "array", true), ("total", "integer", true), ("next_cursor", "string", false)],
    effect: Effect::Reads,
    run,
};

fn run(tools: &Toolbox, given: Given<'_>) -> Result<ToolResult, ToolError> {
    let clock = times::clock(&tools.zone)?;
    let [conversation, from, to] = ["conversation", "from", "to"].map(|name| given.text(name));
    let pages = Pages::new(&[conversation, from, to].map(Option::unwrap_or_default), given.text("cursor"))?;
    let (from, to) = times::between(from, to, &clock)?;
    let scope = Scope {
        conversation: conversation.map(ConversationId::new).transpose().map_err(aforesaid::Error::from)?,
        from,
        to,
        ..Scope::default()
    };
    let all = match tools.memory.sessions(&tools.namespace, &scope).map_err(ToolError::from) {
        Err(error) if error.is_of_new_namespace() => Vec::new(),
        all => all?,
    };
    let total = all.len();
    let size = usize::try_from(given.whole("limit").unwrap_or(USUAL)).unwrap_or(usize::MAX);
    let key = |session: &ListedSession| [session.conversation.to_string(), session.session.to_string()];
    let all: Vec<([String; 2], ListedSession)> = all.into_iter().map(|session| (key(&session), session)).collect();
    let (sessions, next) = pages.page(all, size, |(key, _)| key.iter().map(String::as_str).collect())?;
    let sessions: Vec<ListedSession> = sessions.into_iter().map(|(_, session)| session).collect();
    let mut text: String = sessions.iter().map(|session| line(session, &tools.zone)).collect();
    text += &match &next {
        Some(next) => format!("{} of {}; more: cursor {next}\n", sessions.len(), count(total as u64, "session")),
        None => format!("{} in all\n", count(total as u64, "session")),
    };
    let fields = json!({"sessions": json_of(&sessions)?, "total": total, "next_cursor": next});
    Ok(ToolResult::new(text, fields))
}

fn line(session: &ListedSession, zone: &Zone) -> String {
    let title = session.title.as_deref().map(|title| format!(" \u{b7} {}", name(title))).unwrap_or_default();
    let (first, last) = (times::shown(session.first, zone), times::shown(session.last, zone));
    let span = if first == last { first } else { format!("{first} to {last}") };
    let place = format!("{} / {}", name(session.conversation.as_str()), name(session.session.as_str()));
    format!("{place}{title} \u{b7} {} \u{b7} {span}\n", count(session.turns, "turn"))
}
