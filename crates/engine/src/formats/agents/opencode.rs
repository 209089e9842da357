//! A session of OpenCode: rows of its database, from version 1.2.

use serde_json::{Map, Value};

use super::{
    LogSource, Snapshot, ToolTurns,
    lines::{SUBAGENT_TAG, TOOL_TAG, moment, text},
    output::Output,
    snapshot::{SnapshotWriter, object},
    tools::Call,
};

/// A row of the table of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// The session whose subagent it is of.
    pub parent: Option<String>,
    /// The folder that it is in.
    pub directory: String,
    /// Its title.
    pub title: String,
    /// When it was last changed, in milliseconds since 1970.
    pub updated: i64,
}

/// A row of the table of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its id.
    pub id: String,
    /// A JSON object.
    pub data: String,
}

/// A row of the table of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    /// Its id.
    pub id: String,
    /// The message that it is of.
    pub message: String,
    /// A JSON object.
    pub data: String,
}

/// Kinds of parts that hold nothing that was said.
const SILENT: &[&str] =
    &["step-start", "step-finish", "snapshot", "patch", "file", "agent", "subtask", "compaction", "retry"];

/// Reads a session; messages and parts are in the order of their ids.
pub fn read_opencode(source: &LogSource, session: &SessionRow, messages: &[MessageRow], parts: &[PartRow]) -> Snapshot {
    let mut writer = SnapshotWriter::new(source);
    writer.state.set_cwd(Some(&session.directory));
    // Until a model gives one, the title is the time.
    if !session.title.starts_with("New session - ") && session.title.len() < 4_000 && !session.title.trim().is_empty() {
        writer.state.title = Some(session.title.trim().to_owned());
    }
    for row in messages {
        match object(&row.data) {
            Some(data) => {
                let parts = parts.iter().filter(|part| part.message == row.id);
                message(&mut writer, &row.id, &data, parts);
            }
            None => writer.read.left_out.wonder("message that is no JSON object"),
        }
    }
    writer.read
}

fn message<'p>(
    writer: &mut SnapshotWriter<'_>,
    id: &str,
    data: &Map<String, Value>,
    parts: impl Iterator<Item = &'p PartRow>,
) {
    let is_subagent = writer.source.session.is_some();
    let speaker = match (text(data, "role"), is_subagent) {
        (Some("user"), false) => "user",
        (Some("user"), true) | (Some("assistant"), false) => "assistant",
        (Some("assistant"), true) => "subagent",
        (role, _) => return writer.read.left_out.wonder(&format!("role {}", role.unwrap_or("of nobody"))),
    };
    let tags: &[&str] = if is_subagent { &[SUBAGENT_TAG] } else { &[] };
    let model = text(data, "modelID").or_else(|| data.get("model")?.get("modelID")?.as_str());
    if let Some(model) = model {
        writer.state.model = Some(model.to_owned());
    }
    if let Some(path) = data.get("path").and_then(Value::as_object) {
        writer.state.set_cwd(text(path, "cwd"));
    }
    let said_at = moment(data.get("time").and_then(|time| time.get("created")));
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for row in parts {
        let Some(part) = object(&row.data) else {
            writer.read.left_out.wonder("part that is no JSON object");
            continue;
        };
        let is = |field| part.get(field).and_then(Value::as_bool).unwrap_or(false);
        match text(&part, "type") {
            Some("text") if is("synthetic") || is("ignored") => writer.read.left_out.know("message of the program"),
            Some("text") => {
                said.extend(text(&part, "text").map(str::trim).filter(|said| !said.is_empty()).map(str::to_owned))
            }
            Some("reasoning") => writer.read.left_out.know("thinking"),
            Some("tool") => calls.push((row.id.clone(), part)),
            Some(silent) if SILENT.contains(&silent) => writer.read.left_out.know(silent),
            Some(unknown) => writer.read.left_out.wonder(unknown),
            None => writer.read.left_out.wonder("part without a type"),
        }
    }
    if !said.is_empty() {
        writer.put(id, speaker, said.join("\n\n"), said_at, tags);
    }
    for (id, part) in calls {
        let tools = writer.source.tools;
        if tools == ToolTurns::Off {
            writer.read.left_out.know("tool call");
            continue;
        }
        let call_tags: Vec<&str> = [TOOL_TAG].into_iter().chain(tags.iter().copied()).collect();
        let state = part.get("state").and_then(Value::as_object);
        let started = moment(state.and_then(|state| state.get("time")?.get("start"))).or(said_at);
        let said = tool(&part, state).text(tools, output(state).as_ref());
        writer.put(&id, "tool", said, started, &call_tags);
    }
}

fn tool(part: &Map<String, Value>, state: Option<&Map<String, Value>>) -> Call {
    let input = state.and_then(|state| state.get("input")).unwrap_or(&Value::Null);
    Call::new(text(part, "tool").unwrap_or_default(), input)
}

fn output(state: Option<&Map<String, Value>>) -> Option<Output> {
    let state = state?;
    match text(state, "status")? {
        "completed" => {
            let exit = state.get("metadata").and_then(|metadata| metadata.get("exit")).and_then(Value::as_i64);
            Some(Output::new(text(state, "output").unwrap_or_default(), Some(false)).with_exit(exit))
        }
        "error" => Some(Output::new(text(state, "error").unwrap_or_default(), Some(true))),
        _ => None,
    }
}
