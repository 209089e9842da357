//! The data export of Claude.
//!
//! Messages may know which they follow: then the branch that ends in the last one is read, the rest is reported as
//! skipped. An artifact is a turn of the assistant after the message that began it, with its last text; what was taken
//! out of an attached file is a turn before the message it came with. The name of a conversation is the title of its
//! sessions, and the names of attached files go into `meta` of the turn they came with. The sender `human` is `user`, as in
//! the exports of others.

mod artifacts;
mod attachments;
mod tags;

use std::collections::{HashMap, HashSet};

use aforesaid_core::types::{ConversationId, MemoryId, Turn};
use serde_json::{Map, Value};

use attachments::Attachments;
use tags::Part;

use super::{
    FormatError, Intake, SkipReason, Spot, branch,
    content::{Content, read_parts},
    elements::{Element, each},
    record::{JsonFields, name},
    refusal::Refusal,
    sessions::{Pauses, position},
    titles::Titles,
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
    titles: Titles,
    pauses: Pauses,
}

fn read_conversation(conversation: Value, number: usize, intake: &mut Intake) -> Result<(), FormatError> {
    let spot = Spot::conversation(number);
    let mut record = JsonFields::of(conversation, "the conversation", intake.place(spot))?;
    let conversation = match record.name("uuid")? {
        Some(id) => id,
        None => intake.source().numbered(number)?,
    };
    let titles = Titles::new(record.text("name")?);
    let leaf = record.text("current_leaf_message_uuid")?;
    let messages =
        record.array("chat_messages")?.ok_or_else(|| record.missing("chat_messages", "an array of messages"))?;
    let shown = shown(&messages, leaf.as_deref());
    let is_shown =
        |message: &Value| shown.as_ref().is_none_or(|shown| uuid(message).is_none_or(|id| shown.contains(id)));
    let artifacts = artifacts::read(messages.iter().enumerate().filter(|(_, message)| is_shown(message)));
    let left = artifacts::read(messages.iter().enumerate().filter(|(_, message)| !is_shown(message)));
    left.keys().for_each(|key| intake.leave(&conversation, artifact_id(key)));
    let mut thread = Thread { conversation, titles, pauses: Pauses::new() };
    for (index, message) in messages.into_iter().enumerate() {
        let spot = spot.message(index + 1);
        if !is_shown(&message) {
            intake.skip(spot, SkipReason::OtherBranch);
            leave(message, &thread.conversation, spot, intake);
            continue;
        }
        let message = JsonFields::of(message, "the message", intake.place(spot))?;
        let begun = artifacts.begun_at(index).filter_map(|document| Some((&*document.key, document.turn("Artifact")?)));
        let said = read_message(message, index + 1, begun.collect(), &mut thread)?;
        said.before.into_iter().try_for_each(|turn| intake.keep_exported(Ok(turn), spot))?;
        intake.keep_exported(said.turn, spot)?;
        said.after.into_iter().try_for_each(|turn| intake.keep_exported(Ok(turn), spot))?;
    }
    Ok(())
}

/// Notes the turns that a message of another branch once was. Nothing of it is read, so that nothing in it can be wrong.
fn leave(message: Value, conversation: &ConversationId, spot: Spot, intake: &mut Intake) {
    let Some(id) = uuid(&message).map(str::to_owned) else { return };
    let fields = JsonFields::of(message, "the message", intake.place(spot));
    let attached = fields.and_then(|mut fields| attachments::read(&mut fields)).unwrap_or_default();
    attached.texts.iter().for_each(|(number, _)| intake.leave(conversation, attachment_id(&id, *number)));
    intake.leave(conversation, id);
}

fn attachment_id(message: &str, number: usize) -> String {
    format!("{message}:attachment-{number}")
}

fn artifact_id(key: &str) -> String {
    format!("artifact:{key}")
}

fn uuid(message: &Value) -> Option<&str> {
    message.get("uuid")?.as_str()
}

/// The messages of the branch that was on the screen last; `None` where no message says which it follows.
fn shown(messages: &[Value], leaf: Option<&str>) -> Option<HashSet<String>> {
    let parent = |message: &'_ Value| message.get("parent_message_uuid").and_then(Value::as_str).map(str::to_owned);
    let parents: HashMap<&str, Option<String>> =
        messages.iter().filter_map(|message| Some((uuid(message)?, parent(message)))).collect();
    if parents.values().all(Option::is_none) {
        return None;
    }
    let leaf = leaf.filter(|leaf| parents.contains_key(leaf));
    let last = leaf.or_else(|| messages.iter().rev().find_map(uuid));
    let branch = branch::path(last, |message| parents.get(message).map(Option::as_deref));
    Some(branch.into_iter().collect())
}

