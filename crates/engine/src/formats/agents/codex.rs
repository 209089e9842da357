//! Lines of Codex.
//!
//! A message may be there twice, as a `response_item` and as an event: of two with one text in a round, one is kept.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    elements,
    lines::{LineReader, content, moment, text},
    output::Output,
    tools::Call,
};

/// Elements that Codex puts into a person's message.
const LEADING: &[&str] = &[
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "permissions",
    "turn_aborted",
    "user_shell_command",
    "user_action",
    "skill",
    "subagent_notification",
    "collaboration_mode",
    "personality_spec",
    "ide_context",
];

/// Items that hold nothing that was said.
const SILENT_ITEMS: &[&str] =
    &["reasoning", "ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "context_compaction"];
/// Endings of events that hold nothing that an item does not.
const SILENT_EVENTS: &[&str] = &[
    "token_count",
    "_begin",
    "_end",
    "_delta",
    "_started",
    "_complete",
    "_completed",
    "_aborted",
    "_compacted",
    "_reasoning",
    "_reasoning_raw_content",
    "_reasoning_section_break",
    "_review_mode",
    "_tool_call",
    "_diff",
    "_update",
    "_event",
    "_configured",
    "_request",
    "_response",
    "_notice",
    "_error",
    "error",
    "warning",
    "_settings_applied",
];
const TEXTS: &[&str] = &["input_text", "output_text", "text", "Text"];

/// Where a message stands in the log.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Item,
    Event,
}

/// Reads a line.
pub(super) fn line(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    let kind = text(line, "type");
    let Some(payload) = line.get("payload").and_then(Value::as_object) else {
        // The first versions wrote items as they are, after a line with the session.
        return match (kind, text(line, "id")) {
            (Some(_), _) => item(reader, line, line),
            (None, Some(_)) if line.contains_key("timestamp") => session(reader, line),
            _ if line.contains_key("record_type") => reader.know("state"),
            _ => reader.wonder("line without a payload"),
        };
    };
    match kind {
        Some("session_meta") => session(reader, payload),
        Some("response_item") => item(reader, line, payload),
        Some("event_msg") => event(reader, line, payload),
        Some("turn_context") => {
            reader.state.set_cwd(text(payload, "cwd"));
            if let Some(model) = text(payload, "model") {
                reader.state.model = Some(model.to_owned());
            }
        }
        Some(silent @ ("compacted" | "world_state" | "token_usage_record")) => reader.know(silent),
        Some(unknown) => reader.wonder(unknown),
        None => reader.wonder("line without a type"),
    }
}

fn session(reader: &mut LineReader<'_>, meta: &Map<String, Value>) {
    // A fork holds the line of the session that it was forked from, too.
    if reader.state.session.is_some() {
        return reader.know("session_meta of another session");
    }
    reader.state.session = text(meta, "id").map(str::to_owned);
    reader.state.set_cwd(text(meta, "cwd"));
    if let Some(git) = meta.get("git").and_then(Value::as_object) {
        reader.state.set_branch(text(git, "branch"));
        reader.state.remote = text(git, "repository_url").map(str::to_owned);
    }
}

fn item(reader: &mut LineReader<'_>, line: &Map<String, Value>, item: &Map<String, Value>) {
    let said_at = moment(line.get("timestamp"));
    let place = place(reader);
    let call_id = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or(&place).to_owned();
    match text(item, "type") {
        Some("message") => {
            let said = content(item.get("content"), TEXTS);
            match text(item, "role") {
                Some("user") => message(reader, line, true, &said, Source::Item),
                Some("assistant") => message(reader, line, false, &said, Source::Item),
                Some("developer" | "system") => reader.know("instructions"),
                Some(role) => reader.wonder(&format!("role {role}")),
                None => reader.wonder("message without a role"),
            }
        }
        Some("function_call") => {
            let arguments = item.get("arguments").unwrap_or(&Value::Null);
            let read = arguments.as_str().and_then(|arguments| serde_json::from_str(arguments).ok());
            let call = Call::new(text(item, "name").unwrap_or_default(), read.as_ref().unwrap_or(arguments));
            reader.call(&call_id, None, call, said_at, &[]);
        }
        Some("custom_tool_call") => {
            let call = Call::new(text(item, "name").unwrap_or_default(), item.get("input").unwrap_or(&Value::Null));
            reader.call(&call_id, None, call, said_at, &[]);
        }
        Some("local_shell_call") => {
            let call = Call::new("local_shell", item.get("action").unwrap_or(&Value::Null));
            reader.call(&call_id, None, call, said_at, &[]);
        }
        Some("web_search_call") => {
            let call = Call::new("web_search", item.get("action").unwrap_or(&Value::Null));
            reader.call(&call_id, None, call, said_at, &[]);
            // What it found is not in the log.
            reader.open.remove(&call_id);
        }
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            reader.result(&call_id, &Output::of(item.get("output").unwrap_or(&Value::Null), None));
        }
        Some(silent) if SILENT_ITEMS.contains(&silent) => reader.know(silent),
        Some(unknown) => reader.wonder(&format!("response_item/{unknown}")),
        None => reader.wonder("response_item without a type"),
    }
}

