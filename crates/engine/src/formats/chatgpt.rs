//! The data export of ChatGPT.
//!
//! A conversation is a tree there, since an answer can be asked for again and
//! a question be put anew: the branch that was on the screen last is read, the
//! rest is reported as skipped. The title goes into `meta` of the first turn.

mod branch;

use aforesaid_core::types::{ConversationId, Turn};
use serde_json::{Map, Value};

use super::{
    FormatError, Intake, Place, SkipReason, Spot,
    content::{Content, read_parts},
    elements::{Element, each},
    record::{JsonFields, name},
    refusal::Refusal,
    sessions::Pauses,
};

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
    let id = match record.name("conversation_id")? {
        Some(id) => Some(id),
        None => record.name("id")?,
    };
    let conversation = match id {
        Some(id) => id,
        None => intake.source().numbered(number)?,
    };
    let mut thread = Thread { conversation, title: record.text("title")?, pauses: Pauses::new() };
    let current = record.text("current_node")?;
    let mut mapping = record.object("mapping")?.ok_or_else(|| record.missing("mapping", "an object of nodes"))?;
    let branch = branch::shown(&mapping, current.as_deref());
    let mut messages = 0;
    for node in &branch {
        if let Some(message) = take_message(&mut mapping, node) {
            messages += 1;
            let spot = spot.message(messages);
            let turn = read_message(message, node, &mut thread, intake.place(spot));
            intake.keep_exported(turn, spot)?;
        }
    }
    report_rest(&mapping, spot, intake);
    Ok(())
}

fn take_message(mapping: &mut Map<String, Value>, node: &str) -> Option<Value> {
    mapping.get_mut(node)?.get_mut("message").map(Value::take).filter(|message| !message.is_null())
}

/// Reports the nodes whose message nobody took.
fn report_rest(mapping: &Map<String, Value>, spot: Spot, intake: &mut Intake) {
    for (node, fields) in mapping {
        if fields.get("message").is_some_and(|message| !message.is_null()) {
            intake.skip_at(format!("{spot}, node {node}"), SkipReason::OtherBranch);
        }
    }
}

fn read_message(message: Value, node: &str, thread: &mut Thread, place: Place<'_>) -> Result<Turn, Refusal> {
    let mut message = JsonFields::of(message, "the message", place)?;
    let speaker = read_speaker(&mut message)?;
    let text = read_text(&mut message)?;
    let id = match message.name("id")? {
        Some(id) => id,
        None => name(node.to_owned(), "mapping", place)?,
    };
    let said_at = message.time("create_time")?;
    let session = thread.pauses.next(said_at, place)?;
    Ok(Turn {
        id: Some(id),
        said_at,
        meta: thread.title.take().map(|title| Map::from_iter([("title".to_owned(), Value::String(title))])),
        ..Turn::new(thread.conversation.clone(), session, speaker, text)
    })
}

/// The role of a message that a person or the model put on the screen.
fn read_speaker(message: &mut JsonFields) -> Result<String, Refusal> {
    let author = message.object("author")?.ok_or_else(|| message.missing("author", "an object with a role"))?;
    let role = JsonFields::new(author, message.place()).required_text("role")?;
    let metadata = message.object("metadata")?.unwrap_or_default();
    let hidden = metadata.get("is_visually_hidden_from_conversation") == Some(&Value::Bool(true));
    let to_tool = message.text("recipient")?.is_some_and(|recipient| recipient != "all");
    match role.as_str() {
        "system" => Err(SkipReason::SystemMessage.into()),
        "tool" => Err(SkipReason::ToolMessage.into()),
        "user" | "assistant" if hidden => Err(SkipReason::HiddenMessage.into()),
        "user" | "assistant" if to_tool => Err(SkipReason::ToolCall.into()),
        "user" | "assistant" => Ok(role),
        _ => Err(SkipReason::UnknownRole(role).into()),
    }
}

fn read_text(message: &mut JsonFields) -> Result<String, Refusal> {
    let content = message.object("content")?.ok_or(SkipReason::EmptyText)?;
    let mut content = JsonFields::new(content, message.place());
    let kind = content.required_text("content_type")?;
    if !matches!(kind.as_str(), "text" | "multimodal_text") {
        return Err(SkipReason::UnsupportedContent(kind).into());
    }
    let parts = content.array("parts")?.unwrap_or_default();
    let Content { text, other } = read_parts(parts, "content_type", message.place())?;
    match other {
        _ if !text.is_empty() => Ok(text),
        Some(kind) => Err(SkipReason::UnsupportedContent(kind).into()),
        None => Err(SkipReason::EmptyText.into()),
    }
}
