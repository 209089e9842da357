//! The data export of ChatGPT.
//!
//! A conversation is a tree there: the branch that was on the screen last is read, the rest is reported as skipped. A
//! canvas is a turn of the assistant at the place where it was begun, with its last text, and the text of an attached file,
//! where the export has it, a turn of the user. What an image was asked for is
//! its caption. The title goes to every session, the names of attached files into `meta` of the turn they came with.

mod attached;
mod canvas;

use aforesaid_core::types::{ConversationId, Turn};
use serde_json::{Map, Value};

use super::{
    FormatError, Intake, Place, SkipReason, Spot, branch,
    content::{Content, read_parts},
    elements::{Element, each},
    record::{JsonFields, name},
    refusal::Refusal,
    sessions::Pauses,
    titles::Titles,
};

/// Kinds of content in which a model thinks.
const REASONING: [&str; 2] = ["thoughts", "reasoning_recap"];

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
    titles: Titles,
    /// The custom GPT or project it belongs to, until the first turn has it.
    gizmo: Option<String>,
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
    let titles = Titles::new(record.text("title")?);
    let gizmo = record.take("gizmo_id").and_then(|gizmo| gizmo.as_str().map(str::to_owned));
    let mut thread = Thread { conversation, titles, gizmo, pauses: Pauses::new() };
    let current = record.text("current_node")?;
    let mut mapping = record.object("mapping")?.ok_or_else(|| record.missing("mapping", "an object of nodes"))?;
    let nodes = branch::shown(&mapping, current.as_deref());
    let (mut names, mut messages) = (Vec::new(), Vec::new());
    for node in nodes {
        if let Some(message) = take_message(&mut mapping, &node) {
            names.push(node);
            messages.push(message);
        }
    }
    let canvases = canvas::read(&messages);
    let attached: Vec<Option<String>> = (0..messages.len()).map(|place| attached::read(&messages, place)).collect();
    for (place, ((message, node), attached)) in messages.into_iter().zip(&names).zip(attached).enumerate() {
        let spot = spot.message(place + 1);
        let canvas = canvases.begun_at(place).find_map(|canvas| canvas.turn("Canvas"));
        let document = canvas.map(|text| Said::words("assistant", text));
        let document = document.or(attached.map(|text| Said::words("user", text)));
        let turn = read_message(message, node, document, &mut thread, intake.place(spot));
        intake.keep_exported(turn, spot)?;
    }
    report_rest(&mapping, &thread.conversation, spot, intake);
    Ok(())
}

fn take_message(mapping: &mut Map<String, Value>, node: &str) -> Option<Value> {
    mapping.get_mut(node)?.get_mut("message").map(Value::take).filter(|message| !message.is_null())
}

/// Reports the nodes whose message nobody took.
fn report_rest(mapping: &Map<String, Value>, conversation: &ConversationId, spot: Spot, intake: &mut Intake) {
    for (node, fields) in mapping {
        let Some(message) = fields.get("message").filter(|message| !message.is_null()) else { continue };
        intake.skip_at(format!("{spot}, node {node}"), SkipReason::OtherBranch);
        intake.leave(conversation, message.get("id").and_then(Value::as_str).unwrap_or(node));
    }
}

/// What a message says, and whose it is.
struct Said {
    speaker: String,
    text: String,
    caption: Option<String>,
}

impl Said {
    fn words(speaker: &str, text: String) -> Self {
        Self { speaker: speaker.to_owned(), text, caption: None }
    }
}

/// Reads a message; `document` is the canvas that it began, or the file that it gives to the model.
fn read_message(
    message: Value,
    node: &str,
    document: Option<Said>,
    thread: &mut Thread,
    place: Place<'_>,
) -> Result<Turn, Refusal> {
    let mut message = JsonFields::of(message, "the message", place)?;
    let metadata = message.object("metadata")?.unwrap_or_default();
    let said = match document {
        Some(said) => said,
        None => read_said(&mut message, &metadata)?,
    };
    let id = match message.name("id")? {
        Some(id) => id,
        None => name(node.to_owned(), "mapping", place)?,
    };
    let said_at = message.time("create_time")?;
    let session = thread.pauses.next(said_at, place)?;
    Ok(Turn {
        id: Some(id),
        said_at,
        image_caption: said.caption,
        title: thread.titles.next(&session),
        meta: meta(&metadata, thread.gizmo.take()),
        ..Turn::new(thread.conversation.clone(), session, said.speaker, said.text)
    })
}

