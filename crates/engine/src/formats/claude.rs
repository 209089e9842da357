//! The data export of Claude.
//!
//! The name of a conversation goes into `meta` of its first turn; the names of
//! attached files into `meta` of the turn they came with.

use aforesaid_core::types::{ConversationId, MemoryId, Turn};
use serde_json::{Map, Value};

use super::{
    FormatError, Intake, SkipReason, Spot,
    content::{Content, read_parts},
    elements::{Element, each},
    record::JsonFields,
    refusal::Refusal,
    sessions::{Pauses, position},
};

/// Stands in `text` for a part that is no text.
const PLACEHOLDER: &str = "```\nThis block is not supported on your current device yet.\n```";

/// Reads the conversations of a `conversations.json`.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    each(text, intake.file(), |element| {
        let (number, conversation) = match element {
            Element::Whole(conversation) => (1, conversation),
            Element::Item(number, conversation) => (number, conversation),
        };
        read_conversation(conversation, number, intake)
    })
}

/// What the turns of a conversation share.
struct Thread {
    conversation: ConversationId,
    title: Option<String>,
    pauses: Pauses,
}

fn read_conversation(conversation: Value, number: usize, intake: &mut Intake) -> Result<(), FormatError> {
    let spot = Spot::conversation(number);
    let mut record = JsonFields::of(conversation, "the conversation", intake.place(spot))?;
    let conversation = match record.name("uuid")? {
        Some(id) => id,
        None => intake.source().numbered(number)?,
    };
    let title = record.text("name")?.filter(|title| !title.trim().is_empty());
    let messages =
        record.array("chat_messages")?.ok_or_else(|| record.missing("chat_messages", "an array of messages"))?;
    let mut thread = Thread { conversation, title, pauses: Pauses::new() };
    for (index, message) in messages.into_iter().enumerate() {
        let spot = spot.message(index + 1);
        let message = JsonFields::of(message, "the message", intake.place(spot))?;
        intake.keep_exported(read_message(message, index + 1, &mut thread), spot)?;
    }
    Ok(())
}

fn read_message(mut message: JsonFields, number: usize, thread: &mut Thread) -> Result<Turn, Refusal> {
    let speaker = message.required_text("sender")?;
    if !matches!(speaker.as_str(), "human" | "assistant") {
        return Err(SkipReason::UnknownRole(speaker).into());
    }
    let files = read_files(&mut message)?;
    let text = match read_text(&mut message) {
        Err(Refusal::Skip(SkipReason::EmptyText)) if !files.is_empty() => Err(SkipReason::OnlyAttachments.into()),
        read => read,
    }?;
    let id: Option<MemoryId> = message.name("uuid")?;
    let said_at = message.time("created_at")?;
    let session = thread.pauses.next(said_at, message.place())?;
    let id = match id {
        Some(id) => id,
        None => position(&session, number, message.place())?,
    };
    Ok(Turn {
        id: Some(id),
        said_at,
        meta: meta(thread.title.take(), files),
        ..Turn::new(thread.conversation.clone(), session, speaker, text)
    })
}

fn read_text(message: &mut JsonFields) -> Result<String, Refusal> {
    let parts = message.array("content")?.unwrap_or_default();
    let Content { text, other } = read_parts(parts, "type", message.place())?;
    if !text.is_empty() {
        return Ok(text);
    }
    let text = message.text("text")?.unwrap_or_default();
    match other.as_deref() {
        _ if !text.replace(PLACEHOLDER, "").trim().is_empty() => Ok(text),
        Some("tool_use") => Err(SkipReason::ToolCall.into()),
        Some("tool_result") => Err(SkipReason::ToolMessage.into()),
        Some(kind) => Err(SkipReason::UnsupportedContent(kind.to_owned()).into()),
        None => Err(SkipReason::EmptyText.into()),
    }
}

/// The names of what was attached.
fn read_files(message: &mut JsonFields) -> Result<Vec<Value>, FormatError> {
    let mut names = Vec::new();
    for field in ["attachments", "files"] {
        for mut file in message.array(field)?.unwrap_or_default() {
            names.extend(file.get_mut("file_name").map(Value::take).filter(Value::is_string));
        }
    }
    Ok(names)
}

fn meta(title: Option<String>, files: Vec<Value>) -> Option<Map<String, Value>> {
    let mut meta = Map::new();
    if let Some(title) = title {
        meta.insert("title".to_owned(), Value::String(title));
    }
    if !files.is_empty() {
        meta.insert("files".to_owned(), Value::Array(files));
    }
    (!meta.is_empty()).then_some(meta)
}
