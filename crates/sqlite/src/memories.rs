//! Memories, conversations and sessions.

use std::ops::ControlFlow;

use aforesaid_core::{
    StoreError,
    store::{
        IndexRow, IndexSink, MemoryRef, NamespaceStats, SessionSummary, SpeakerSummary, TitleRow,
        tables::{
            ConversationRow, Counter, EmptiedGroups, EmptiedSession, Groups, IdRow, MemoryTable, RowKind, Selection,
            SessionRow, components_into, kind_of_number, number_of_kind, to_json,
        },
    },
    types::{ConversationId, EncoderId, MemoryId, Record, Scope, Seq, SessionId, Timestamp},
};
use rusqlite::{OptionalExtension, Row, ToSql, params, params_from_iter};

use crate::{
    browse, checksum, counts,
    row::{self, said_at},
    tables::{NamespaceTables, within},
    vectors::vector_counts,
};

/// Visits the positions of a scope's memories in the order of an export.
///
/// Sessions lie in order of their first arrival, and memories in order of theirs; notes come last. Only positions are
/// sorted: texts would fill memory and temporary files.
fn each_position(
    tables: &NamespaceTables<'_>,
    scope: &Scope,
    visit: &mut dyn FnMut(Seq) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (condition, values) = within(scope, tables.tenant);
    let order = "ORDER BY m.conversation = 0, m.conversation, m.session = 0, m.session, m.seq";
    let sql = format!("SELECT m.seq FROM memory m WHERE m.namespace = ?1 {condition} {order}");
    let mut select = tables.context.run(tables.connection.prepare_cached(&sql))?;
    let mut rows = tables.context.run(select.query(params_from_iter(values)))?;
    let mut found = 0;
    while let Some(row) = tables.context.run(rows.next())? {
        visit(Seq(tables.context.run(row.get(0))?))?;
        found += 1;
    }
    if scope.is_everything() { tables.expect(RowKind::Memories, found) } else { Ok(()) }
}

fn conversation_row(row: &Row<'_>) -> rusqlite::Result<ConversationRow> {
    Ok(ConversationRow { number: row.get(0)?, floor: row.get(1)?, notes: row.get(2)? })
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow { number: row.get(0)?, given: row.get(1)? })
}

/// What a statement that returns the row it inserted gives.
fn inserted<T>(tables: &NamespaceTables<'_>, row: Option<T>) -> Result<T, StoreError> {
    row.ok_or_else(|| tables.context.damaged("a row that was inserted is not there"))
}

