//! Memories, conversations and sessions.

use std::{borrow::Cow, cell::Cell, collections::HashMap, ops::ControlFlow};

use aforesaid_core::{
    StoreError,
    store::{
        IndexRow, IndexSink, MemoryRef, NamespaceStats, SessionSummary, SpeakerSummary, TitleRow,
        tables::{
            ConversationRow, Counter, EmptiedGroups, EmptiedSession, Groups, IdRow, MemoryTable, NO_GROUP, RowKind,
            Selection, SessionRow, components_into, kind_of_number, number_of_kind, to_json,
        },
    },
    types::{ConversationId, EncoderId, MemoryId, Record, Scope, Seq, SessionId},
};
use tokio_postgres::Row;

use crate::{
    browse, kept_text,
    row::{self, said_at},
    tables::NamespaceTables,
    value::{Value, number, values},
    vectors::vector_counts,
};

/// Memories that are read at once.
const AT_ONCE: usize = 256;

impl NamespaceTables<'_> {
    fn conversation_row(&self, row: &Row) -> Result<ConversationRow, StoreError> {
        Ok(ConversationRow { number: self.number(row, 0)?, floor: self.number(row, 1)?, notes: self.number(row, 2)? })
    }

    fn names(&self, sql: &str, values: Vec<Value>) -> Result<Vec<ConversationId>, StoreError> {
        let rows = self.rows(sql, values)?;
        rows.iter().map(|row| Ok(ConversationId::new(self.get::<String>(row, 0)?)?)).collect()
    }

    /// The next number of a kind of groups. Nobody else gives one: the transaction holds the namespace.
    fn next(&self, last: &Cell<Option<i64>>, sql: &str) -> Result<u64, StoreError> {
        let before = match last.get() {
            Some(last) => last,
            None => number(self.count_of(sql, values![])?),
        };
        last.set(Some(before + 1));
        Ok(before.unsigned_abs() + 1)
    }

    /// Shows memories under a condition, whose values begin at `$3`, to an index; says how many there are.
    pub(crate) fn feed_rows(
        &self,
        encoder: Option<&EncoderId>,
        condition: &str,
        values: Vec<Value>,
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT m.seq, m.kind, c.name, s.name, m.speaker, m.text, m.image_caption, m.said_at, m.importance, v.data
             FROM @memory m
             LEFT JOIN @conversation c ON c.tenant = $1 AND c.id = m.conversation
             LEFT JOIN @session s ON s.tenant = $1 AND s.id = m.session AND s.conversation = m.conversation
             LEFT JOIN @vector v ON v.tenant = $1 AND v.encoder = $2 AND v.seq = m.seq
             WHERE m.tenant = $1 {condition} ORDER BY m.seq"
        );
        let mut all = values![self.encoder_number(encoder)?];
        all.extend(values);
        let mut rows = self.stream(&sql, all)?;
        let (mut vector, mut fed) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let text = |column| -> Result<Option<Cow<'_, str>>, StoreError> {
                Ok(self.get::<Option<&str>>(&row, column)?.map(kept_text::said))
            };
            vector.clear();
            let blob: Option<&[u8]> = self.get(&row, 9)?;
            if let Some(blob) = blob {
                components_into(blob, &mut vector);
            }
            let (seq, kind) = (Seq(self.number(&row, 0)?), kind_of_number(self.get(&row, 1)?));
            let (conversation, session): (Option<&str>, Option<&str>) = (self.get(&row, 2)?, self.get(&row, 3)?);
            row::placed(self.context, seq, kind, (conversation.is_some(), session.is_some()))?;
            let (speaker, said, image_caption) = (text(4)?, text(5)?.unwrap_or_default(), text(6)?);
            sink.row(IndexRow {
                seq,
                kind,
                conversation,
                session,
                speaker: speaker.as_deref(),
                text: &said,
                image_caption: image_caption.as_deref(),
                said_at: said_at(self.context, &row, 7)?,
                importance: self.get(&row, 8)?,
                vectors: blob.map(|_| vector.as_slice()),
            })?;
            fed += 1;
        }
        Ok(fed)
    }

    /// Memories by position, in the order of `positions`; those that are gone are left out.
    fn in_order(
        &self,
        positions: &[Seq],
        visit: &mut dyn FnMut(Record) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        let mut read = 0;
        for positions in positions.chunks(AT_ONCE) {
            let found = self.memories("AND m.seq = ANY($2)", values![positions])?;
            let mut found: HashMap<Seq, Record> = found.into_iter().map(|memory| (memory.seq, memory)).collect();
            for (at, seq) in positions.iter().enumerate() {
                // One that is asked for twice is given twice.
                let memory = match positions[at + 1..].contains(seq) {
                    true => found.get(seq).cloned(),
                    false => found.remove(seq),
                };
                if let Some(memory) = memory {
                    visit(memory)?;
                    read += 1;
                }
            }
        }
        Ok(read)
    }
}

