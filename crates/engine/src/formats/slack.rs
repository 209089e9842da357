//! The messages of a Slack channel on a day: one file of an export, an array of messages.
//!
//! An export has a folder a channel, and lists of its people and channels at the top. The channel is the folder's name,
//! also where the folder or a day of it is read alone. What programs of a channel do, such as telling who joined, is left
//! out; what they post is kept.

mod edits;
mod entities;
mod marks;
mod names;
mod place;
mod posts;
mod workspace;

use aforesaid_core::types::{ConversationId, SessionId, Turn};
use serde_json::{Map, Value};

use super::{
    FormatError, Intake, SkipReason, Spot,
    elements::{Element, each},
    place::Place as Spotted,
    record::{JsonFields, name, wrong_type},
    refusal::Refusal,
    titles::Titles,
};
use edits::{DELETED, Edits, deleted_by, kind};
use names::Names;
use place::Place;
pub(crate) use place::{Surroundings, is_day};
pub(crate) use workspace::{LISTS, Workspace};

/// Reads the messages of a file.
pub(super) fn read(text: &str, around: &Surroundings, intake: &mut Intake) -> Result<(), FormatError> {
    let place = Place::of(intake.source().stem, around.folder.as_deref());
    let at = intake.place(Spot::default());
    let conversation: ConversationId = match &intake.source().conversation {
        // A name for one conversation would make one of all channels.
        Some(given) if !place.is_folder => given.clone(),
        _ => name(format!("slack:{}", place.channel), "file name", at)?,
    };
    let title = place.is_folder.then(|| workspace::title(place.channel, around.workspace.as_deref())).flatten();
    let mut channel = Channel {
        conversation,
        session: place.day.map(|day| name(day.to_owned(), "file name", at)).transpose()?,
        titles: Titles::new(title),
        names: Names::new(around.workspace.as_deref()),
        edits: Edits::default(),
    };
    each(text, intake.file(), |element| {
        let (Element::Whole(message) | Element::Item(_, message)) = element;
        if let Value::Object(message) = message {
            channel.names.learn(&message);
            channel.edits.learn(message);
        }
        Ok(())
    })?;
    each(text, intake.file(), |element| {
        let (number, message) = match element {
            Element::Whole(message) => (1, message),
            Element::Item(number, message) => (number, message),
        };
        let spot = Spot::default().message(number);
        let turn = channel.read(message, intake, spot);
        intake.keep_exported(turn, spot)
    })
}

/// The channel that messages are read into.
struct Channel<'w> {
    conversation: ConversationId,
    /// The day, where the file is one.
    session: Option<SessionId>,
    titles: Titles,
    names: Names<'w>,
    edits: Edits,
}

impl Channel<'_> {
    fn read(&mut self, message: Value, intake: &mut Intake, spot: Spot) -> Result<Turn, Refusal> {
        let place = intake.place(spot);
        let message = match message {
            Value::Object(message) => message,
            other => return Err(wrong_type("the message".to_owned(), &other, "an object", place).into()),
        };
        if kind(&message) == "message_deleted" {
            if let Some(stamp) = deleted_by(&message) {
                intake.leave(&self.conversation, stamp);
            }
            return Err(nothing_said(DELETED));
        }
        let Some(message) = self.edits.latest(message) else { return Err(nothing_said("message_changed")) };
        let mut field = field(&message, "ts", place);
        let Some(stamp) = field.label("ts")? else {
            return Err(field.missing("ts", "the moment of the message").into());
        };
        if kind(&message) == "tombstone" || self.edits.is_deleted(&stamp) {
            intake.leave(&self.conversation, stamp);
            return Err(nothing_said(DELETED));
        }
        if !is_said(kind(&message)) {
            return Err(nothing_said(kind(&message)));
        }
        if message.get("hidden").is_some_and(|hidden| hidden == true) {
            return Err(SkipReason::HiddenMessage.into());
        }
        self.turn(&message, stamp, place)
    }

    fn turn(&mut self, message: &Map<String, Value>, stamp: String, place: Spotted<'_>) -> Result<Turn, Refusal> {
        let said = posts::text(message, &self.names);
        if said.trim().is_empty() {
            field(message, "text", place).text("text")?;
            let has_files = message.get("files").and_then(Value::as_array).is_some_and(|files| !files.is_empty());
            return Err(if has_files { SkipReason::OnlyAttachments } else { SkipReason::EmptyText }.into());
        }
        let seconds = Value::from(stamp.parse::<f64>().unwrap_or(f64::NAN));
        let mut time = JsonFields::new([("ts".to_owned(), seconds)].into_iter().collect(), place);
        let said_at = time.time("ts")?;
        let session = match (&self.session, said_at) {
            (Some(day), _) => day.clone(),
            (None, Some(moment)) => {
                let moment = moment.to_string();
                name(moment.split('T').next().unwrap_or(&moment).to_owned(), "ts", place)?
            }
            (None, None) => return Err(time.wrong_value("ts", &Value::from(stamp), "seconds since 1970").into()),
        };
        Ok(Turn {
            said_at,
            title: self.titles.next(&session),
            meta: answered(message, &stamp),
            id: Some(name(stamp, "ts", place)?),
            ..Turn::new(self.conversation.clone(), session, self.names.speaker(message), said)
        })
    }
}

/// Whether a message of a kind holds what somebody said.
fn is_said(kind: &str) -> bool {
    matches!(kind, "" | "bot_message" | "thread_broadcast" | "reply_broadcast" | "me_message" | "file_share")
}

fn nothing_said(kind: &str) -> Refusal {
    SkipReason::NothingSaid(kind.to_owned()).into()
}

/// A field of a message, to be read with errors that name it.
fn field<'p>(message: &Map<String, Value>, field: &str, place: Spotted<'p>) -> JsonFields<'p> {
    let value = message.get(field).cloned();
    JsonFields::new(value.map(|value| (field.to_owned(), value)).into_iter().collect(), place)
}

/// The message whose thread a message is in, where it did not begin it itself.
fn answered(message: &Map<String, Value>, stamp: &str) -> Option<Map<String, Value>> {
    /// Bytes of a moment, with many to spare.
    const MOST: usize = 64;
    let thread = message.get("thread_ts")?.as_str()?;
    let is_other = thread != stamp && !thread.is_empty() && thread.len() <= MOST;
    is_other.then(|| Map::from_iter([("reply_to".to_owned(), Value::from(thread))]))
}
