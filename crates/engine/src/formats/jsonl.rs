//! Turns and notes of aforesaid, one JSON object a line: what an export writes.
//!
//! A turn needs `speaker` and `text`. Without `conversation` it belongs to the
//! one the file is named after, without `session` to `session-1`, and without
//! `id` it is the n-th turn of its session, `<session>:<n>`. A line of `"kind":
//! "note"` needs `text` only, belongs to no conversation unless it names one, and
//! without `id` is named by a hash of what it says: reading a file again gives
//! the same ids. Blank lines mean nothing.
//!
//! People write these files by hand, so a field that nothing would read, or
//! that is there twice, is an error.

mod object;

use std::collections::HashMap;

use aforesaid_core::types::{ConversationId, Draft, Importance, MemoryId, Note, Sensitivity, SessionId, Turn};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    FormatError, Intake, Place, Spot,
    elements::broken,
    record::{JsonFields, name, wrong_type},
    sessions::session,
};

const LINE: &str = "one whole turn or note as an object on this line";
const KINDS: &str = "turn or note";
const IMPORTANCE: &str = "a number from 0 to 1";

const TURN: [&str; 13] = [
    "id",
    "kind",
    "conversation",
    "session",
    "title",
    "speaker",
    "text",
    "said_at",
    "image_caption",
    "importance",
    "tags",
    "sensitive",
    "meta",
];
const NOTE: [&str; 9] = ["id", "kind", "conversation", "text", "said_at", "importance", "tags", "sensitive", "source"];

/// Reads a turn or a note from every line.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let mut turns = HashMap::new();
    for (index, line) in text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let spot = Spot::line(index + 1);
        let record = JsonFields::new(read_line(line, index, intake.place(spot))?, intake.place(spot));
        let mut draft = read_draft(record, intake)?;
        give_id(&mut draft, &mut turns, intake.place(spot))?;
        intake.keep(draft, spot)?;
    }
    Ok(())
}

/// Turns seen so far by conversation and session.
type Seen = HashMap<(ConversationId, SessionId), usize>;

fn give_id(draft: &mut Draft, turns: &mut Seen, place: Place<'_>) -> Result<(), FormatError> {
    match draft {
        Draft::Turn(turn) => {
            let seen = turns.entry((turn.conversation.clone(), turn.session.clone())).or_default();
            *seen += 1;
            if turn.id.is_none() {
                turn.id = Some(name(format!("{}:{seen}", turn.session), "id", place)?);
            }
        }
        Draft::Note(note) if note.id.is_none() => {
            let digest = Sha256::digest(note.text.as_bytes());
            let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            note.id = Some(name(format!("note:{hex}"), "id", place)?);
        }
        Draft::Note(_) => {}
    }
    Ok(())
}

fn read_line(line: &str, lines_before: usize, place: Place<'_>) -> Result<Map<String, Value>, FormatError> {
    let syntax = |error| broken(&error, place.file, lines_before, LINE);
    if line.trim_start().starts_with('{') {
        return object::read(line).map_err(syntax);
    }
    let value = serde_json::from_str(line).map_err(syntax)?;
    Err(wrong_type("the line".into(), &value, "an object", place))
}

fn read_draft(mut record: JsonFields, intake: &Intake) -> Result<Draft, FormatError> {
    match record.text("kind")?.as_deref() {
        None | Some("turn") => read_turn(record, intake).map(Draft::Turn),
        Some("note") => read_note(record).map(Draft::Note),
        Some(other) => Err(record.wrong_value("kind", &Value::String(other.into()), KINDS)),
    }
}

fn read_turn(mut record: JsonFields, intake: &Intake) -> Result<Turn, FormatError> {
    refuse_unknown(&record, "turn", &TURN)?;
    Ok(Turn {
        id: record.name("id")?,
        conversation: match record.name("conversation")? {
            Some(name) => name,
            None => intake.source().conversation()?,
        },
        session: match record.name("session")? {
            Some(name) => name,
            None => session(1, record.place())?,
        },
        speaker: record.required_text("speaker")?,
        text: record.required_text("text")?,
        said_at: record.time("said_at")?,
        image_caption: record.text("image_caption")?,
        importance: read_importance(&mut record)?,
        tags: read_texts(&mut record, "tags")?,
        sensitivity: read_sensitivity(&mut record)?,
        title: record.text("title")?,
        meta: record.object("meta")?,
    })
}

fn read_note(mut record: JsonFields) -> Result<Note, FormatError> {
    refuse_unknown(&record, "note", &NOTE)?;
    Ok(Note {
        id: record.name("id")?,
        conversation: record.name("conversation")?,
        text: record.required_text("text")?,
        said_at: record.time("said_at")?,
        importance: read_importance(&mut record)?,
        tags: read_texts(&mut record, "tags")?,
        sensitivity: read_sensitivity(&mut record)?,
        source: read_source(&mut record)?,
    })
}

fn refuse_unknown(record: &JsonFields, kind: &'static str, known: &[&str]) -> Result<(), FormatError> {
    match record.names().find(|field| !known.contains(field)) {
        None => Ok(()),
        Some(field) => Err(FormatError::UnknownField {
            place: record.place().to_string(),
            kind,
            field: field.to_owned(),
            known: known.join(", "),
        }),
    }
}

fn read_importance(record: &mut JsonFields) -> Result<Importance, FormatError> {
    let Some(value) = record.take("importance") else { return Ok(Importance::default()) };
    let number = value.as_f64().ok_or_else(|| record.wrong_type("importance", &value, IMPORTANCE))?;
    Importance::new(number).map_err(|_| record.wrong_value("importance", &value, IMPORTANCE))
}

fn read_sensitivity(record: &mut JsonFields) -> Result<Sensitivity, FormatError> {
    match record.take("sensitive") {
        None => Ok(Sensitivity::default()),
        Some(Value::Bool(sensitive)) => Ok(Sensitivity::from(sensitive)),
        Some(other) => Err(record.wrong_type("sensitive", &other, "true or false")),
    }
}

fn read_texts(record: &mut JsonFields, field: &str) -> Result<Vec<String>, FormatError> {
    let items = record.array(field)?.unwrap_or_default();
    let read = |item| match item {
        Value::String(text) => Ok(text),
        other => Err(wrong_type(format!("an item of field {field:?}"), &other, "a string", record.place())),
    };
    items.into_iter().map(read).collect()
}

fn read_source(record: &mut JsonFields) -> Result<Vec<MemoryId>, FormatError> {
    let ids = read_texts(record, "source")?;
    ids.into_iter().map(|id| name(id, "source", record.place())).collect()
}
