//! A memory as a row.

use aforesaid_core::{
    store::tables::kind_of_number,
    types::{ConversationId, Importance, Kind, MemoryId, Record, Sensitivity, Seq, SessionId, Timestamp},
};
use rusqlite::{Row, types::Type};
use serde::de::DeserializeOwned;

use crate::checksum;

/// Number of no conversation and of no session; real ones count from 1.
pub(crate) const NO_GROUP: i64 = 0;

macro_rules! select {
    ($session:literal) => {
        concat!(
            "SELECT m.seq, m.id, m.kind, c.name, s.name, m.speaker, m.text, m.said_at, m.image_caption,
                    m.importance, m.sensitive, m.tags, m.source, m.meta, m.checksum, s.title, s.title_sum
             FROM memory m
             LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
             LEFT JOIN session s ON s.namespace = ?1 AND s.id = m.session",
            $session,
            " WHERE m.namespace = ?1"
        )
    };
}

/// Everything of a memory, in the order [`memory`] reads it; `?1` is the tenant.
///
/// A session of another conversation is none: it may bear the same name, and no checksum would notice.
pub(crate) const SELECT: &str = select!(" AND s.conversation = m.conversation");

/// As [`SELECT`], whatever conversation the session belongs to: what a salvage reads.
pub(crate) const SELECT_LOOSELY: &str = select!("");

/// What the columns of [`SELECT`] hold.
const FIELDS: [&str; 17] = [
    "position",
    "id",
    "kind",
    "conversation",
    "session",
    "speaker",
    "text",
    "time",
    "image caption",
    "importance",
    "sensitivity",
    "tags",
    "source",
    "metadata",
    "checksum",
    "title",
    "checksum of the title",
];

/// A row that cannot be what was stored. It names the place, and nothing of what it holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the memory at position {position} has {fault}")]
pub(crate) struct BadRow {
    pub(crate) position: u64,
    pub(crate) fault: Fault,
}

/// What is wrong with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("an unreadable {0}")]
    Unreadable(&'static str),
    #[error("no {0}, which every turn has")]
    Missing(&'static str),
    #[error("another checksum than it was stored with")]
    Checksum,
}

impl BadRow {
    fn of(seq: Seq, fault: Fault) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(0, Type::Null, Box::new(Self { position: seq.0, fault }))
    }

    /// The bad row behind an error, if that is what it is about.
    pub(crate) fn behind(error: &rusqlite::Error) -> Option<&Self> {
        match error {
            rusqlite::Error::FromSqlConversionFailure(_, _, source) => source.downcast_ref(),
            _ => None,
        }
    }
}

/// Reads a memory, and compares it with its checksum.
pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Record> {
    let (memory, verdict) = unverified(row)?;
    match verdict {
        Verdict::Sound => Ok(memory),
        Verdict::Changed => Err(BadRow::of(memory.seq, Fault::Checksum)),
    }
}

/// Whether a memory has the checksum it was stored with; one stored without has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Sound,
    Changed,
}

/// Reads a memory, and says what its checksum says of it.
pub(crate) fn unverified(row: &Row<'_>) -> rusqlite::Result<(Record, Verdict)> {
    let seq = Seq(row.get(0)?);
    decode(row, seq).map_err(|error| match column(&error).and_then(|column| FIELDS.get(column)) {
        Some(field) if BadRow::behind(&error).is_none() => BadRow::of(seq, Fault::Unreadable(field)),
        _ => error,
    })
}

fn decode(row: &Row<'_>, seq: Seq) -> rusqlite::Result<(Record, Verdict)> {
    let text = |column| row.get_ref(column)?.as_str_or_null().map_err(|error| damaged(column, error));
    let stored = checksum::Json { tags: text(11)?, source: text(12)?, meta: text(13)? };
    let memory = Record {
        seq,
        id: checked(row, 1, MemoryId::new)?,
        kind: kind_of_number(row.get(2)?),
        conversation: optional(row, 3, ConversationId::new)?,
        session: optional(row, 4, SessionId::new)?,
        title: row.get(15)?,
        speaker: row.get(5)?,
        text: row.get(6)?,
        said_at: said_at(row, 7)?,
        image_caption: row.get(8)?,
        importance: Importance::new(row.get(9)?).map_err(|error| damaged(9, error))?,
        sensitivity: Sensitivity::from(row.get::<_, bool>(10)?),
        tags: json(stored.tags, 11)?.unwrap_or_default(),
        source: json(stored.source, 12)?.unwrap_or_default(),
        meta: json(stored.meta, 13)?,
    };
    placed(seq, memory.kind, (memory.conversation.is_some(), memory.session.is_some()))?;
    let is = |stored: Option<i64>, sum: u32| stored.is_none_or(|stored| stored == i64::from(sum));
    let sound = is(row.get(14)?, checksum::of(&memory, stored))
        && is(row.get(16)?, checksum::of_title(memory.title.as_deref().unwrap_or_default()));
    Ok((memory, if sound { Verdict::Sound } else { Verdict::Changed }))
}

/// Checks that a turn has its conversation and its session: one that lost them would be exported as something else.
pub(crate) fn placed(seq: Seq, kind: Kind, (conversation, session): (bool, bool)) -> rusqlite::Result<()> {
    match (kind, conversation, session) {
        (Kind::Note, _, _) | (Kind::Turn, true, true) => Ok(()),
        (Kind::Turn, false, _) => Err(BadRow::of(seq, Fault::Missing("conversation"))),
        (Kind::Turn, true, false) => Err(BadRow::of(seq, Fault::Missing("session"))),
    }
}

/// The column that an error of reading a row is about.
pub(crate) fn column(error: &rusqlite::Error) -> Option<usize> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(column, ..)
        | rusqlite::Error::IntegralValueOutOfRange(column, _)
        | rusqlite::Error::Utf8Error(column, _)
        | rusqlite::Error::InvalidColumnType(column, ..) => Some(*column),
        _ => None,
    }
}

pub(crate) fn said_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    millis.map(Timestamp::from_millis).transpose().map_err(|error| damaged(column, error))
}

fn json<T: DeserializeOwned>(text: Option<&str>, column: usize) -> rusqlite::Result<Option<T>> {
    text.map(serde_json::from_str).transpose().map_err(|error| damaged(column, error))
}

fn checked<T, E>(row: &Row<'_>, column: usize, check: fn(String) -> Result<T, E>) -> rusqlite::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    check(row.get(column)?).map_err(|error| damaged(column, error))
}

fn optional<T, E>(row: &Row<'_>, column: usize, check: fn(String) -> Result<T, E>) -> rusqlite::Result<Option<T>>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let name: Option<String> = row.get(column)?;
    name.map(check).transpose().map_err(|error| damaged(column, error))
}

fn damaged(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