/// What a person or the model put on the screen: words, and images with what they were asked for.
fn read_said(message: &mut JsonFields, metadata: &Map<String, Value>) -> Result<Said, Refusal> {
    let speaker = read_speaker(message, metadata);
    let tool = match speaker {
        Err(Refusal::Skip(SkipReason::ToolMessage)) => true,
        Err(refusal) => return Err(refusal),
        Ok(_) => false,
    };
    let content = message.object("content")?;
    if tool {
        let captions = content.map(|content| images(&content, metadata)).unwrap_or_default();
        return match captions.is_empty() {
            true => Err(SkipReason::ToolMessage.into()),
            // A tool drew it, for the assistant.
            false => {
                Ok(Said { speaker: "assistant".to_owned(), text: String::new(), caption: Some(captions.join("\n")) })
            }
        };
    }
    let content = content.ok_or(SkipReason::EmptyText)?;
    let captions = images(&content, metadata);
    let caption = (!captions.is_empty()).then(|| captions.join("\n"));
    let text = match read_text(content, message.place()) {
        Err(Refusal::Skip(_)) if caption.is_some() => String::new(),
        read => read?,
    };
    Ok(Said { speaker: speaker?, text, caption })
}

/// The role of a message that a person or the model put on the screen.
fn read_speaker(message: &mut JsonFields, metadata: &Map<String, Value>) -> Result<String, Refusal> {
    let author = message.object("author")?.ok_or_else(|| message.missing("author", "an object with a role"))?;
    let role = JsonFields::new(author, message.place()).required_text("role")?;
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

fn read_text(content: Map<String, Value>, place: Place<'_>) -> Result<String, Refusal> {
    let mut content = JsonFields::new(content, place);
    let kind = content.required_text("content_type")?;
    if REASONING.contains(&kind.as_str()) {
        return Err(SkipReason::Reasoning.into());
    }
    if !matches!(kind.as_str(), "text" | "multimodal_text") {
        return Err(SkipReason::UnsupportedContent(kind).into());
    }
    let parts = content.array("parts")?.unwrap_or_default();
    let Content { text, other } = read_parts(parts, "content_type", place)?;
    match other {
        _ if !text.is_empty() => Ok(text),
        Some(kind) => Err(SkipReason::UnsupportedContent(kind).into()),
        None => Err(SkipReason::EmptyText.into()),
    }
}

/// What the images of a message were asked for, or what they are called, where the export says so.
fn images(content: &Map<String, Value>, metadata: &Map<String, Value>) -> Vec<String> {
    let parts = content.get("parts").and_then(Value::as_array).into_iter().flatten();
    let pointers = parts.filter(|part| part.get("content_type").is_some_and(|kind| kind == "image_asset_pointer"));
    let said = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let prompt = |part: &Value| {
        let made = part.get("metadata").and_then(|metadata| metadata.get("dalle"));
        said(made.and_then(|made| made.get("prompt"))).or_else(|| said(metadata.get("image_gen_title")))
    };
    pointers.filter_map(prompt).collect()
}

/// The names of attached files, and the custom GPT or project of the conversation.
fn meta(metadata: &Map<String, Value>, gizmo: Option<String>) -> Option<Map<String, Value>> {
    let attached = metadata.get("attachments").and_then(Value::as_array).into_iter().flatten();
    let files: Vec<Value> =
        attached.filter_map(|file| file.get("name").filter(|name| is_name(name))).cloned().collect();
    let mut meta = Map::new();
    if let Some(gizmo) = gizmo {
        meta.insert("gizmo".to_owned(), Value::String(gizmo));
    }
    if !files.is_empty() {
        meta.insert("files".to_owned(), Value::Array(files));
    }
    (!meta.is_empty()).then_some(meta)
}

fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(|name| !name.trim().is_empty())
}