/// What came of a message.
struct Said {
    /// What was taken out of files that came with it.
    before: Vec<Turn>,
    /// Its own words.
    turn: Result<Turn, Refusal>,
    /// The artifacts that it began.
    after: Vec<Turn>,
}

/// Reads a message; `begun` are the artifacts that it began, by what they are called.
fn read_message(
    mut message: JsonFields,
    number: usize,
    begun: Vec<(&str, String)>,
    thread: &mut Thread,
) -> Result<Said, FormatError> {
    let without = |refusal| Ok(Said { before: Vec::new(), turn: Err(refusal), after: Vec::new() });
    let sender = message.required_text("sender")?;
    let speaker = match sender.as_str() {
        // One name for one role, whichever assistant it was.
        "human" => "user",
        "assistant" => "assistant",
        _ => return without(SkipReason::UnknownRole(sender).into()),
    };
    let Attachments { names, texts } = attachments::read(&mut message)?;
    let text = match read_text(&mut message).and_then(|text| without_tags(speaker, text)) {
        Err(Refusal::Fail(error)) => return Err(error),
        Err(Refusal::Skip(SkipReason::EmptyText)) if !names.is_empty() => Err(SkipReason::OnlyAttachments),
        Err(Refusal::Skip(why)) => Err(why),
        Ok(text) => Ok(text),
    };
    // Of what is left out, no session begins.
    let text = match text {
        Err(why) if texts.is_empty() && begun.is_empty() => return without(why.into()),
        text => text,
    };
    let place = message.place();
    let id: Option<MemoryId> = message.name("uuid")?;
    let said_at = message.time("created_at")?;
    let session = thread.pauses.next(said_at, place)?;
    let id = match id {
        Some(id) => id,
        None => position(&session, number, place)?,
    };
    let beside = |id: String, speaker: &str, text: String| -> Result<Turn, FormatError> {
        let turn = Turn::new(thread.conversation.clone(), session.clone(), speaker, text);
        Ok(Turn { id: Some(name(id, "id", place)?), said_at, ..turn })
    };
    let attached = texts.into_iter().map(|(n, text)| beside(attachment_id(id.as_str(), n), speaker, text));
    let mut before: Vec<Turn> = attached.collect::<Result<_, _>>()?;
    let documents = begun.into_iter().map(|(key, text)| beside(artifact_id(key), "assistant", text));
    let mut after: Vec<Turn> = documents.collect::<Result<_, _>>()?;
    let mut turn = text.map(|text| Turn {
        id: Some(id.clone()),
        said_at,
        meta: files(names),
        ..Turn::new(thread.conversation.clone(), session.clone(), speaker, text)
    });
    if let Some(first) = before.first_mut().or(turn.as_mut().ok()).or(after.first_mut()) {
        first.title = thread.titles.next(&session);
    }
    Ok(Said { before, turn: turn.map_err(Refusal::Skip), after })
}

/// What an assistant says in a text, without its thoughts and its artifacts.
fn without_tags(speaker: &str, text: String) -> Result<String, Refusal> {
    let parts = if speaker == "assistant" { tags::parts(&text) } else { Vec::new() };
    if !parts.iter().any(|part| !matches!(part, Part::Said(_))) {
        return Ok(text);
    }
    let said: Vec<&str> =
        parts.iter().filter_map(|part| if let Part::Said(said) = part { Some(said.trim()) } else { None }).collect();
    match said.is_empty() {
        false => Ok(said.join("\n\n")),
        true if parts.iter().all(|part| *part == Part::Thought) => Err(SkipReason::Reasoning.into()),
        true => Err(SkipReason::ToolCall.into()),
    }
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
        Some("thinking") => Err(SkipReason::Reasoning.into()),
        Some(kind) => Err(SkipReason::UnsupportedContent(kind.to_owned()).into()),
        None => Err(SkipReason::EmptyText.into()),
    }
}

fn files(names: Vec<Value>) -> Option<Map<String, Value>> {
    (!names.is_empty()).then(|| Map::from_iter([("files".to_owned(), Value::Array(names))]))
}
