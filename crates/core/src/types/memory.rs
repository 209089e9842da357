//! What goes in (turns and notes) and what is kept of it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ConversationId, MAX_TEXT_BYTES, MAX_TITLE_BYTES, MemoryId, SessionId, Timestamp, UnknownChoice};
use crate::error::InvalidMemory;

/// One utterance of a conversation, as it goes in; [`Turn::new`] makes one of what every turn has.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Its id; the store gives one (`<session>:<n>`) where there is none.
    pub id: Option<MemoryId>,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The session of that conversation.
    pub session: SessionId,
    /// Who said it.
    pub speaker: String,
    /// What was said.
    pub text: String,
    /// When it was said.
    pub said_at: Option<Timestamp>,
    /// What an attached image shows.
    pub image_caption: Option<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Labels.
    pub tags: Vec<String>,
    /// Whether its text may leave this machine.
    pub sensitivity: Sensitivity,
    /// The title of its session, if it has one; a later turn may give the session another.
    pub title: Option<String>,
    /// Anything else the source knew; stored and exported, never searched.
    pub meta: Option<Map<String, Value>>,
}

impl Turn {
    /// A turn without an id, a time, a title or marks; the other fields are set on it.
    pub fn new(
        conversation: ConversationId,
        session: SessionId,
        speaker: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            id: None,
            conversation,
            session,
            speaker: speaker.into(),
            text: text.into(),
            said_at: None,
            image_caption: None,
            importance: Importance::default(),
            tags: Vec::new(),
            sensitivity: Sensitivity::default(),
            title: None,
            meta: None,
        }
    }
}

/// Something an agent wants remembered that nobody said in so many words.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its id; the store gives one (`note:<n>`) where there is none.
    pub id: Option<MemoryId>,
    /// The conversation it is about, if one.
    pub conversation: Option<ConversationId>,
    /// The note itself.
    pub text: String,
    /// When it was made.
    pub said_at: Option<Timestamp>,
    /// How much it matters.
    pub importance: Importance,
    /// Labels.
    pub tags: Vec<String>,
    /// Whether its text may leave this machine.
    pub sensitivity: Sensitivity,
    /// The turns it was drawn from.
    pub source: Vec<MemoryId>,
}

/// A turn or a note on its way into a store.
#[derive(Debug, Clone, PartialEq)]
pub enum Draft {
    /// An utterance.
    Turn(Turn),
    /// A note.
    Note(Note),
}

/// What a memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An utterance of a conversation.
    #[default]
    Turn,
    /// Written by an agent.
    Note,
}

impl FromStr for Kind {
    type Err = UnknownChoice;
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "turn" => Ok(Kind::Turn),
            "note" => Ok(Kind::Note),
            _ => Err(UnknownChoice { what: "kind", found: word.into(), expected: "turn or note" }),
        }
    }
}

impl Kind {
    fn is_turn(&self) -> bool {
        *self == Kind::Turn
    }
}

/// How much a memory matters, in [0, 1]; 0.5 where nobody said.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Importance(f64);

impl Importance {
    /// Checks an importance.
    ///
    /// # Errors
    /// When it is outside [0, 1] or not a number.
    pub fn new(value: f64) -> Result<Self, InvalidMemory> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(InvalidMemory::Importance { found: value }) }
    }

    /// The value in [0, 1].
    pub fn value(self) -> f64 {
        self.0
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Importance {
    fn default() -> Self {
        Self(0.5)
    }
}

impl TryFrom<f64> for Importance {
    type Error = InvalidMemory;
    fn try_from(value: f64) -> Result<Self, InvalidMemory> {
        Self::new(value)
    }
}

impl From<Importance> for f64 {
    fn from(importance: Importance) -> f64 {
        importance.0
    }
}

/// Whether a text may be sent to a model that does not run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Sensitivity {
    /// Any configured model may see it.
    #[default]
    Ordinary,
    /// Only a model on this machine may see it.
    Sensitive,
}

impl Sensitivity {
    fn is_ordinary(&self) -> bool {
        *self == Sensitivity::Ordinary
    }
}

impl From<bool> for Sensitivity {
    fn from(sensitive: bool) -> Self {
        if sensitive { Sensitivity::Sensitive } else { Sensitivity::Ordinary }
    }
}

