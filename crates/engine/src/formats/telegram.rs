//! The JSON export of a Telegram chat, `result.json`, or of several.

use aforesaid_core::types::{ConversationId, Turn};
use serde_json::Value;

use super::{
    FormatError, Intake, SkipReason, Spot,
    record::{JsonFields, name},
    refusal::Refusal,
    sessions::Pauses,
    titles::Titles,
};

/// Reads a chat, or the chats of a whole account.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let document = serde_json::from_str::<Value>(text)
        .map_err(|error| super::elements::broken(&error, intake.file(), 0, "the JSON export of a chat"))?;
    let mut record = JsonFields::of(document, "the export", intake.place(Spot::default()))?;
    let chats = match record.object("chats")? {
        Some(chats) => JsonFields::new(chats, record.place()).array("list")?.unwrap_or_default(),
        None => return read_chat(record, 1, intake),
    };
    for (index, chat) in chats.into_iter().enumerate() {
        let chat = JsonFields::of(chat, "the chat", intake.place(Spot::conversation(index + 1)))?;
        read_chat(chat, index + 1, intake)?;
    }
    Ok(())
}

fn read_chat(mut chat: JsonFields, number: usize, intake: &mut Intake) -> Result<(), FormatError> {
    let spot = Spot::conversation(number);
    let conversation: ConversationId = match (chat.label("id")?, &intake.source().conversation) {
        (_, Some(given)) => given.clone(),
        (Some(id), None) => name(format!("telegram:{id}"), "id", intake.place(spot))?,
        (None, None) => intake.source().numbered(number)?,
    };
    let (mut titles, mut pauses) = (Titles::new(chat.text("name")?), Pauses::new());
    let messages = chat.array("messages")?.ok_or_else(|| chat.missing("messages", "an array of messages"))?;
    for (index, message) in messages.into_iter().enumerate() {
        let spot = spot.message(index + 1);
        let turn = read_message(message, &conversation, &mut titles, &mut pauses, intake, spot);
        intake.keep_exported(turn, spot)?;
    }
    Ok(())
}

fn read_message(
    message: Value,
    conversation: &ConversationId,
    titles: &mut Titles,
    pauses: &mut Pauses,
    intake: &Intake,
    spot: Spot,
) -> Result<Turn, Refusal> {
    let mut message = JsonFields::of(message, "the message", intake.place(spot))?;
    match message.text("type")?.as_deref() {
        None | Some("message") => {}
        Some(other) => return Err(SkipReason::NothingSaid(other.to_owned()).into()),
    }
    let text = match message.take("text") {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            let said = |part: &Value| part.as_str().or_else(|| part.get("text")?.as_str()).map(str::to_owned);
            parts.iter().filter_map(said).collect()
        }
        _ => String::new(),
    };
    if text.trim().is_empty() {
        return Err(SkipReason::OnlyAttachments.into());
    }
    let id = message.label("id")?;
    // Without a zone, `date` is a clock's; the seconds are not.
    let seconds = message.label("date_unixtime")?.and_then(|seconds| seconds.parse::<f64>().ok());
    let said_at = match seconds {
        Some(seconds) => aforesaid_core::types::Timestamp::from_seconds(seconds).ok(),
        None => message.time("date")?,
    };
    let speaker = message.text("from")?.or(message.label("from_id")?).unwrap_or_else(|| "unknown".to_owned());
    let session = pauses.next(said_at, message.place())?;
    Ok(Turn {
        id: id.map(|id| name(id, "id", message.place())).transpose()?,
        said_at,
        title: titles.next(&session),
        ..Turn::new(conversation.clone(), session, speaker, text)
    })
}
