//! A memory as a row.

use aforesaid_core::types::{
    ConversationId, Importance, Kind, Memory, MemoryId, Sensitivity, Seq, SessionId, Timestamp,
};
use rusqlite::{Row, types::Type};
use serde::{Serialize, de::DeserializeOwned};

/// Number of no conversation and of no session; real ones count from 1.
pub(crate) const NO_GROUP: i64 = 0;

/// Everything of a memory, in the order [`memory`] reads it; `?1` is the tenant.
pub(crate) const SELECT: &str = "
    SELECT m.seq, m.id, m.kind, c.name, s.name, m.speaker, m.text, m.said_at, m.image_caption,
           m.importance, m.sensitive, m.tags, m.source, m.meta
    FROM memory m
    LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
    LEFT JOIN session s ON s.namespace = ?1 AND s.id = m.session
    WHERE m.namespace = ?1";

pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        seq: Seq(row.get(0)?),
        id: checked(row, 1, MemoryId::new)?,
        kind: kind(row.get(2)?),
        conversation: optional(row, 3, ConversationId::new)?,
        session: optional(row, 4, SessionId::new)?,
        speaker: row.get(5)?,
        text: row.get(6)?,
        said_at: said_at(row, 7)?,
        image_caption: row.get(8)?,
        importance: Importance::new(row.get(9)?).map_err(|error| damaged(9, error))?,
        sensitivity: Sensitivity::from(row.get::<_, bool>(10)?),
        tags: json(row, 11)?.unwrap_or_default(),
        source: json(row, 12)?.unwrap_or_default(),
        meta: json(row, 13)?,
    })
}

pub(crate) fn kind(number: i64) -> Kind {
    if number == number_of(Kind::Note) { Kind::Note } else { Kind::Turn }
}

pub(crate) fn number_of(kind: Kind) -> i64 {
    match kind {
        Kind::Turn => 0,
        Kind::Note => 1,
    }
}

pub(crate) fn said_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    millis.map(Timestamp::from_millis).transpose().map_err(|error| damaged(column, error))
}

/// A list or object as JSON text; an empty one is NULL.
pub(crate) fn to_json<T: Serialize>(value: &T, is_empty: bool) -> Option<String> {
    // Strings, arrays and maps with string keys always serialize.
    if is_empty { None } else { serde_json::to_string(value).ok() }
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| damaged(column, error))
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
