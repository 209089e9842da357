//! The messages of a Slack channel on a day: one file of an export, an array of messages.
//!
//! An export has a folder a channel; where one is read, the channel is the folder's name. What programs of a channel say,
//! such as who joined, is left out.

use aforesaid_core::types::{ConversationId, SessionId, Turn};
use serde_json::Value;

use super::{
    FormatError, Intake, SkipReason, Spot,
    elements::{Element, each},
    record::{JsonFields, name},
    refusal::Refusal,
};

/// Reads the messages of a day.
pub(super) fn read(text: &str, intake: &mut Intake) -> Result<(), FormatError> {
    let stem = intake.source().stem;
    let (channel, day) = stem.rsplit_once('/').unwrap_or((stem, stem));
    let channel = channel.rsplit('/').next().unwrap_or(channel);
    let place = intake.place(Spot::default());
    let conversation: ConversationId = match &intake.source().conversation {
        Some(given) => given.clone(),
        None => name(format!("slack:{channel}"), "file name", place)?,
    };
    let session: SessionId = name(day.to_owned(), "file name", place)?;
    each(text, intake.file(), |element| {
        let (number, message) = match element {
            Element::Whole(message) => (1, message),
            Element::Item(number, message) => (number, message),
        };
        let spot = Spot::default().message(number);
        let turn = read_message(message, &conversation, &session, intake, spot);
        intake.keep_exported(turn, spot)
    })
}

fn read_message(
    message: Value,
    conversation: &ConversationId,
    session: &SessionId,
    intake: &Intake,
    spot: Spot,
) -> Result<Turn, Refusal> {
    let mut message = JsonFields::of(message, "the message", intake.place(spot))?;
    if let Some(kind) = message
        .text("subtype")?
        .filter(|kind| !matches!(kind.as_str(), "thread_broadcast" | "me_message" | "file_share"))
    {
        return Err(SkipReason::NothingSaid(kind).into());
    }
    let user = message.label("user")?;
    let profile = message.object("user_profile")?.unwrap_or_default();
    let named = ["display_name", "real_name", "name"]
        .iter()
        .find_map(|field| profile.get(*field)?.as_str().map(str::trim).filter(|name| !name.is_empty()));
    let speaker = named.map(str::to_owned).or(user);
    let Some(stamp) = message.label("ts")? else {
        return Err(message.missing("ts", "the moment of the message").into());
    };
    let seconds = Value::from(stamp.parse::<f64>().unwrap_or(f64::NAN));
    let mut time = JsonFields::new([("ts".to_owned(), seconds)].into_iter().collect(), message.place());
    Ok(Turn {
        id: Some(name(stamp, "ts", message.place())?),
        said_at: time.time("ts")?,
        ..Turn::new(
            conversation.clone(),
            session.clone(),
            speaker.unwrap_or_else(|| "unknown".to_owned()),
            plain(&message.text("text")?.unwrap_or_default()),
        )
    })
}

/// A text without the marks of Slack: `<https://a|b>` is b, and `&lt;` is `<`.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>').map(|at| open + at) else { break };
        plain.push_str(&rest[..open]);
        let inside = &rest[open + 1..close];
        plain.push_str(inside.rsplit_once('|').map_or(inside, |(_, label)| label));
        rest = &rest[close + 1..];
    }
    plain.push_str(rest);
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