impl From<Sensitivity> for bool {
    fn from(sensitivity: Sensitivity) -> bool {
        sensitivity == Sensitivity::Sensitive
    }
}

/// The place of a memory in its namespace, in order of arrival, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// A stored turn or note; serializes as one line of an export.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Its place in the namespace.
    #[serde(skip)]
    pub seq: Seq,
    /// Its id, unique in its conversation.
    pub id: MemoryId,
    /// Turn or note.
    #[serde(skip_serializing_if = "Kind::is_turn")]
    pub kind: Kind,
    /// The conversation; always there for a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The session; always there for a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The title of the session, as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who said it; always there for a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// What was said or noted.
    pub text: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said_at: Option<Timestamp>,
    /// What an attached image shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_caption: Option<String>,
    /// How much it matters.
    #[serde(skip_serializing_if = "Importance::is_default")]
    pub importance: Importance,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether its text may leave this machine.
    #[serde(rename = "sensitive", skip_serializing_if = "Sensitivity::is_ordinary")]
    pub sensitivity: Sensitivity,
    /// The turns a note was drawn from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<MemoryId>,
    /// Anything else the source knew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl Draft {
    /// Checks text length and presence; stores call it before they write.
    ///
    /// # Errors
    /// When the text is blank or longer than [`MAX_TEXT_BYTES`], or a turn has no speaker.
    pub fn check(&self) -> Result<(), InvalidMemory> {
        let (text, caption) = match self {
            Draft::Turn(turn) => (&turn.text, turn.image_caption.as_deref().unwrap_or_default()),
            Draft::Note(note) => (&note.text, ""),
        };
        if let Some(bytes) = self.title().map(str::len).filter(|&bytes| bytes > MAX_TITLE_BYTES) {
            return Err(InvalidMemory::TitleTooLong { id: self.id().cloned(), bytes });
        }
        if text.trim().is_empty() && caption.trim().is_empty() {
            return Err(InvalidMemory::EmptyText { id: self.id().cloned() });
        }
        check_length(self.id(), text.len() + caption.len())?;
        match self {
            Draft::Turn(turn) if turn.speaker.trim().is_empty() => {
                Err(InvalidMemory::NoSpeaker { id: turn.id.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The id it asks for.
    pub fn id(&self) -> Option<&MemoryId> {
        match self {
            Draft::Turn(turn) => turn.id.as_ref(),
            Draft::Note(note) => note.id.as_ref(),
        }
    }

    /// The conversation it belongs to.
    pub fn conversation(&self) -> Option<&ConversationId> {
        match self {
            Draft::Turn(turn) => Some(&turn.conversation),
            Draft::Note(note) => note.conversation.as_ref(),
        }
    }

    /// The title it gives its session; a blank one is none.
    pub fn title(&self) -> Option<&str> {
        match self {
            Draft::Turn(turn) => turn.title.as_deref().map(str::trim).filter(|title| !title.is_empty()),
            Draft::Note(_) => None,
        }
    }

    /// Whether only a local model may see it.
    pub fn sensitivity(&self) -> Sensitivity {
        match self {
            Draft::Turn(turn) => turn.sensitivity,
            Draft::Note(note) => note.sensitivity,
        }
    }

    /// The text that is indexed: see [`passage`].
    pub fn passage(&self) -> String {
        match self {
            Draft::Turn(turn) => passage(Some(&turn.speaker), &turn.text, turn.image_caption.as_deref()),
            Draft::Note(note) => passage(None, &note.text, None),
        }
    }

    /// The memory it becomes once a store has given it `seq` and `id`.
    pub fn into_memory(self, seq: Seq, id: MemoryId) -> Record {
        match self {
            Draft::Turn(turn) => Record {
                seq,
                id,
                kind: Kind::Turn,
                conversation: Some(turn.conversation),
                session: Some(turn.session),
                title: turn.title,
                speaker: Some(turn.speaker),
                text: turn.text,
                said_at: turn.said_at,
                image_caption: turn.image_caption,
                importance: turn.importance,
                tags: turn.tags,
                sensitivity: turn.sensitivity,
                source: Vec::new(),
                meta: turn.meta,
            },
            Draft::Note(note) => Record {
                seq,
                id,
                kind: Kind::Note,
                conversation: note.conversation,
                session: None,
                title: None,
                speaker: None,
                text: note.text,
                said_at: note.said_at,
                image_caption: None,
                importance: note.importance,
                tags: note.tags,
                sensitivity: note.sensitivity,
                source: note.source,
                meta: None,
            },
        }
    }
}

/// Checks the text of a stored note that is to change, as [`Draft::check`] does.
///
/// # Errors
/// When it is blank or longer than [`MAX_TEXT_BYTES`].
pub(crate) fn check_text(id: MemoryId, text: &str) -> Result<(), InvalidMemory> {
    check_length(Some(&id), text.len())?;
    match text.trim().is_empty() {
        true => Err(InvalidMemory::EmptyText { id: Some(id) }),
        false => Ok(()),
    }
}

fn check_length(id: Option<&MemoryId>, bytes: usize) -> Result<(), InvalidMemory> {
    match bytes > MAX_TEXT_BYTES {
        true => Err(InvalidMemory::TextTooLong { id: id.cloned(), bytes }),
        false => Ok(()),
    }
}

impl Record {
    /// The first field in which this memory and another of the same id differ.
    ///
    /// Used to tell a repeated import from two things claiming one id. `title` and `meta` are not compared: a chat that
    /// was given another title is the same chat.
    pub fn difference(&self, other: &Record) -> Option<&'static str> {
        let fields: [(&'static str, bool); 10] = [
            ("kind", self.kind == other.kind),
            ("session", self.session == other.session),
            ("speaker", self.speaker == other.speaker),
            ("text", self.text == other.text),
            ("said_at", self.said_at == other.said_at),
            ("image_caption", self.image_caption == other.image_caption),
            ("importance", self.importance == other.importance),
            ("tags", self.tags == other.tags),
            ("sensitive", self.sensitivity == other.sensitivity),
            ("source", self.source == other.source),
        ];
        fields.into_iter().find(|(_, same)| !same).map(|(field, _)| field)
    }

    /// The text that is indexed: see [`passage`].
    pub fn passage(&self) -> String {
        passage(self.speaker.as_deref(), &self.text, self.image_caption.as_deref())
    }

    /// The bytes of its text that are among some bytes of its passage.
    pub fn part_of_text(&self, of_passage: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let before = passage(self.speaker.as_deref(), "", None).len();
        let place = |byte: usize| byte.saturating_sub(before).min(self.text.len());
        place(of_passage.start)..place(of_passage.end)
    }
}

/// The text a memory is indexed by: `speaker: text [image: caption]`.
pub fn passage(speaker: Option<&str>, text: &str, caption: Option<&str>) -> String {
    let mut passage = String::with_capacity(text.len() + 32);
    if let Some(speaker) = speaker {
        passage.push_str(speaker);
        passage.push_str(": ");
    }
    passage.push_str(text);
    if let Some(caption) = caption {
        passage.push_str(" [image: ");
        passage.push_str(caption);
        passage.push(']');
    }
    passage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> Draft {
        Draft::Turn(Turn::new(ConversationId::new("c").unwrap(), SessionId::new("s").unwrap(), "Ann", text))
    }

    #[test]
    fn text_is_neither_blank_nor_endless() {
        assert!(turn("hello").check().is_ok());
        assert!(matches!(turn(" \n").check(), Err(InvalidMemory::EmptyText { .. })));
        let long = turn(&"x".repeat(10 << 20)).check().unwrap_err().to_string();
        assert!(long.contains("10485760 bytes"), "{long}");
    }

    #[test]
    fn a_passage_names_its_speaker_and_its_image() {
        assert_eq!(passage(Some("Ann"), "look", Some("a red kite")), "Ann: look [image: a red kite]");
        assert_eq!(passage(None, "likes kites", None), "likes kites");
    }

    #[test]
    fn importance_stays_in_range() {
        assert!(Importance::new(1.0).is_ok());
        assert!(Importance::new(1.01).is_err());
        assert!(Importance::new(f64::NAN).is_err());
    }
}
