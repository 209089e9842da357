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

use crate::{
    row::{said, said_at},
    tables::NamespaceTables,
    value::{Value, values},
};

/// Ids that are asked for at once.
const AT_ONCE: usize = 256;

/// See [`MemoryTable::each_id_starting`].
pub(crate) fn each_id_starting(
    tables: &NamespaceTables<'_>,
    beginning: &MemoryRef,
    visit: &mut dyn FnMut(MemoryRef) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let first = beginning.id.as_str();
    let of_conversation = match &beginning.conversation {
        Some(_) => " AND m.conversation = (SELECT k.id FROM @conversation k WHERE k.tenant = $1 AND k.name = $6)",
        None => "",
    };
    let sql = format!(
        "SELECT m.id, c.name, m.conversation FROM @memory m
         LEFT JOIN @conversation c ON c.tenant = $1 AND c.id = m.conversation
         WHERE m.tenant = $1 AND m.id >= $2 AND starts_with(m.id, $2) AND (m.id, m.conversation) > ($3, $4)
         {of_conversation} ORDER BY m.id, m.conversation LIMIT $5"
    );
    // No id is empty: this is before all.
    let mut after = (String::new(), -1_i64);
    loop {
        let mut values: Vec<Value> = values![first, &*after.0, after.1, AT_ONCE];
        values.extend(beginning.conversation.as_ref().map(|name| Value::from(name.as_str())));
        let rows = tables.rows(&sql, values)?;
        for row in &rows {
            let (id, conversation): (String, Option<String>) = (tables.get(row, 0)?, tables.get(row, 1)?);
            after = (id.clone(), tables.get(row, 2)?);
            let conversation = conversation.map(ConversationId::new).transpose()?;
            if visit(MemoryRef { id: MemoryId::new(id)?, conversation })?.is_break() {
                return Ok(());
            }
        }
        if rows.len() < AT_ONCE {
            return Ok(());
        }
    }
}

/// See [`MemoryTable::sessions`].
pub(crate) fn sessions(tables: &NamespaceTables<'_>, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError> {
    let (condition, values) = tables.within(scope)?;
    let sql = format!(
        "SELECT c.name, s.name, s.title, g.memories, g.first, g.last, g.latest FROM (
             SELECT m.conversation, m.session, count(*) AS memories, min(m.said_at) AS first, max(m.said_at) AS last,
                    max(m.seq) AS latest
             FROM @memory m WHERE m.tenant = $1 {condition} GROUP BY m.conversation, m.session
         ) g
         LEFT JOIN @conversation c ON c.tenant = $1 AND c.id = g.conversation
         LEFT JOIN @session s ON s.tenant = $1 AND s.id = g.session AND s.conversation = g.conversation
         ORDER BY g.conversation = 0, g.conversation, g.session = 0, g.session"
    );
    let mut all = Vec::new();
    for row in &tables.rows(&sql, values)? {
        let conversation: Option<String> = tables.get(row, 0)?;
        let session: Option<String> = tables.get(row, 1)?;
        all.push(SessionSummary {
            conversation: conversation.map(ConversationId::new).transpose()?,
            session: session.map(SessionId::new).transpose()?,
            title: said(tables.context, row, 2)?,
            memories: tables.number(row, 3)?,
            first: said_at(tables.context, row, 4)?,
            last: said_at(tables.context, row, 5)?,
            latest: Seq(tables.number(row, 6)?),
        });
    }
    if scope.is_everything() {
        tables.expect(RowKind::Memories, all.iter().map(|session| session.memories).sum())?;
    }
    Ok(all)
}

/// See [`MemoryTable::speakers`].
pub(crate) fn speakers(tables: &NamespaceTables<'_>, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError> {
    let (condition, values) = tables.within(scope)?;
    let sql = format!(
        "SELECT m.speaker, count(*), min(m.said_at), max(m.said_at), max(m.seq) FROM @memory m
         WHERE m.tenant = $1 AND m.speaker IS NOT NULL {condition} GROUP BY m.speaker"
    );
    let mut all = Vec::new();
    for row in &tables.rows(&sql, values)? {
        all.push(SpeakerSummary {
            speaker: said(tables.context, row, 0)?.unwrap_or_default(),
            turns: tables.number(row, 1)?,
            first: said_at(tables.context, row, 2)?,
            last: said_at(tables.context, row, 3)?,
            latest: Seq(tables.number(row, 4)?),
        });
    }
    // The database has them in another order, and NUL bytes written another way.
    all.sort_unstable_by(|a, b| a.speaker.cmp(&b.speaker));
    Ok(all)
}

/// See [`MemoryTable::latest`].
pub(crate) fn latest(tables: &NamespaceTables<'_>, scope: &Scope, limit: usize) -> Result<Vec<Seq>, StoreError> {
    let (condition, mut values) = tables.within(scope)?;
    values.push(Value::from(limit));
    let sql = format!(
        "SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition}
         ORDER BY m.said_at DESC NULLS LAST, m.seq DESC LIMIT ${}",
        values.len() + 1
    );
    tables.rows(&sql, values)?.iter().map(|row| Ok(Seq(tables.number(row, 0)?))).collect()
}
