//! Everything that only looks.

use std::collections::BTreeMap;

use aforesaid_core::{
    StoreError,
    store::{Address, Audience, IndexRow, IndexSink, NamespaceStats, Unembedded, Version},
    types::{ConversationId, CueId, EncoderId, Memory, Namespace, Scope, Seq, SessionId, Timestamp, Vectors},
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params, types::Value};

use crate::{
    counters::Counter,
    errors::Context,
    row::{self, kind, said_at},
    serving::serving,
    vectors::{self, read_into},
};

/// SQL that keeps memories `m` of tenant `?1` without a vector by encoder `?2`; `?3` lets sensitive ones in.
const UNEMBEDDED: &str = "(?3 OR NOT m.sensitive)
    AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.namespace = ?1 AND v.encoder = ?2 AND v.seq = m.seq)";

/// A namespace as the file knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tenant {
    pub(crate) number: i64,
    pub(crate) version: Version,
}

/// Reads one namespace over one connection, inside the caller's transaction if it has one.
pub(crate) struct Reader<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) context: Context<'a>,
    pub(crate) tenant: Tenant,
}

pub(crate) fn tenant(
    connection: &Connection,
    context: Context<'_>,
    namespace: &Namespace,
) -> Result<Option<Tenant>, StoreError> {
    let tenant = |row: &Row<'_>| {
        let version = Version { epoch: row.get(1)?, last: Seq(row.get(2)?), cues: CueId(row.get(3)?) };
        Ok(Tenant { number: row.get(0)?, version })
    };
    context.run(
        connection
            .prepare_cached("SELECT id, epoch, last, cues FROM namespace WHERE name = ?1")
            .and_then(|mut select| select.query_row([namespace.as_str()], tenant).optional()),
    )
}

/// A namespace, made where it is missing.
pub(crate) fn tenant_or_new(
    transaction: &Transaction<'_>,
    context: Context<'_>,
    namespace: &Namespace,
) -> Result<Tenant, StoreError> {
    if let Some(tenant) = tenant(transaction, context, namespace)? {
        return Ok(tenant);
    }
    let (number, epoch) = context.run(transaction.query_row(
        // A namespace that was forgotten and made again must not repeat an old version.
        "INSERT INTO namespace (name, epoch, last, salt) VALUES (?1, abs(random() >> 1), 0, randomblob(16))
         RETURNING id, epoch",
        [namespace.as_str()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    ))?;
    Ok(Tenant { number, version: Version { epoch, last: Seq(0), cues: CueId(0) } })
}

pub(crate) fn namespaces(connection: &Connection, context: Context<'_>) -> Result<Vec<Namespace>, StoreError> {
    let names: Vec<String> = context.run(
        connection
            .prepare_cached("SELECT name FROM namespace ORDER BY name")
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect()),
    )?;
    names.into_iter().map(|name| Ok(Namespace::new(name)?)).collect()
}

