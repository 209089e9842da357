//! Looking around in a namespace: sessions, speakers, the latest memories, ids by how they begin.

use std::ops::ControlFlow;

use aforesaid_core::{
    StoreError,
    store::{
        MemoryRef, SessionSummary, SpeakerSummary,
        tables::{MemoryTable, RowKind},
    },
    types::{ConversationId, MemoryId, Scope, Seq, SessionId},
};
use rusqlite::{params_from_iter, types::Value};

use crate::{
    row::said_at,
    tables::{NamespaceTables, within},
};

/// See [`MemoryTable::each_id_starting`].
pub(crate) fn each_id_starting(
    tables: &NamespaceTables<'_>,
    beginning: &MemoryRef,
    visit: &mut dyn FnMut(MemoryRef) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let first = beginning.id.as_str();
    let mut values = vec![Value::Integer(tables.tenant), Value::Text(first.to_owned())];
    let mut condition = String::new();
    if let Some(end) = end_of(first) {
        values.push(Value::Text(end));
        condition.push_str(&format!(" AND m.id < ?{}", values.len()));
    }
    if let Some(conversation) = &beginning.conversation {
        values.push(Value::Text(conversation.to_string()));
        condition.push_str(&format!(
            " AND m.conversation = (SELECT id FROM conversation WHERE namespace = ?1 AND name = ?{})",
            values.len()
        ));
    }
    let sql = format!(
        "SELECT m.id, c.name FROM memory m LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
         WHERE m.namespace = ?1 AND m.id >= ?2 {condition} ORDER BY m.id, m.conversation"
    );
    let context = tables.context;
    let mut select = context.run(tables.connection.prepare_cached(&sql))?;
    let mut rows = context.run(select.query(params_from_iter(values)))?;
    while let Some(row) = context.run(rows.next())? {
        let (id, conversation): (String, Option<String>) =
            context.run(row.get(0).and_then(|id| Ok((id, row.get(1)?))))?;
        let conversation = conversation.map(ConversationId::new).transpose()?;
        if visit(MemoryRef { id: MemoryId::new(id)?, conversation })?.is_break() {
            break;
        }
    }
    Ok(())
}

/// The first text after all that begin with `beginning`, in the order of their bytes; `None` where nothing comes after.
fn end_of(beginning: &str) -> Option<String> {
    let mut chars: Vec<char> = beginning.chars().collect();
    while let Some(last) = chars.pop() {
        // The range leaves out the numbers that are no characters.
        if let Some(next) = (last..=char::MAX).nth(1) {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

/// See [`MemoryTable::sessions`].
pub(crate) fn sessions(tables: &NamespaceTables<'_>, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError> {
    let (condition, values) = within(scope, tables.tenant);
    let sql = format!(
        "SELECT c.name, s.name, s.title, count(*), min(m.said_at), max(m.said_at), max(m.seq) FROM memory m
         LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
         LEFT JOIN session s ON s.namespace = ?1 AND s.id = m.session AND s.conversation = m.conversation
         WHERE m.namespace = ?1 {condition} GROUP BY m.conversation, m.session
         ORDER BY m.conversation = 0, m.conversation, m.session = 0, m.session"
    );
    let rows = tables.rows(&sql, params_from_iter(values), |row| {
        let names: [Option<String>; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
        Ok((names, row.get(3)?, said_at(row, 4)?, said_at(row, 5)?, Seq(row.get(6)?)))
    })?;
    let mut all = Vec::with_capacity(rows.len());
    for ([conversation, session, title], memories, first, last, latest) in rows {
        let conversation = conversation.map(ConversationId::new).transpose()?;
        let session = session.map(SessionId::new).transpose()?;
        all.push(SessionSummary { conversation, session, title, memories, first, last, latest });
    }
    if scope.is_everything() {
        tables.expect(RowKind::Memories, all.iter().map(|session| session.memories).sum())?;
    }
    Ok(all)
}

/// See [`MemoryTable::speakers`].
pub(crate) fn speakers(tables: &NamespaceTables<'_>, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError> {
    let (condition, values) = within(scope, tables.tenant);
    let sql = format!(
        "SELECT m.speaker, count(*), min(m.said_at), max(m.said_at), max(m.seq) FROM memory m
         WHERE m.namespace = ?1 AND m.speaker IS NOT NULL {condition} GROUP BY m.speaker ORDER BY m.speaker"
    );
    tables.rows(&sql, params_from_iter(values), |row| {
        Ok(SpeakerSummary {
            speaker: row.get(0)?,
            turns: row.get(1)?,
            first: said_at(row, 2)?,
            last: said_at(row, 3)?,
            latest: Seq(row.get(4)?),
        })
    })
}

/// See [`MemoryTable::latest`].
pub(crate) fn latest(tables: &NamespaceTables<'_>, scope: &Scope, limit: usize) -> Result<Vec<Seq>, StoreError> {
    let (condition, mut values) = within(scope, tables.tenant);
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    let sql = format!(
        "SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition}
         ORDER BY m.said_at IS NULL, m.said_at DESC, m.seq DESC LIMIT ?{}",
        values.len()
    );
    tables.rows(&sql, params_from_iter(values), |row| Ok(Seq(row.get(0)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_after_all_that_begin_alike() {
        assert_eq!(end_of("ab").as_deref(), Some("ac"));
        assert_eq!(end_of("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(end_of("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(end_of("\u{10ffff}"), None);
    }
}
