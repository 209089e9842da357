//! The LoCoMo benchmark: long conversations of two people over many sessions.
//!
//! Questions, summaries and image links are not read.

use aforesaid_core::types::{ConversationId, SessionId, Timestamp, Turn};
use serde_json::{Map, Value};

use super::{
    FormatError, Intake, Spot,
    elements::{Element, each},
    record::{JsonFields, name},
    sessions::position,
    spoken_time,
};

const DATE: &str = "a time such as 1:56 pm on 8 May, 2023";

/// Reads the samples of a LoCoMo file.
///
/// Sessions come in the order of their numbers. A session may have no date;
/// one that has a date but no turns is no session.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    each(text, intake.file(), |element| {
        let (number, sample) = match element {
            Element::Whole(sample) => (1, sample),
            Element::Item(number, sample) => (number, sample),
        };
        read_sample(sample, Spot::conversation(number), intake)
    })
}

fn read_sample(sample: Value, spot: Spot, intake: &mut Intake) -> Result<(), FormatError> {
    let mut sample = JsonFields::of(sample, "the sample", intake.place(spot))?;
    let conversation: ConversationId =
        sample.label_name("sample_id")?.ok_or_else(|| sample.missing("sample_id", "a string"))?;
    let fields =
        sample.object("conversation")?.ok_or_else(|| sample.missing("conversation", "an object with session_1"))?;
    let sessions = session_keys(&fields);
    let mut fields = JsonFields::new(fields, intake.place(spot));
    if sessions.is_empty() {
        return Err(fields.missing("session_1", "an array of turns in the conversation"));
    }
    for (number, key) in sessions {
        read_session(&mut fields, &key, &conversation, spot.session(number), intake)?;
    }
    Ok(())
}

/// The keys `session_N` and their N, by N.
fn session_keys(fields: &Map<String, Value>) -> Vec<(usize, String)> {
    let mut keys: Vec<_> = fields.keys().filter_map(|key| Some((session_number(key)?, key.clone()))).collect();
    keys.sort();
    keys
}

fn session_number(key: &str) -> Option<usize> {
    let digits = key.strip_prefix("session_")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn read_session(
    fields: &mut JsonFields,
    key: &str,
    conversation: &ConversationId,
    spot: Spot,
    intake: &mut Intake,
) -> Result<(), FormatError> {
    let turns = fields.array(key)?.unwrap_or_default();
    if turns.is_empty() {
        return Ok(());
    }
    let session: SessionId = name(key.to_owned(), key, intake.place(spot))?;
    let said_at = read_date(fields, &format!("{key}_date_time"))?;
    for (index, turn) in turns.into_iter().enumerate() {
        let spot = spot.message(index + 1);
        let record = JsonFields::of(turn, "the turn", intake.place(spot))?;
        let turn = read_turn(record, conversation, &session, index + 1, said_at)?;
        intake.keep_exported(Ok(turn), spot)?;
    }
    Ok(())
}

fn read_date(fields: &mut JsonFields, field: &str) -> Result<Option<Timestamp>, FormatError> {
    let Some(text) = fields.text(field)? else { return Ok(None) };
    match spoken_time::read(&text) {
        Some(time) => Ok(Some(time)),
        None => Err(fields.wrong_value(field, &Value::String(text), DATE)),
    }
}

fn read_turn(
    mut turn: JsonFields,
    conversation: &ConversationId,
    session: &SessionId,
    number: usize,
    said_at: Option<Timestamp>,
) -> Result<Turn, FormatError> {
    let id = match turn.name("dia_id")? {
        Some(id) => id,
        None => position(session, number, turn.place())?,
    };
    let said = Turn {
        id: Some(id),
        said_at,
        ..Turn::new(conversation.clone(), session.clone(), turn.required_text("speaker")?, turn.required_text("text")?)
    };
    Ok(Turn { image_caption: turn.text("blip_caption")?, ..said })
}