impl MemoryTable for NamespaceTables<'_> {
    fn conversation(&self, name: &ConversationId) -> Result<Option<ConversationRow>, StoreError> {
        let sql = "SELECT id, floor, notes FROM conversation WHERE namespace = ?1 AND name = ?2";
        self.row(sql, params![self.tenant, name.as_str()], conversation_row)
    }

    fn session(&self, conversation: u64, name: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let sql = "SELECT id, given FROM session WHERE namespace = ?1 AND conversation = ?2 AND name = ?3";
        self.row(sql, params![self.tenant, conversation, name.as_str()], session_row)
    }

    fn conversations_with(&self, session: &SessionId) -> Result<Vec<ConversationId>, StoreError> {
        let sql = "SELECT c.name FROM session s
                   JOIN conversation c ON c.namespace = ?1 AND c.id = s.conversation
                   WHERE s.namespace = ?1 AND s.name = ?2 ORDER BY s.id";
        let names: Vec<String> = self.rows(sql, params![self.tenant, session.as_str()], |row| row.get(0))?;
        names.into_iter().map(|name| Ok(ConversationId::new(name)?)).collect()
    }

    fn conversations_titled(&self, title: &str) -> Result<Vec<ConversationId>, StoreError> {
        let sql = "SELECT c.name FROM session s
                   JOIN conversation c ON c.namespace = ?1 AND c.id = s.conversation
                   WHERE s.namespace = ?1 AND s.title = ?2 GROUP BY c.id ORDER BY min(s.id)";
        let names: Vec<String> = self.rows(sql, params![self.tenant, title], |row| row.get(0))?;
        names.into_iter().map(|name| Ok(ConversationId::new(name)?)).collect()
    }

    fn with_id(&self, conversation: u64, id: &MemoryId) -> Result<Option<Record>, StoreError> {
        let sql = "SELECT seq FROM memory WHERE namespace = ?1 AND conversation = ?2 AND id = ?3";
        let seq: Option<u64> = self.row(sql, params![self.tenant, conversation, id.as_str()], |row| row.get(0))?;
        match seq {
            Some(seq) => self.row(&format!("{} AND m.seq = ?2", row::SELECT), params![self.tenant, seq], row::memory),
            None => Ok(None),
        }
    }

    fn has_id(&self, conversation: u64, id: &MemoryId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM memory WHERE namespace = ?1 AND conversation = ?2 AND id = ?3";
        self.exists(sql, params![self.tenant, conversation, id.as_str()])
    }

    fn has_memory(&self, seq: Seq) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM memory WHERE namespace = ?1 AND seq = ?2", params![self.tenant, seq.0])
    }

    fn fetch(&self, positions: &[Seq]) -> Result<Vec<Record>, StoreError> {
        let mut memories = Vec::with_capacity(positions.len());
        for seq in positions {
            memories.extend(self.memories("AND m.seq = ?2", &[&seq.0])?);
        }
        Ok(memories)
    }

    fn find(&self, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError> {
        let id = memory_ref.id.as_str();
        match &memory_ref.conversation {
            None => self.memories("AND m.id = ?2 ORDER BY m.seq", &[&id]),
            Some(name) => self.memories("AND m.id = ?2 AND c.name = ?3", &[&id, &name.as_str()]),
        }
    }

    fn around(&self, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError> {
        let seq = seq.0;
        let session = "SELECT session FROM memory WHERE namespace = ?1 AND seq = ?2";
        let session: Option<i64> = self.row(session, params![self.tenant, seq], |row| row.get(0))?;
        match session {
            None => Ok(Vec::new()),
            Some(row::NO_GROUP) => self.memories("AND m.seq = ?2", &[&seq]),
            Some(session) => {
                let earlier = "AND m.session = ?2 AND m.seq < ?3 ORDER BY m.seq DESC LIMIT ?4";
                let later = "AND m.session = ?2 AND m.seq >= ?3 ORDER BY m.seq LIMIT ?4";
                let mut memories = self.memories(earlier, &[&session, &seq, &before])?;
                memories.reverse();
                memories.extend(self.memories(later, &[&session, &seq, &(i64::from(after) + 1)])?);
                Ok(memories)
            }
        }
    }

    fn positions(&self, scope: &Scope) -> Result<Vec<Seq>, StoreError> {
        let mut positions = Vec::new();
        each_position(self, scope, &mut |seq| {
            positions.push(seq);
            Ok(())
        })?;
        Ok(positions)
    }

    fn count(&self, scope: &Scope) -> Result<u64, StoreError> {
        let (condition, values) = within(scope, self.tenant);
        let sql = format!("SELECT count(*) FROM memory m WHERE m.namespace = ?1 {condition}");
        Ok(self.row(&sql, params_from_iter(values), |row| row.get(0))?.unwrap_or(0))
    }

    fn export(&self, scope: &Scope, visit: &mut dyn FnMut(Record) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let by_position = format!("{} AND m.seq = ?2", row::SELECT);
        let mut select = self.context.run(self.connection.prepare_cached(&by_position))?;
        each_position(self, scope, &mut |seq| {
            let memory = select.query_row(params![self.tenant, seq.0], row::memory).optional();
            match self.context.run(memory)? {
                Some(memory) => visit(memory),
                // Positions may have been read from an index, which the table does not agree with.
                None => Err(self.context.damaged(format!("memory {} is listed and is not there", seq.0))),
            }
        })
    }

    fn each_id_starting(
        &self,
        beginning: &MemoryRef,
        visit: &mut dyn FnMut(MemoryRef) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        browse::each_id_starting(self, beginning, visit)
    }

    fn sessions(&self, scope: &Scope) -> Result<Vec<SessionSummary>, StoreError> {
        browse::sessions(self, scope)
    }

    fn speakers(&self, scope: &Scope) -> Result<Vec<SpeakerSummary>, StoreError> {
        browse::speakers(self, scope)
    }

    fn latest(&self, scope: &Scope, limit: usize) -> Result<Vec<Seq>, StoreError> {
        browse::latest(self, scope, limit)
    }

    fn each_id(
        &self,
        selection: Selection<'_>,
        visit: &mut dyn FnMut(IdRow<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (condition, values) = self.condition(selection);
        let sql =
            format!("SELECT m.seq, m.kind, m.conversation, m.id FROM memory m WHERE m.namespace = ?1 {condition}");
        let mut select = self.context.run(self.connection.prepare_cached(&sql))?;
        let mut rows = self.context.run(select.query(params_from_iter(values)))?;
        while let Some(row) = self.context.run(rows.next())? {
            visit(self.context.run(id_row(row))?)?;
        }
        Ok(())
    }

    fn feed_memories(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT m.seq, m.kind, c.name, s.name, m.speaker, m.text, m.image_caption, m.said_at, m.importance, v.data
             FROM memory m
             LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
             LEFT JOIN session s ON s.namespace = ?1 AND s.id = m.session AND s.conversation = m.conversation
             LEFT JOIN vector v ON v.namespace = ?1 AND v.encoder = ?2 AND v.seq = m.seq
             WHERE m.namespace = ?1 AND m.seq > ?3 AND m.seq <= ?4 ORDER BY m.seq",
        ))?;
        let key = params![self.tenant, self.encoder_number(encoder)?, after, upto];
        let mut rows = self.context.run(select.query(key))?;
        let (mut vector, mut fed) = (Vec::new(), 0);
        while let Some(row) = self.context.run(rows.next())? {
            let row = self.context.run(index_row(row, &mut vector))?;
            sink.row(row)?;
            fed += 1;
        }
        Ok(fed)
    }

    fn feed_titles(&self, after: u64, sink: &mut dyn IndexSink) -> Result<(), StoreError> {
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT s.id, c.name, s.name, s.title FROM session s
             JOIN conversation c ON c.namespace = ?1 AND c.id = s.conversation
             WHERE s.namespace = ?1 AND s.id > ?2 AND s.title IS NOT NULL ORDER BY s.id",
        ))?;
        let mut rows = self.context.run(select.query(params![self.tenant, after]))?;
        while let Some(row) = self.context.run(rows.next())? {
            sink.title(self.context.run(title_row(row))?);
        }
        Ok(())
    }

    fn expect(&self, kind: RowKind, found: u64) -> Result<(), StoreError> {
        counts::expect(self, kind, found)
    }

    fn stats(&self) -> Result<NamespaceStats, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM conversation WHERE namespace = ?1),
                          (SELECT count(*) FROM session WHERE namespace = ?1),
                          count(*) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind = 1), min(said_at), max(said_at),
                          (SELECT count(*) FROM staged WHERE namespace = ?1)
                   FROM memory WHERE namespace = ?1";
        let stats = self.row(sql, [self.tenant], |row| {
            Ok(NamespaceStats {
                conversations: row.get(0)?,
                sessions: row.get(1)?,
                turns: row.get(2)?,
                notes: row.get(3)?,
                staged: row.get(6)?,
                first: said_at(row, 4)?,
                last: said_at(row, 5)?,
                ..NamespaceStats::default()
            })
        })?;
        let stats = stats.unwrap_or_default();
        self.expect(RowKind::Memories, stats.turns + stats.notes)?;
        Ok(NamespaceStats { vectors: vector_counts(self)?, ..stats })
    }

    fn insert_conversation(&mut self, name: &ConversationId, floor: u64) -> Result<ConversationRow, StoreError> {
        let sql = "INSERT INTO conversation (namespace, id, name, floor, notes)
                   VALUES (?1, coalesce((SELECT max(id) FROM conversation WHERE namespace = ?1), 0) + 1, ?2, ?3, ?3)
                   RETURNING id, floor, notes";
        let row = self.row(sql, params![self.tenant, name.as_str(), floor], conversation_row)?;
        inserted(self, row)
    }

    fn insert_session(&mut self, conversation: u64, name: &SessionId, given: u64) -> Result<SessionRow, StoreError> {
        let sql = "INSERT INTO session (namespace, id, conversation, name, given)
                   VALUES (?1, coalesce((SELECT max(id) FROM session WHERE namespace = ?1), 0) + 1, ?2, ?3, ?4)
                   RETURNING id, given";
        let row = self.row(sql, params![self.tenant, conversation, name.as_str(), given], session_row)?;
        inserted(self, row)
    }

    fn set_title(&mut self, session: u64, title: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE session SET title = ?3, title_sum = ?4 WHERE namespace = ?1 AND id = ?2 AND title IS NOT ?3";
        Ok(self.execute(sql, params![self.tenant, session, title, checksum::of_title(title)])? > 0)
    }

    fn insert_memory(&mut self, memory: &Record, groups: Groups) -> Result<(), StoreError> {
        let (tags, source, meta) = labels(memory);
        let json = checksum::Json { tags: tags.as_deref(), source: source.as_deref(), meta: meta.as_deref() };
        let sum = checksum::of(memory, json);
        self.execute(
            "INSERT INTO memory (namespace, seq, id, kind, conversation, session, speaker, text, said_at,
                                 image_caption, importance, sensitive, tags, source, meta, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                self.tenant,
                memory.seq.0,
                memory.id.as_str(),
                number_of_kind(memory.kind),
                groups.conversation,
                groups.session,
                memory.speaker,
                memory.text,
                memory.said_at.map(|at| at.millis()),
                memory.image_caption,
                memory.importance.value(),
                bool::from(memory.sensitivity),
                tags,
                source,
                meta,
                sum,
            ],
        )?;
        Ok(())
    }

    fn update_memory(&mut self, memory: &Record) -> Result<(), StoreError> {
        let (tags, source, meta) = labels(memory);
        let json = checksum::Json { tags: tags.as_deref(), source: source.as_deref(), meta: meta.as_deref() };
        let sum = checksum::of(memory, json);
        self.execute(
            "UPDATE memory SET importance = ?3, sensitive = ?4, tags = ?5, source = ?6, meta = ?7, checksum = ?8
             WHERE namespace = ?1 AND seq = ?2",
            params![
                self.tenant,
                memory.seq.0,
                memory.importance.value(),
                bool::from(memory.sensitivity),
                tags,
                source,
                meta,
                sum,
            ],
        )?;
        Ok(())
    }

    fn advance_memories(&mut self, last: Seq, added: u64) -> Result<(), StoreError> {
        let sql = "UPDATE namespace SET last = ?2, memories = memories + ?3 WHERE id = ?1";
        self.execute(sql, params![self.tenant, last.0, added])?;
        self.state.version.last = last;
        Ok(())
    }

    fn raise(&mut self, counter: Counter<'_>, number: u64) -> Result<u64, StoreError> {
        let (sql, values): (&str, &[&dyn ToSql]) = match &counter {
            Counter::Floor => ("UPDATE namespace SET floor = max(floor, ?2) WHERE id = ?1", &[]),
            Counter::Notes => ("UPDATE namespace SET notes = max(notes, ?2) WHERE id = ?1", &[]),
            Counter::ConversationFloor(of) => {
                ("UPDATE conversation SET floor = max(floor, ?2) WHERE namespace = ?1 AND id = ?3", &[of])
            }
            Counter::ConversationNotes(of) => {
                ("UPDATE conversation SET notes = max(notes, ?2) WHERE namespace = ?1 AND id = ?3", &[of])
            }
            Counter::Session(of) => {
                ("UPDATE session SET given = max(given, ?2) WHERE namespace = ?1 AND id = ?3", &[of])
            }
            Counter::SessionNamed { conversation, name } => (
                "UPDATE session SET given = max(given, ?2) WHERE namespace = ?1 AND conversation = ?3 AND name = ?4",
                &[conversation, name],
            ),
            Counter::SessionsStarting { conversation, prefix } => (
                "UPDATE session SET given = max(given, ?2)
                 WHERE namespace = ?1 AND conversation = ?3 AND name >= ?4 AND substr(name, 1, length(?4)) = ?4",
                &[conversation, prefix],
            ),
        };
        let all: Vec<&dyn ToSql> =
            [&self.tenant as &dyn ToSql, &number].into_iter().chain(values.iter().copied()).collect();
        let changed = self.execute(sql, &*all)?;
        match counter {
            Counter::Floor => self.state.floor = number.max(self.state.floor),
            Counter::Notes => self.state.notes = number.max(self.state.notes),
            _ => {}
        }
        Ok(changed)
    }

    fn delete_memories(&mut self, selection: Selection<'_>) -> Result<u64, StoreError> {
        let (chosen, values) = self.chosen(selection);
        let delete = |table: &str| {
            let sql = format!("DELETE FROM {table} WHERE namespace = ?1 AND seq IN ({chosen})");
            self.execute(&sql, params_from_iter(&values))
        };
        let vectors = delete("vector")?;
        delete("memory")?;
        Ok(vectors)
    }

    fn delete_empty_groups(&mut self) -> Result<EmptiedGroups, StoreError> {
        let sessions = "DELETE FROM session WHERE namespace = ?1
             AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.session = session.id)
             RETURNING conversation, given";
        let conversations = "DELETE FROM conversation WHERE namespace = ?1
             AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.namespace = ?1 AND m.conversation = conversation.id)
             RETURNING id, floor, notes";
        let session = |row: &Row<'_>| Ok(EmptiedSession { conversation: row.get(0)?, given: row.get(1)? });
        Ok(EmptiedGroups {
            sessions: self.rows(sessions, [self.tenant], session)?,
            conversations: self.rows(conversations, [self.tenant], conversation_row)?,
        })
    }
}

