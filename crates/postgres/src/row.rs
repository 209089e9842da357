//! A memory as a row.

use aforesaid_core::{
    StoreError,
    store::tables::kind_of_number,
    types::{ConversationId, Importance, Kind, MemoryId, Record, Sensitivity, Seq, SessionId, Timestamp},
};
use serde::de::DeserializeOwned;
use tokio_postgres::{Row, types::FromSql};

use crate::{errors::Context, kept_text};

/// Everything of a memory, in the order [`memory`] reads it.
///
/// A session of another conversation is none: it may bear the same name.
pub(crate) const SELECT: &str = "SELECT m.seq, m.id, m.kind, c.name, s.name, m.speaker, m.text, m.said_at,
        m.image_caption, m.importance, m.sensitive, m.tags, m.source, m.meta, s.title
     FROM @memory m
     LEFT JOIN @conversation c ON c.tenant = $1 AND c.id = m.conversation
     LEFT JOIN @session s ON s.tenant = $1 AND s.id = m.session AND s.conversation = m.conversation
     WHERE m.tenant = $1";

/// A column.
pub(crate) fn get<'r, T: FromSql<'r>>(context: Context<'_>, row: &'r Row, column: usize) -> Result<T, StoreError> {
    row.try_get(column).map_err(|_| context.unreadable())
}

/// A column that is no negative number.
pub(crate) fn number(context: Context<'_>, row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(get::<i64>(context, row, column)?).map_err(|_| context.unreadable())
}

/// A column of text of users.
pub(crate) fn said(context: Context<'_>, row: &Row, column: usize) -> Result<Option<String>, StoreError> {
    Ok(get::<Option<&str>>(context, row, column)?.map(|text| kept_text::said(text).into_owned()))
}

/// A column of a time.
pub(crate) fn said_at(context: Context<'_>, row: &Row, column: usize) -> Result<Option<Timestamp>, StoreError> {
    let millis: Option<i64> = get(context, row, column)?;
    millis.map(Timestamp::from_millis).transpose().map_err(|_| context.unreadable())
}

/// A column of a list or object in JSON.
pub(crate) fn json<T: DeserializeOwned>(
    context: Context<'_>,
    row: &Row,
    column: usize,
) -> Result<Option<T>, StoreError> {
    let text: Option<&str> = get(context, row, column)?;
    text.map(serde_json::from_str).transpose().map_err(|_| context.unreadable())
}

/// Reads a memory.
pub(crate) fn memory(context: Context<'_>, row: &Row) -> Result<Record, StoreError> {
    let unreadable = |_| context.unreadable();
    let conversation: Option<String> = get(context, row, 3)?;
    let session: Option<String> = get(context, row, 4)?;
    let memory = Record {
        seq: Seq(number(context, row, 0)?),
        id: MemoryId::new(get::<String>(context, row, 1)?).map_err(unreadable)?,
        kind: kind_of_number(get(context, row, 2)?),
        conversation: conversation.map(ConversationId::new).transpose().map_err(unreadable)?,
        session: session.map(SessionId::new).transpose().map_err(unreadable)?,
        title: said(context, row, 14)?,
        speaker: said(context, row, 5)?,
        text: said(context, row, 6)?.unwrap_or_default(),
        said_at: said_at(context, row, 7)?,
        image_caption: said(context, row, 8)?,
        importance: Importance::new(get(context, row, 9)?).map_err(|_| context.unreadable())?,
        sensitivity: Sensitivity::from(get::<bool>(context, row, 10)?),
        tags: json(context, row, 11)?.unwrap_or_default(),
        source: json(context, row, 12)?.unwrap_or_default(),
        meta: json(context, row, 13)?,
    };
    placed(context, memory.seq, memory.kind, (memory.conversation.is_some(), memory.session.is_some()))?;
    Ok(memory)
}

/// Checks that a turn has its conversation and its session: one that lost them would be exported as something else.
pub(crate) fn placed(
    context: Context<'_>,
    seq: Seq,
    kind: Kind,
    (conversation, session): (bool, bool),
) -> Result<(), StoreError> {
    match (kind, conversation && session) {
        (Kind::Note, _) | (Kind::Turn, true) => Ok(()),
        (Kind::Turn, false) => {
            Err(context.damaged(format!("the turn at position {} lacks its conversation or session", seq.0)))
        }
    }
}
