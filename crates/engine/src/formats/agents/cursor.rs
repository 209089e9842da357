//! A conversation of Cursor: values of its table of keys and values.
//!
//! Times of messages are unreliable there: one counts only where it does not go back and lies within the conversation's.

use aforesaid_core::types::{MAX_TITLE_BYTES, Timestamp};
use serde_json::{Map, Value};

use super::{
    LogSource, Snapshot, ToolTurns,
    lines::{TOOL_TAG, moment, text},
    output::Output,
    snapshot::{SnapshotWriter, object},
    tools::Call,
};

/// The value of a key `bubbleId:<composer>:<bubble>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bubble {
    /// The bubble's id.
    pub id: String,
    /// A JSON object; `None` where the key is not there.
    pub data: Option<String>,
}

/// The ids of a conversation's bubbles that have keys of their own, in order; `composer` is the value of `composerData:<id>`.
pub fn bubble_ids(composer: &str) -> Vec<String> {
    let composer = object(composer).unwrap_or_default();
    let headers = composer.get("fullConversationHeadersOnly").and_then(Value::as_array).into_iter().flatten();
    headers.filter_map(|header| header.get("bubbleId")?.as_str().map(str::to_owned)).collect()
}

/// The folder that a conversation says it is in.
pub fn folder(composer: &str) -> Option<String> {
    let composer = object(composer)?;
    let uri = composer.get("workspaceIdentifier")?.get("uri")?;
    uri.get("fsPath").or_else(|| uri.get("path"))?.as_str().map(str::to_owned)
}

/// Reads a conversation; older ones hold their bubbles themselves.
pub fn read_cursor(source: &LogSource, folder: Option<&str>, composer: &str, bubbles: &[Bubble]) -> Snapshot {
    let mut writer = SnapshotWriter::new(source);
    let Some(composer) = object(composer) else {
        writer.read.left_out.wonder("conversation that is no JSON object");
        return writer.read;
    };
    writer.state.set_cwd(folder);
    let title = text(&composer, "name").map(str::trim).filter(|title| !title.is_empty());
    writer.state.title = title.map(|title| title[..title.floor_char_boundary(MAX_TITLE_BYTES)].to_owned());
    let (first, last) = (moment(composer.get("createdAt")), moment(composer.get("lastUpdatedAt")));
    let mut clock = Clock { now: first, first, last };
    let inline = composer.get("conversation").and_then(Value::as_array).into_iter().flatten();
    for bubble in inline.filter_map(Value::as_object) {
        let id = text(bubble, "bubbleId").unwrap_or_default().to_owned();
        read_bubble(&mut writer, &id, bubble, &mut clock);
    }
    for bubble in bubbles {
        match bubble.data.as_deref().map(object) {
            Some(Some(data)) => read_bubble(&mut writer, &bubble.id, &data, &mut clock),
            Some(None) => writer.read.left_out.wonder("bubble that is no JSON object"),
            None => writer.read.left_out.wonder("bubble that is not there"),
        }
    }
    writer.read
}

/// What moment it is in a conversation.
struct Clock {
    now: Option<Timestamp>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Clock {
    fn at(&mut self, said_at: Option<Timestamp>) -> Option<Timestamp> {
        let fits = |at: &Timestamp| {
            self.now.is_none_or(|now| *at >= now)
                && self.first.is_none_or(|first| *at >= first)
                && self.last.is_none_or(|last| *at <= last)
        };
        self.now = said_at.filter(fits).or(self.now);
        self.now
    }
}

fn read_bubble(writer: &mut SnapshotWriter<'_>, id: &str, bubble: &Map<String, Value>, clock: &mut Clock) {
    let speaker = match bubble.get("type").and_then(Value::as_u64) {
        Some(1) => "user",
        Some(2) => "assistant",
        _ => return writer.read.left_out.wonder("bubble of an unknown type"),
    };
    if let Some(model) = bubble.get("modelInfo").and_then(|info| info.get("modelName")).and_then(Value::as_str) {
        writer.state.model = Some(model.to_owned());
    }
    let said_at = clock.at(moment(bubble.get("createdAt")));
    if let Some(call) = bubble.get("toolFormerData").and_then(Value::as_object).filter(|call| call.contains_key("name"))
    {
        match writer.source.tools {
            ToolTurns::Off => writer.read.left_out.know("tool call"),
            tools => {
                let said = tool(call).text(tools, output(call).as_ref());
                writer.put(&format!("{id}:tool"), "tool", said, said_at, &[TOOL_TAG]);
            }
        }
    }
    match text(bubble, "text").map(str::trim).filter(|text| !text.is_empty()) {
        Some(said) => writer.put(id, speaker, said.to_owned(), said_at, &[]),
        None if bubble.contains_key("thinking") => writer.read.left_out.know("thinking"),
        None => writer.read.left_out.know("bubble without a text"),
    }
}

/// JSON in a string, as Cursor keeps what a tool was given.
fn inner(call: &Map<String, Value>, names: &[&str]) -> Value {
    let read = |name: &&str| match call.get(*name)? {
        Value::String(text) => serde_json::from_str(text).ok().or_else(|| Some(Value::String(text.clone()))),
        other => Some(other.clone()),
    };
    names.iter().find_map(read).unwrap_or(Value::Null)
}

fn tool(call: &Map<String, Value>) -> Call {
    Call::new(text(call, "name").unwrap_or_default(), &inner(call, &["rawArgs", "params"]))
}

fn output(call: &Map<String, Value>) -> Option<Output> {
    let failed = match text(call, "status")? {
        "completed" => false,
        "error" | "cancelled" => true,
        _ => return None,
    };
    let result = inner(call, &["result", "error"]);
    let exit = ["exitCode", "exitCodeV2"].iter().find_map(|name| result.get(*name)?.as_i64());
    Some(Output::of(&result, Some(failed)).with_exit(exit))
}
