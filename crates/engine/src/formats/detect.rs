//! Which format a file has.

use serde_json::{Map, Value};

use super::{
    Format, FormatError,
    agents::{self, Agent},
    elements::{broken, first},
    encoding::decode,
    markdown, mbox,
    record::{describe, shortened},
    subtitles, whatsapp,
};

const START: &str = "a JSON array or a JSON object";

/// Tells the format of a file from its first record.
///
/// The name serves only where the content leaves a choice: any text is Markdown where the file ends in `.md`, and a single object
/// with `messages` is one line of [`Format::MessagesJsonl`] if the file ends in
/// `.jsonl` or `.ndjson`. What follows the first record is not looked at.
///
/// # Errors
/// When the first record is broken JSON or of no known format; the message
/// lists the formats and says how to name one.
pub fn detect(bytes: &[u8], file: &str) -> Result<Format, FormatError> {
    if mbox::begins(bytes) {
        return Ok(Format::Mbox);
    }
    let text = decode(bytes, file)?;
    if markdown::is_named(file) {
        return Ok(Format::Markdown);
    }
    if whatsapp::begins(text) {
        return Ok(Format::WhatsApp);
    }
    if subtitles::begins(text) {
        return Ok(Format::Subtitles);
    }
    let unknown = |found: String| FormatError::Unrecognized { file: file.into(), found };
    match text.trim_start().chars().next() {
        None => Err(unknown("it is empty".into())),
        Some('[') => match first(text, file)? {
            None => Err(unknown("it is an empty array".into())),
            Some(Value::Object(fields)) => {
                item_format(&fields).ok_or_else(|| unknown(format!("it is an array of objects with {}", list(&fields))))
            }
            Some(other) => Err(unknown(format!("it is an array that begins with {}", describe(&other)))),
        },
        Some('{') => {
            let (fields, extent) = first_object(text, file)?;
            object_format(&fields, extent, file)
                .ok_or_else(|| unknown(format!("it begins with an object with {}", list(&fields))))
        }
        Some(other) => Err(unknown(format!("it begins with {other:?}"))),
    }
}

/// Whether an object is all there is in a file.
enum Extent {
    Whole,
    Begins,
}

fn first_object(text: &str, file: &str) -> Result<(Map<String, Value>, Extent), FormatError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let fields = match values.next() {
        Some(Ok(fields)) => fields,
        Some(Err(error)) => return Err(broken(&error, file, 0, START)),
        None => Map::new(),
    };
    let rest = text.get(values.byte_offset()..).unwrap_or_default();
    Ok((fields, if rest.trim().is_empty() { Extent::Whole } else { Extent::Begins }))
}

fn item_format(fields: &Map<String, Value>) -> Option<Format> {
    if fields.contains_key("ts") && fields.get("type").is_some_and(|kind| kind == "message") {
        return Some(Format::Slack);
    }
    if fields.contains_key("messages") || fields.contains_key("role") {
        return Some(Format::Messages);
    }
    export_format(fields)
}

fn export_format(fields: &Map<String, Value>) -> Option<Format> {
    if fields.contains_key("mapping") {
        Some(Format::ChatGpt)
    } else if fields.contains_key("chat_messages") {
        Some(Format::Claude)
    } else if fields.contains_key("docs") && fields.contains_key("uuid") {
        Some(Format::ClaudeProjects)
    } else if fields.get("conversation").is_some_and(Value::is_object) {
        Some(Format::Locomo)
    } else {
        None
    }
}

fn object_format(fields: &Map<String, Value>, extent: Extent, file: &str) -> Option<Format> {
    let has = |field| fields.contains_key(field);
    match extent {
        _ if let Some(agent) = agents::detect(fields) => Some(match agent {
            Agent::Codex => Format::Codex,
            Agent::GeminiCli => Format::GeminiCli,
            _ => Format::ClaudeCode,
        }),
        _ if has("role") => Some(Format::MessagesJsonl),
        Extent::Whole if has("messages") && fields.get("channel").is_some_and(Value::is_object) => {
            Some(Format::Discord)
        }
        Extent::Whole if has("messages") && has("type") && has("id") => Some(Format::Telegram),
        Extent::Whole if fields.get("chats").is_some_and(|chats| chats.get("list").is_some()) => Some(Format::Telegram),
        Extent::Begins if has("messages") => Some(Format::MessagesJsonl),
        Extent::Whole if has("messages") && is_lines(file) => Some(Format::MessagesJsonl),
        Extent::Whole if has("messages") => Some(Format::Messages),
        _ => export_format(fields).or_else(|| (has("speaker") || has("text")).then_some(Format::Jsonl)),
    }
}

fn is_lines(file: &str) -> bool {
    file.ends_with(".jsonl") || file.ends_with(".ndjson")
}

fn list(fields: &Map<String, Value>) -> String {
    const SHOWN: usize = 5;
    match fields.len() {
        0 => "no fields".to_owned(),
        _ => {
            let names: Vec<_> = fields.keys().take(SHOWN).map(|field| format!("{:?}", shortened(field))).collect();
            format!("the fields {}", names.join(", "))
        }
    }
}
