//! Lines of Gemini CLI.
//!
//! A message may be written again: the last one of an id counts, and it keeps the place of the first. `$rewindTo` takes a
//! message and all that followed back. The state lists each message and its turns, a line each: message, turn, session.

use std::collections::BTreeSet;

use aforesaid_core::types::MAX_TITLE_BYTES;
use serde_json::{Map, Value};

use super::{
    ToolTurns,
    lines::{LineReader, TOOL_TAG, content, moment, text},
    output::Output,
    tools::Call,
};

/// Reads a line.
pub(super) fn line(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    if let Some(id) = text(line, "$rewindTo") {
        return rewind(reader, id);
    }
    if let Some(set) = line.get("$set") {
        return match set.as_object() {
            Some(set) => update(reader, set),
            None => reader.wonder("$set without an object"),
        };
    }
    if line.contains_key("sessionId") && !line.contains_key("type") {
        return update(reader, line);
    }
    message(reader, line);
}

/// What is said of the session, and messages, where they come with it.
fn update(reader: &mut LineReader<'_>, fields: &Map<String, Value>) {
    if reader.state.session.is_none() {
        reader.state.session = text(fields, "sessionId").map(str::to_owned);
    }
    if let Some(title) = text(fields, "summary").map(str::trim).filter(|title| !title.is_empty()) {
        reader.state.title = Some(title[..title.floor_char_boundary(MAX_TITLE_BYTES)].to_owned());
    }
    for each in fields.get("messages").and_then(Value::as_array).into_iter().flatten() {
        match each.as_object() {
            Some(each) => message(reader, each),
            None => reader.wonder("message that is no object"),
        }
    }
}

fn message(reader: &mut LineReader<'_>, line: &Map<String, Value>) {
    let Some(id) = text(line, "id").filter(|id| is_plain(id)) else {
        return reader.wonder("message without an id");
    };
    let speaker = match text(line, "type") {
        Some("user") => "user",
        Some("gemini" | "model" | "assistant") => "assistant",
        Some(silent @ ("info" | "error" | "warning" | "notice")) => return reader.know(silent),
        Some(unknown) => return reader.wonder(unknown),
        None => return reader.wonder("message without a type"),
    };
    if let Some(model) = text(line, "model") {
        reader.state.model = Some(model.to_owned());
    }
    if line.get("thoughts").and_then(Value::as_array).is_some_and(|thoughts| !thoughts.is_empty()) {
        reader.know("thinking");
    }
    let (session, before) = earlier(reader, id);
    let session = session.unwrap_or_else(|| {
        let number = reader.state.session_at(moment(line.get("timestamp")));
        remember(reader, id, "", &format!("session-{number}"));
        format!("session-{number}")
    });
    let mut turns = BTreeSet::new();
    let said = content(line.get("content"), &["text"]);
    if !said.trim().is_empty() {
        turns.insert(id.to_owned());
        reader.put(id, Some(&session), speaker, said.trim().to_owned(), moment(line.get("timestamp")), &[]);
    }
    for (place, call) in line.get("toolCalls").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(turn) = tool(reader, id, place, call, &session) {
            turns.insert(turn);
        }
    }
    for turn in &turns {
        if !before.contains(turn) {
            remember(reader, id, turn, &session);
        }
    }
    for gone in before.difference(&turns) {
        forget(reader, id, gone);
        reader.remove(gone);
    }
}

/// Takes a tool call with its result; the id of its turn.
fn tool(reader: &mut LineReader<'_>, message: &str, place: usize, call: &Value, session: &str) -> Option<String> {
    let tools = reader.source.tools;
    if tools == ToolTurns::Off {
        reader.know("tool call");
        return None;
    }
    let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
    let turn = match call.get("id").and_then(Value::as_str).filter(|id| is_plain(id)) {
        Some(id) => format!("{message}:{id}"),
        None => format!("{message}:{}", place + 1),
    };
    let failed = call.get("status").and_then(Value::as_str).map(|status| status != "success");
    let output = call.get("result").map(|result| Output::of(response(result), failed));
    let said = Call::new(name, call.get("args").unwrap_or(&Value::Null)).text(tools, output.as_ref());
    reader.put(&turn, Some(session), "tool", said, moment(call.get("timestamp")), &[TOOL_TAG]);
    Some(turn)
}

/// What a tool gave back, in the parts that the model was sent.
fn response(result: &Value) -> &Value {
    let part = result.as_array().and_then(|parts| parts.first()).unwrap_or(result);
    part.get("functionResponse").and_then(|response| response.get("response")).unwrap_or(part)
}

/// Whether an id can stand in the list of turns.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.len() <= 100 && !id.contains(['\t', '\n'])
}

fn remember(reader: &mut LineReader<'_>, message: &str, turn: &str, session: &str) {
    reader.state.turns.push_str(&format!("{message}\t{turn}\t{session}\n"));
}

fn entries(list: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    list.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        Some((parts.next()?, parts.next()?, parts.next()?))
    })
}

/// The session of a message that was there before, and the turns that it had.
fn earlier(reader: &LineReader<'_>, id: &str) -> (Option<String>, BTreeSet<String>) {
    let mut session = None;
    let mut turns = BTreeSet::new();
    for (_, turn, of) in entries(&reader.state.turns).filter(|(message, ..)| *message == id) {
        session.get_or_insert_with(|| of.to_owned());
        if !turn.is_empty() {
            turns.insert(turn.to_owned());
        }
    }
    (session, turns)
}

fn forget(reader: &mut LineReader<'_>, id: &str, turn: &str) {
    let kept = entries(&reader.state.turns).filter(|(message, other, _)| !(*message == id && *other == turn));
    reader.state.turns = kept.map(|(message, turn, session)| format!("{message}\t{turn}\t{session}\n")).collect();
}

/// Takes a message and all that followed it back.
fn rewind(reader: &mut LineReader<'_>, id: &str) {
    let list = std::mem::take(&mut reader.state.turns);
    let (mut seen, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for (message, ..) in entries(&list) {
        if seen.insert(message) && (message == id || !gone.is_empty()) {
            gone.insert(message);
        }
    }
    if gone.is_empty() {
        reader.state.turns = list;
        return reader.wonder("$rewindTo of an unknown message");
    }
    let mut kept = String::new();
    for (message, turn, session) in entries(&list) {
        if !gone.contains(message) {
            kept.push_str(&format!("{message}\t{turn}\t{session}\n"));
        } else if !turn.is_empty() {
            reader.remove(turn);
            reader.know("turn that was taken back");
        }
    }
    reader.state.turns = kept;
}
