//! Chat messages of a role and a content, as model APIs and fine-tuning files have them.
//!
//! A message without an id is named by its place in the conversation, counted
//! over all its messages, so that a file that has grown gives the old part the
//! same ids again. A title is that of the session.

use aforesaid_core::types::{ConversationId, SessionId, Turn};
use serde_json::Value;

use super::{
    FormatError, Intake, SkipReason, Spot,
    content::{Content, read_parts},
    elements::{Element, broken, each},
    record::JsonFields,
    refusal::Refusal,
    sessions::{position, session},
    titles::Titles,
};

const LINE: &str = "one whole message or conversation as an object on this line";
const ROLES: &str = "user, assistant, system, developer, tool or function";

/// Reads messages out of one JSON document.
///
/// An object is a conversation; the elements of an array are messages of one
/// conversation, or conversations. Those without a name are named by the file,
/// and by their place where they are many.
pub(super) fn read_document(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let mut loose = None;
    each(text, intake.file(), |element| match element {
        Element::Whole(value) => {
            let record = JsonFields::of(value, "the conversation", intake.place(Spot::default()))?;
            let name = intake.source().conversation()?;
            read_conversation(record, name, Spot::default(), intake)
        }
        Element::Item(number, value) => {
            let spots = Spots { message: Spot::default().message(number), conversation: Spot::conversation(number) };
            read_element(value, number, spots, &mut loose, intake)
        }
    })
}

/// Reads a message or a conversation from every line.
pub(super) fn read_lines(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let mut loose = None;
    let mut number = 0;
    for (index, line) in text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        number += 1;
        let value = serde_json::from_str(line).map_err(|error| broken(&error, intake.file(), index, LINE))?;
        let spot = Spot::line(index + 1);
        read_element(value, number, Spots { message: spot, conversation: spot }, &mut loose, intake)?;
    }
    Ok(())
}

/// How an element is called once it is known what it is.
struct Spots {
    message: Spot,
    conversation: Spot,
}

fn read_element(
    value: Value,
    number: usize,
    spots: Spots,
    loose: &mut Option<Thread>,
    intake: &mut Intake,
) -> Result<(), FormatError> {
    let record = JsonFields::of(value, "the message", intake.place(spots.message))?;
    if record.has("messages") {
        let name = intake.source().numbered(number)?;
        let record = record.at(intake.place(spots.conversation));
        return read_conversation(record, name, spots.conversation, intake);
    }
    let thread = match loose {
        Some(thread) => thread,
        None => loose.insert(Thread::new(intake.source().conversation()?, None, intake)?),
    };
    intake.keep_exported(read_message(record, thread), spots.message)
}

/// The conversation that messages are read into.
struct Thread {
    conversation: ConversationId,
    session: SessionId,
    titles: Titles,
    messages: usize,
}

impl Thread {
    fn new(conversation: ConversationId, title: Option<String>, intake: &Intake) -> Result<Self, FormatError> {
        let session = session(1, intake.place(Spot::default()))?;
        Ok(Self { conversation, session, titles: Titles::new(title), messages: 0 })
    }
}

fn read_conversation(
    mut record: JsonFields,
    unnamed: ConversationId,
    spot: Spot,
    intake: &mut Intake,
) -> Result<(), FormatError> {
    let id = match record.label_name("conversation_id")? {
        Some(id) => Some(id),
        None => record.label_name("id")?,
    };
    let title = record.text("title")?;
    let messages = record.array("messages")?.ok_or_else(|| record.missing("messages", "an array of messages"))?;
    let mut thread = Thread::new(id.unwrap_or(unnamed), title, intake)?;
    for (index, message) in messages.into_iter().enumerate() {
        let spot = spot.message(index + 1);
        let record = JsonFields::of(message, "the message", intake.place(spot))?;
        intake.keep_exported(read_message(record, &mut thread), spot)?;
    }
    Ok(())
}

fn read_message(mut message: JsonFields, thread: &mut Thread) -> Result<Turn, Refusal> {
    thread.messages += 1;
    let role = read_role(&mut message)?;
    let content = read_content(&mut message)?;
    if content.text.trim().is_empty() {
        return Err(why_empty(&message, content).into());
    }
    let id = match message.label_name("id")? {
        Some(id) => id,
        None => position(&thread.session, thread.messages, message.place())?,
    };
    let said_at = match message.time("timestamp")? {
        Some(time) => Some(time),
        None => message.time("created_at")?,
    };
    let name = message.text("name")?.filter(|name| !name.trim().is_empty());
    Ok(Turn {
        id: Some(id),
        said_at,
        title: thread.titles.next(&thread.session),
        ..Turn::new(thread.conversation.clone(), thread.session.clone(), name.unwrap_or(role), content.text)
    })
}

/// The role of somebody who talks.
fn read_role(message: &mut JsonFields) -> Result<String, Refusal> {
    let role = message.required_text("role")?;
    match role.as_str() {
        "user" | "assistant" => Ok(role),
        "system" | "developer" => Err(SkipReason::SystemMessage.into()),
        "tool" | "function" => Err(SkipReason::ToolMessage.into()),
        _ => Err(message.wrong_value("role", &Value::String(role), ROLES).into()),
    }
}

fn read_content(message: &mut JsonFields) -> Result<Content, FormatError> {
    match message.take("content") {
        None => Ok(Content::default()),
        Some(Value::String(text)) => Ok(Content { text, other: None }),
        Some(Value::Array(parts)) => read_parts(parts, "type", message.place()),
        Some(other) => Err(message.wrong_type("content", &other, "a string or an array of parts")),
    }
}

fn why_empty(message: &JsonFields, content: Content) -> SkipReason {
    match content.other {
        Some(kind) => SkipReason::UnsupportedContent(kind),
        None if message.has("tool_calls") || message.has("function_call") => SkipReason::ToolCall,
        None => SkipReason::EmptyText,
    }
}