/// Tags, sources and metadata of a memory as they are stored.
fn labels(memory: &Record) -> (Option<String>, Option<String>, Option<String>) {
    (
        to_json(&memory.tags, memory.tags.is_empty()),
        to_json(&memory.source, memory.source.is_empty()),
        memory.meta.as_ref().and_then(|meta| to_json(meta, false)),
    )
}

fn id_row<'r>(row: &'r Row<'_>) -> rusqlite::Result<IdRow<'r>> {
    Ok(IdRow {
        seq: Seq(row.get(0)?),
        kind: kind_of_number(row.get(1)?),
        conversation: row.get(2)?,
        id: row.get_ref(3)?.as_str()?,
    })
}

fn title_row<'r>(row: &'r Row<'_>) -> rusqlite::Result<TitleRow<'r>> {
    let text = |column| -> rusqlite::Result<&'r str> { Ok(row.get_ref(column)?.as_str()?) };
    Ok(TitleRow { number: row.get(0)?, conversation: text(1)?, session: text(2)?, title: text(3)? })
}

fn index_row<'r>(row: &'r Row<'_>, vector: &'r mut Vec<f32>) -> rusqlite::Result<IndexRow<'r>> {
    let text = |column| -> rusqlite::Result<Option<&'r str>> { Ok(row.get_ref(column)?.as_str_or_null()?) };
    vector.clear();
    let blob = row.get_ref(9)?.as_blob_or_null()?;
    if let Some(blob) = blob {
        components_into(blob, vector);
    }
    let at: Option<Timestamp> = said_at(row, 7)?;
    let (seq, kind, conversation, session) = (Seq(row.get(0)?), kind_of_number(row.get(1)?), text(2)?, text(3)?);
    row::placed(seq, kind, (conversation.is_some(), session.is_some()))?;
    Ok(IndexRow {
        seq,
        kind,
        conversation,
        session,
        speaker: text(4)?,
        text: text(5)?.unwrap_or_default(),
        image_caption: text(6)?,
        said_at: at,
        importance: row.get(8)?,
        vectors: blob.map(|_| vector.as_slice()),
    })
}