fn event(reader: &mut LineReader<'_>, line: &Map<String, Value>, event: &Map<String, Value>) {
    match text(event, "type") {
        Some("user_message") => message(reader, line, true, text(event, "message").unwrap_or_default(), Source::Event),
        Some("agent_message") => {
            message(reader, line, false, text(event, "message").unwrap_or_default(), Source::Event)
        }
        Some("item_completed") => {
            let done = event.get("item").and_then(Value::as_object);
            let said = || content(done.and_then(|done| done.get("content")), TEXTS);
            match done.and_then(|done| text(done, "type")) {
                Some("UserMessage" | "user_message") => message(reader, line, true, &said(), Source::Event),
                Some("AgentMessage" | "agent_message") => message(reader, line, false, &said(), Source::Event),
                _ => reader.know("item_completed"),
            }
        }
        Some("thread_rolled_back") => {
            let turns = event.get("num_turns").and_then(Value::as_u64).unwrap_or(0);
            let prompts = reader.state.prompts.len();
            let turns = usize::try_from(turns).unwrap_or(usize::MAX).min(prompts);
            if turns > 0 {
                reader.take_back(prompts - turns);
            }
        }
        Some("thread_name_updated") => {
            let name = text(event, "thread_name").map(str::trim).filter(|name| !name.is_empty() && name.len() < 4_000);
            reader.state.title = name.map(str::to_owned).or(reader.state.title.take());
        }
        Some(silent) if SILENT_EVENTS.iter().any(|end| silent.ends_with(end)) => reader.know(silent),
        Some(unknown) => reader.wonder(&format!("event_msg/{unknown}")),
        None => reader.wonder("event_msg without a type"),
    }
}

fn message(reader: &mut LineReader<'_>, line: &Map<String, Value>, is_user: bool, said: &str, source: Source) {
    let said = match is_user {
        true => elements::without(said, LEADING, &[]),
        false => said.trim().to_owned(),
    };
    if said.is_empty() || is_user && said.starts_with("# AGENTS.md instructions") {
        return reader.know("message of the program");
    }
    // A prompt that is an event, and came as an item before, begins no round.
    if !is_new(reader, is_user, &said, source) {
        return reader.know("message that is there twice");
    }
    if is_user {
        reader.prompt();
        if reader.twins.is_empty() {
            is_new(reader, is_user, &said, source);
        }
        let from = reader.state.turns.len();
        reader.state.prompts.push((String::new(), from));
    }
    let id = place(reader);
    let speaker = if is_user { "user" } else { "assistant" };
    reader.put(&id, None, speaker, said, moment(line.get("timestamp")), &[]);
}

/// The id of what has none: its line, and the end of the session's id, so that no other session has it.
fn place(reader: &LineReader<'_>) -> String {
    let session = reader.state.session.as_deref().unwrap_or("line");
    let from = session.char_indices().rev().nth(11).map_or(0, |(at, _)| at);
    format!("{}:{}", &session[from..], reader.state.lines)
}

/// Whether a message has not been there in the other form in this round.
fn is_new(reader: &mut LineReader<'_>, is_user: bool, said: &str, source: Source) -> bool {
    let digest: String = Sha256::digest(said.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let (items, events) = reader.twins.entry((is_user, digest)).or_default();
    let (mine, other) = if source == Source::Item { (items, events) } else { (events, items) };
    *mine += 1;
    *mine > *other
}