impl MemoryTable for NamespaceTables<'_> {
    fn conversation(&self, name: &ConversationId) -> Result<Option<ConversationRow>, StoreError> {
        let sql = "SELECT c.id, c.floor, c.notes FROM @conversation c WHERE c.tenant = $1 AND c.name = $2";
        self.row(sql, values![name.as_str()])?.map(|row| self.conversation_row(&row)).transpose()
    }

    fn session(&self, conversation: u64, name: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let sql = "SELECT s.id, s.given FROM @session s WHERE s.tenant = $1 AND s.conversation = $2 AND s.name = $3";
        let row = self.row(sql, values![conversation, name.as_str()])?;
        row.map(|row| Ok(SessionRow { number: self.number(&row, 0)?, given: self.number(&row, 1)? })).transpose()
    }

    fn conversations_with(&self, session: &SessionId) -> Result<Vec<ConversationId>, StoreError> {
        let sql = "SELECT c.name FROM @session s JOIN @conversation c ON c.tenant = $1 AND c.id = s.conversation
                   WHERE s.tenant = $1 AND s.name = $2 ORDER BY s.id";
        self.names(sql, values![session.as_str()])
    }

    fn conversations_titled(&self, title: &str) -> Result<Vec<ConversationId>, StoreError> {
        let sql = "SELECT c.name FROM @session s JOIN @conversation c ON c.tenant = $1 AND c.id = s.conversation
                   WHERE s.tenant = $1 AND s.title = $2 GROUP BY c.id, c.name ORDER BY min(s.id)";
        self.names(sql, vec![Value::said(title)])
    }

    fn with_id(&self, conversation: u64, id: &MemoryId) -> Result<Option<Record>, StoreError> {
        let found = self.memories("AND m.conversation = $2 AND m.id = $3", values![conversation, id.as_str()])?;
        Ok(found.into_iter().next())
    }

    fn has_id(&self, conversation: u64, id: &MemoryId) -> Result<bool, StoreError> {
        let sql = "SELECT 1::int8 FROM @memory m WHERE m.tenant = $1 AND m.conversation = $2 AND m.id = $3";
        Ok(self.row(sql, values![conversation, id.as_str()])?.is_some())
    }

    fn has_memory(&self, seq: Seq) -> Result<bool, StoreError> {
        let sql = "SELECT 1::int8 FROM @memory m WHERE m.tenant = $1 AND m.seq = $2";
        Ok(self.row(sql, values![seq.0])?.is_some())
    }

    fn fetch(&self, positions: &[Seq]) -> Result<Vec<Record>, StoreError> {
        let mut memories = Vec::with_capacity(positions.len());
        self.in_order(positions, &mut |memory| {
            memories.push(memory);
            Ok(())
        })?;
        Ok(memories)
    }

    fn find(&self, memory_ref: &MemoryRef) -> Result<Vec<Record>, StoreError> {
        let id = memory_ref.id.as_str();
        match &memory_ref.conversation {
            None => self.memories("AND m.id = $2 ORDER BY m.seq", values![id]),
            Some(name) => self.memories("AND m.id = $2 AND c.name = $3", values![id, name.as_str()]),
        }
    }

    fn around(&self, seq: Seq, before: u32, after: u32) -> Result<Vec<Record>, StoreError> {
        let session = "SELECT m.session FROM @memory m WHERE m.tenant = $1 AND m.seq = $2";
        let session = self.row(session, values![seq.0])?.map(|row| self.number(&row, 0)).transpose()?;
        match session {
            None => Ok(Vec::new()),
            Some(NO_GROUP) => self.memories("AND m.seq = $2", values![seq.0]),
            Some(session) => {
                let earlier = "AND m.session = $2 AND m.seq < $3 ORDER BY m.seq DESC LIMIT $4";
                let later = "AND m.session = $2 AND m.seq >= $3 ORDER BY m.seq LIMIT $4";
                let mut memories = self.memories(earlier, values![session, seq.0, before])?;
                memories.reverse();
                memories.extend(self.memories(later, values![session, seq.0, i64::from(after) + 1])?);
                Ok(memories)
            }
        }
    }

    /// Sessions lie in order of their first arrival, and memories in order of theirs; notes come last.
    fn positions(&self, scope: &Scope) -> Result<Vec<Seq>, StoreError> {
        let (condition, values) = self.within(scope)?;
        let sql = format!(
            "SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition}
             ORDER BY m.conversation = 0, m.conversation, m.session = 0, m.session, m.seq"
        );
        let mut rows = self.stream(&sql, values)?;
        let mut positions = Vec::new();
        while let Some(row) = rows.next()? {
            positions.push(Seq(self.number(&row, 0)?));
        }
        drop(rows);
        if scope.is_everything() {
            self.expect(RowKind::Memories, positions.len() as u64)?;
        }
        Ok(positions)
    }

    fn count(&self, scope: &Scope) -> Result<u64, StoreError> {
        let (condition, values) = self.within(scope)?;
        self.count_of(&format!("SELECT count(*)::int8 FROM @memory m WHERE m.tenant = $1 {condition}"), values)
    }

    fn export(&self, scope: &Scope, visit: &mut dyn FnMut(Record) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let positions = self.positions(scope)?;
        let read = self.in_order(&positions, visit)?;
        match read == positions.len() as u64 {
            true => Ok(()),
            false => Err(self.context.damaged(format!("{} memories are listed and {read} are there", positions.len()))),
        }
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
        let (condition, values) = self.condition(selection)?;
        let sql = format!("SELECT m.seq, m.kind, m.conversation, m.id FROM @memory m WHERE m.tenant = $1 {condition}");
        let mut rows = self.stream(&sql, values)?;
        while let Some(row) = rows.next()? {
            visit(IdRow {
                seq: Seq(self.number(&row, 0)?),
                kind: kind_of_number(self.get(&row, 1)?),
                conversation: self.number(&row, 2)?,
                id: self.get(&row, 3)?,
            })?;
        }
        Ok(())
    }

    fn feed_titles(&self, after: u64, sink: &mut dyn IndexSink) -> Result<(), StoreError> {
        let sql = "SELECT s.id, c.name, s.name, s.title FROM @session s
                   JOIN @conversation c ON c.tenant = $1 AND c.id = s.conversation
                   WHERE s.tenant = $1 AND s.id > $2 AND s.title IS NOT NULL ORDER BY s.id";
        let mut rows = self.stream(sql, values![after])?;
        while let Some(row) = rows.next()? {
            let title = kept_text::said(self.get(&row, 3)?);
            sink.title(TitleRow {
                number: self.number(&row, 0)?,
                conversation: self.get(&row, 1)?,
                session: self.get(&row, 2)?,
                title: &title,
            });
        }
        Ok(())
    }

    fn feed_memories(
        &self,
        encoder: Option<&EncoderId>,
        (after, upto): (u64, u64),
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        self.feed_rows(encoder, "AND m.seq > $3 AND m.seq <= $4", values![after, upto], sink)
    }

    fn expect(&self, rows: RowKind, found: u64) -> Result<(), StoreError> {
        let (sql, noun) = match rows {
            RowKind::Memories => ("SELECT n.memories FROM @namespace n WHERE n.tenant = $1", "memories"),
            RowKind::Questions => ("SELECT n.questions FROM @namespace n WHERE n.tenant = $1", "cue questions"),
        };
        let Some(row) = self.row(sql, values![])? else { return Ok(()) };
        let recorded: i64 = self.get(&row, 0)?;
        match i64::try_from(found) == Ok(recorded) {
            true => Ok(()),
            false => Err(self.context.damaged(format!(
                "namespace {:?} has {found} {noun}, and {recorded} are recorded",
                self.name.as_str()
            ))),
        }
    }

    fn stats(&self) -> Result<NamespaceStats, StoreError> {
        let sql = "SELECT (SELECT count(*)::int8 FROM @conversation c WHERE c.tenant = $1),
                          (SELECT count(*)::int8 FROM @session s WHERE s.tenant = $1),
                          count(*) FILTER (WHERE m.kind = 0), count(*) FILTER (WHERE m.kind = 1),
                          min(m.said_at), max(m.said_at), (SELECT count(*)::int8 FROM @staged g WHERE g.tenant = $1)
                   FROM @memory m WHERE m.tenant = $1";
        let Some(row) = self.row(sql, values![])? else { return Ok(NamespaceStats::default()) };
        let stats = NamespaceStats {
            conversations: self.number(&row, 0)?,
            sessions: self.number(&row, 1)?,
            turns: self.number(&row, 2)?,
            notes: self.number(&row, 3)?,
            staged: self.number(&row, 6)?,
            first: said_at(self.context, &row, 4)?,
            last: said_at(self.context, &row, 5)?,
            ..NamespaceStats::default()
        };
        self.expect(RowKind::Memories, stats.turns + stats.notes)?;
        Ok(NamespaceStats { vectors: vector_counts(self)?, ..stats })
    }

    fn insert_conversation(&mut self, name: &ConversationId, floor: u64) -> Result<ConversationRow, StoreError> {
        let last = "SELECT coalesce(max(c.id), 0)::int8 FROM @conversation c WHERE c.tenant = $1";
        let number = self.next(&self.last_conversation, last)?;
        let sql = "INSERT INTO @conversation (tenant, id, name, floor, notes) VALUES ($1, $2, $3, $4, $4)";
        self.send(sql, values![number, name.as_str(), floor])?;
        Ok(ConversationRow { number, floor, notes: floor })
    }

    fn insert_session(&mut self, conversation: u64, name: &SessionId, given: u64) -> Result<SessionRow, StoreError> {
        let last = "SELECT coalesce(max(s.id), 0)::int8 FROM @session s WHERE s.tenant = $1";
        let number = self.next(&self.last_session, last)?;
        let sql = "INSERT INTO @session (tenant, id, conversation, name, given) VALUES ($1, $2, $3, $4, $5)";
        self.send(sql, values![number, conversation, name.as_str(), given])?;
        Ok(SessionRow { number, given })
    }

    fn set_title(&mut self, session: u64, title: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE @session s SET title = $3 WHERE s.tenant = $1 AND s.id = $2 AND s.title IS DISTINCT FROM $3";
        let mut values = values![session];
        values.push(Value::said(title));
        Ok(self.execute(sql, values)? > 0)
    }

    fn insert_memory(&mut self, memory: &Record, groups: Groups) -> Result<(), StoreError> {
        let mut all =
            values![memory.seq.0, memory.id.as_str(), number_of_kind(memory.kind), groups.conversation, groups.session];
        all.push(Value::said_if(memory.speaker.as_deref()));
        all.push(Value::said(&memory.text));
        all.push(Value::Number(memory.said_at.map(|at| at.millis())));
        all.push(Value::said_if(memory.image_caption.as_deref()));
        all.extend(marks(memory));
        self.send(
            "INSERT INTO @memory (tenant, seq, id, kind, conversation, session, speaker, text, said_at, image_caption,
                                  importance, sensitive, tags, source, meta)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            all,
        )
    }

    fn update_memory(&mut self, memory: &Record) -> Result<(), StoreError> {
        let mut all = values![memory.seq.0];
        all.extend(marks(memory));
        self.send(
            "UPDATE @memory m SET importance = $3, sensitive = $4, tags = $5, source = $6, meta = $7
             WHERE m.tenant = $1 AND m.seq = $2",
            all,
        )
    }

    fn advance_memories(&mut self, last: Seq, added: u64) -> Result<(), StoreError> {
        let sql = "UPDATE @namespace n SET last = $2, memories = n.memories + $3 WHERE n.tenant = $1";
        self.send(sql, values![last.0, added])?;
        self.state.version.last = last;
        Ok(())
    }

    fn raise(&mut self, counter: Counter<'_>, number: u64) -> Result<u64, StoreError> {
        let mut values = values![number];
        let sql = match counter {
            Counter::Floor => "UPDATE @namespace n SET floor = greatest(n.floor, $2) WHERE n.tenant = $1",
            Counter::Notes => "UPDATE @namespace n SET notes = greatest(n.notes, $2) WHERE n.tenant = $1",
            Counter::ConversationFloor(of) => {
                values.push(of.into());
                "UPDATE @conversation c SET floor = greatest(c.floor, $2) WHERE c.tenant = $1 AND c.id = $3"
            }
            Counter::ConversationNotes(of) => {
                values.push(of.into());
                "UPDATE @conversation c SET notes = greatest(c.notes, $2) WHERE c.tenant = $1 AND c.id = $3"
            }
            Counter::Session(of) => {
                values.push(of.into());
                "UPDATE @session s SET given = greatest(s.given, $2) WHERE s.tenant = $1 AND s.id = $3"
            }
            Counter::SessionNamed { conversation, name } => {
                values.extend([conversation.into(), name.into()]);
                "UPDATE @session s SET given = greatest(s.given, $2)
                 WHERE s.tenant = $1 AND s.conversation = $3 AND s.name = $4"
            }
            Counter::SessionsStarting { conversation, prefix } => {
                values.extend([conversation.into(), prefix.into()]);
                "UPDATE @session s SET given = greatest(s.given, $2)
                 WHERE s.tenant = $1 AND s.conversation = $3 AND starts_with(s.name, $4)"
            }
        };
        let changed = self.execute(sql, values)?;
        match counter {
            Counter::Floor => self.state.floor = number.max(self.state.floor),
            Counter::Notes => self.state.notes = number.max(self.state.notes),
            _ => {}
        }
        Ok(changed)
    }

    fn delete_memories(&mut self, selection: Selection<'_>) -> Result<u64, StoreError> {
        let (condition, values) = self.condition(selection)?;
        if !selection.is_everything() {
            self.delete_terms(&condition, &values)?;
        }
        self.delete_halves(&condition, &values)?;
        let vectors = format!(
            "DELETE FROM @vector v WHERE v.tenant = $1
             AND v.seq IN (SELECT m.seq FROM @memory m WHERE m.tenant = $1 {condition})"
        );
        let vectors = self.execute(&vectors, values.clone())?;
        let memories = format!("DELETE FROM @memory m WHERE m.tenant = $1 {condition}");
        let memories = self.execute(&memories, values)?;
        if memories > 0 {
            // What is derived and kept elsewhere is sealed with the secret, and cannot be opened from now on.
            let secret = self.random::<32>()?;
            let sql = "UPDATE @namespace n SET memories = n.memories - $2, secret = $3 WHERE n.tenant = $1";
            self.send(sql, values![memories, &secret[..]])?;
        }
        Ok(vectors)
    }

    fn delete_empty_groups(&mut self) -> Result<EmptiedGroups, StoreError> {
        let sessions = "DELETE FROM @session s WHERE s.tenant = $1
             AND NOT EXISTS (SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.session = s.id)
             RETURNING s.conversation, s.given";
        let conversations = "DELETE FROM @conversation c WHERE c.tenant = $1
             AND NOT EXISTS (SELECT 1 FROM @memory m WHERE m.tenant = $1 AND m.conversation = c.id)
             RETURNING c.id, c.floor, c.notes";
        let mut emptied = EmptiedGroups::default();
        for row in &self.rows(sessions, values![])? {
            let (conversation, given) = (self.number(row, 0)?, self.number(row, 1)?);
            emptied.sessions.push(EmptiedSession { conversation, given });
        }
        for row in &self.rows(conversations, values![])? {
            emptied.conversations.push(self.conversation_row(row)?);
        }
        // Numbers of groups are given from the highest that is left.
        self.last_conversation.set(None);
        self.last_session.set(None);
        Ok(emptied)
    }
}

/// What of a memory may change in its place.
fn marks(memory: &Record) -> Vec<Value> {
    values![
        // As SQLite does, which keeps no negative zero.
        memory.importance.value() + 0.0,
        bool::from(memory.sensitivity),
        to_json(&memory.tags, memory.tags.is_empty()),
        to_json(&memory.source, memory.source.is_empty()),
        memory.meta.as_ref().and_then(|meta| to_json(meta, false)),
    ]
}