impl Reader<'_> {
    fn memories(&self, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<Memory>, StoreError> {
        let mut all: Vec<&dyn ToSql> = vec![&self.tenant.number];
        all.extend_from_slice(values);
        self.context.run(
            self.connection
                .prepare_cached(&format!("{} {condition}", row::SELECT))
                .and_then(|mut select| select.query_map(&*all, row::memory)?.collect()),
        )
    }

    pub(crate) fn fetch(&self, places: &[Seq]) -> Result<Vec<Memory>, StoreError> {
        let mut memories = Vec::with_capacity(places.len());
        for seq in places {
            memories.extend(self.memories("AND m.seq = ?2", &[&(seq.0)])?);
        }
        Ok(memories)
    }

    pub(crate) fn find(&self, address: &Address) -> Result<Vec<Memory>, StoreError> {
        let id = address.id.as_str();
        match &address.conversation {
            None => self.memories("AND m.id = ?2 ORDER BY m.seq", &[&id]),
            Some(name) => self.memories("AND m.id = ?2 AND c.name = ?3", &[&id, &name.as_str()]),
        }
    }

    pub(crate) fn around(&self, seq: Seq, before: u32, after: u32) -> Result<Vec<Memory>, StoreError> {
        let seq = seq.0;
        let session: Option<i64> = self.context.run(
            self.connection
                .prepare_cached("SELECT session FROM memory WHERE namespace = ?1 AND seq = ?2")
                .and_then(|mut s| s.query_row(params![self.tenant.number, seq], |row| row.get(0)).optional()),
        )?;
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

    pub(crate) fn conversations_with(&self, session: &SessionId) -> Result<Vec<ConversationId>, StoreError> {
        let names: Vec<String> = self.context.run(
            self.connection
                .prepare_cached(
                    "SELECT c.name FROM session s
                     JOIN conversation c ON c.namespace = ?1 AND c.id = s.conversation
                     WHERE s.namespace = ?1 AND s.name = ?2 ORDER BY s.id",
                )
                .and_then(|mut select| {
                    let key = params![self.tenant.number, session.as_str()];
                    select.query_map(key, |row| row.get(0))?.collect()
                }),
        )?;
        names.into_iter().map(|name| Ok(ConversationId::new(name)?)).collect()
    }

    /// Sessions lie in order of their first arrival, and memories in order of theirs; notes come last.
    pub(crate) fn export(
        &self,
        scope: &Scope,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (condition, values) = within(scope, self.tenant.number);
        let order = "ORDER BY m.conversation = 0, m.conversation, m.session = 0, m.session, m.seq";
        let sql = format!("{} {condition} {order}", row::SELECT);
        let mut select = self.context.run(self.connection.prepare_cached(&sql))?;
        let mut rows = self.context.run(select.query(rusqlite::params_from_iter(values)))?;
        let mut found = 0;
        while let Some(row) = self.context.run(rows.next())? {
            visit(self.context.run(row::memory(row))?)?;
            found += 1;
        }
        if scope.is_everything() { self.expect(Counter::Memories, found) } else { Ok(()) }
    }

    pub(crate) fn catch_up(
        &self,
        encoder: Option<&EncoderId>,
        since: Option<Version>,
        sink: &mut dyn IndexSink,
    ) -> Result<Version, StoreError> {
        let version = self.tenant.version;
        let since = since.filter(|since| since.epoch == version.epoch);
        let (after, after_cue) = match since {
            Some(since) => (since.last, since.cues),
            None => {
                sink.reset();
                (Seq(0), CueId(0))
            }
        };
        let encoder = match encoder {
            Some(name) => vectors::encoder(self.connection, self.context, self.tenant.number, name)?,
            None => None,
        };
        let memories = self.feed_rows(encoder, after, sink)?;
        let questions = self.feed_cues(encoder, after_cue, sink)?;
        if since.is_none() {
            self.expect(Counter::Memories, memories)?;
            self.expect(Counter::Questions, questions)?;
        }
        Ok(version)
    }

    /// Feeds the memories after a position; says how many.
    fn feed_rows(
        &self,
        encoder: Option<vectors::Encoder>,
        after: Seq,
        sink: &mut dyn IndexSink,
    ) -> Result<u64, StoreError> {
        if after >= self.tenant.version.last {
            return Ok(0);
        }
        let mut select = self.context.run(self.connection.prepare_cached(
            "SELECT m.seq, m.kind, c.name, s.name, m.speaker, m.text, m.image_caption, m.said_at, m.importance, v.data
             FROM memory m
             LEFT JOIN conversation c ON c.namespace = ?1 AND c.id = m.conversation
             LEFT JOIN session s ON s.namespace = ?1 AND s.id = m.session
             LEFT JOIN vector v ON v.namespace = ?1 AND v.encoder = ?2 AND v.seq = m.seq
             WHERE m.namespace = ?1 AND m.seq > ?3 ORDER BY m.seq",
        ))?;
        let key = params![self.tenant.number, encoder.map_or(-1, |encoder| encoder.number), after.0];
        let mut rows = self.context.run(select.query(key))?;
        let (mut vector, mut fed) = (Vec::new(), 0);
        while let Some(row) = self.context.run(rows.next())? {
            let row = self.context.run(index_row(row, &mut vector))?;
            sink.row(row)?;
            fed += 1;
        }
        Ok(fed)
    }

    pub(crate) fn vectors(&self, name: &EncoderId, places: &[Seq]) -> Result<Option<Vectors>, StoreError> {
        let sql = "SELECT data FROM vector WHERE namespace = ?1 AND encoder = ?2 AND seq = ?3";
        self.blobs(name, sql, places.iter().map(|seq| seq.0))
    }

    /// The vectors that `sql` finds by tenant, encoder and key; `None` where one is missing.
    pub(crate) fn blobs(
        &self,
        name: &EncoderId,
        sql: &str,
        keys: impl ExactSizeIterator<Item = u64>,
    ) -> Result<Option<Vectors>, StoreError> {
        let Some(encoder) = vectors::encoder(self.connection, self.context, self.tenant.number, name)? else {
            return Ok(None);
        };
        let mut data = Vec::with_capacity(keys.len() * encoder.dim);
        let mut select = self.context.run(self.connection.prepare_cached(sql))?;
        for key in keys {
            let found = select.query_row(params![self.tenant.number, encoder.number, key], |row| {
                read_into(row.get_ref(0)?.as_blob()?, &mut data);
                Ok(())
            });
            if self.context.run(found.optional())?.is_none() {
                return Ok(None);
            }
        }
        Ok(Vectors::new(encoder.dim, data))
    }

    pub(crate) fn unembedded(
        &self,
        name: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        let (number, may_see_sensitive) = (self.number_of(name)?, audience == Audience::LocalModels);
        let condition = format!("AND m.seq > ?4 AND {UNEMBEDDED} ORDER BY m.seq LIMIT ?5");
        let memories = self.memories(&condition, &[&number, &may_see_sensitive, &after.0, &limit])?;
        Ok(memories.into_iter().map(|memory| Unembedded { seq: memory.seq, passage: memory.passage() }).collect())
    }

    pub(crate) fn count_unembedded(&self, name: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        let key = params![self.tenant.number, self.number_of(name)?, audience == Audience::LocalModels];
        let sql = format!("SELECT count(*) FROM memory m WHERE m.namespace = ?1 AND {UNEMBEDDED}");
        self.context.run(self.connection.query_row(&sql, key, |row| row.get(0)))
    }

    /// The number of an encoder here; one that no encoder has where it is not known.
    pub(crate) fn number_of(&self, name: &EncoderId) -> Result<i64, StoreError> {
        let encoder = vectors::encoder(self.connection, self.context, self.tenant.number, name)?;
        Ok(encoder.map_or(-1, |encoder| encoder.number))
    }

    pub(crate) fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError> {
        let tenant = self.tenant.number;
        let mut stats = self.context.run(self.connection.query_row(
            "SELECT (SELECT count(*) FROM conversation WHERE namespace = ?1),
                    (SELECT count(*) FROM session WHERE namespace = ?1),
                    count(*) FILTER (WHERE kind = 0), count(*) FILTER (WHERE kind = 1), min(said_at), max(said_at),
                    (SELECT count(*) FROM staged WHERE namespace = ?1)
             FROM memory WHERE namespace = ?1",
            [tenant],
            |row| {
                Ok(NamespaceStats {
                    conversations: row.get(0)?,
                    sessions: row.get(1)?,
                    turns: row.get(2)?,
                    notes: row.get(3)?,
                    vectors: BTreeMap::new(),
                    serving: None,
                    staged: row.get(6)?,
                    first: said_at(row, 4)?,
                    last: said_at(row, 5)?,
                })
            },
        ))?;
        self.expect(Counter::Memories, stats.turns + stats.notes)?;
        stats.vectors = self.context.run(
            self.connection
                .prepare_cached(
                    "SELECT e.name, count(v.seq) FROM encoder e
                     LEFT JOIN vector v ON v.namespace = ?1 AND v.encoder = e.id
                     WHERE e.namespace = ?1 GROUP BY e.id",
                )
                .and_then(|mut select| select.query_map([tenant], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()),
        )?;
        stats.vectors.retain(|_, count| *count > 0);
        stats.serving = serving(self.connection, self.context, namespace)?;
        Ok(stats)
    }
}

/// SQL that keeps the memories of a scope, and its values; the tenant is `?1`.
pub(crate) fn within(scope: &Scope, tenant: i64) -> (String, Vec<Value>) {
    let mut condition = String::new();
    let mut values = vec![Value::Integer(tenant)];
    let mut and = |sql: &str, value: Value| {
        values.push(value);
        condition.push_str(&sql.replace('$', &format!("?{}", values.len())));
    };
    if let Some(conversation) = &scope.conversation {
        and(
            " AND m.conversation = (SELECT id FROM conversation WHERE namespace = ?1 AND name = $)",
            Value::Text(conversation.to_string()),
        );
    }
    if let Some(session) = &scope.session {
        and(
            " AND m.session IN (SELECT id FROM session WHERE namespace = ?1 AND name = $)",
            Value::Text(session.to_string()),
        );
    }
    if let Some(from) = scope.from {
        and(" AND m.said_at >= $", Value::Integer(from.millis()));
    }
    if let Some(to) = scope.to {
        and(" AND m.said_at <= $", Value::Integer(to.millis()));
    }
    (condition, values)
}

fn index_row<'r>(row: &'r Row<'_>, vector: &'r mut Vec<f32>) -> rusqlite::Result<IndexRow<'r>> {
    let text = |column| -> rusqlite::Result<Option<&'r str>> { Ok(row.get_ref(column)?.as_str_or_null()?) };
    vector.clear();
    let blob = row.get_ref(9)?.as_blob_or_null()?;
    if let Some(blob) = blob {
        read_into(blob, vector);
    }
    let at: Option<Timestamp> = said_at(row, 7)?;
    let (seq, kind, conversation, session) = (Seq(row.get(0)?), kind(row.get(1)?), text(2)?, text(3)?);
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
        vector: blob.map(|_| vector.as_slice()),
    })
}
