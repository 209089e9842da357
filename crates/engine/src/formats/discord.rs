//! The messages of a Discord channel, as the JSON of DiscordChatExporter.

use aforesaid_core::types::{ConversationId, Turn};
use serde_json::Value;

use super::{
    FormatError, Intake, SkipReason, Spot,
    record::{JsonFields, name},
    refusal::Refusal,
    sessions::Pauses,
    titles::Titles,
};

/// Reads a channel.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let document = serde_json::from_str::<Value>(text)
        .map_err(|error| super::elements::broken(&error, intake.file(), 0, "the JSON export of a channel"))?;
    let mut record = JsonFields::of(document, "the export", intake.place(Spot::default()))?;
    let channel = record.object("channel")?.ok_or_else(|| record.missing("channel", "an object with an id"))?;
    let mut channel = JsonFields::new(channel, record.place());
    let conversation: ConversationId = match (&intake.source().conversation, channel.label("id")?) {
        (Some(given), _) => given.clone(),
        (None, Some(id)) => name(format!("discord:{id}"), "id", record.place())?,
        (None, None) => intake.source().conversation()?,
    };
    let (mut titles, mut pauses) = (Titles::new(channel.text("name")?), Pauses::new());
    let messages = record.array("messages")?.ok_or_else(|| record.missing("messages", "an array of messages"))?;
    for (index, message) in messages.into_iter().enumerate() {
        let spot = Spot::default().message(index + 1);
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
        None | Some("Default" | "Reply") => {}
        Some(other) => return Err(SkipReason::NothingSaid(other.to_owned()).into()),
    }
    let text = message.text("content")?.unwrap_or_default();
    let has_files = message.array("attachments")?.is_some_and(|files| !files.is_empty());
    if text.trim().is_empty() {
        return Err(if has_files { SkipReason::OnlyAttachments } else { SkipReason::EmptyText }.into());
    }
    let author = message.object("author")?.unwrap_or_default();
    let named = ["nickname", "name", "id"].iter().find_map(|field| author.get(*field)?.as_str());
    let speaker = named.filter(|name| !name.trim().is_empty()).unwrap_or("unknown").to_owned();
    let said_at = message.time("timestamp")?;
    let session = pauses.next(said_at, message.place())?;
    Ok(Turn {
        id: message.label_name("id")?,
        said_at,
        title: titles.next(&session),
        ..Turn::new(conversation.clone(), session, speaker, text)
    })
}
