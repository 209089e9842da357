//! Appending memories: ids, groups, repeats and conflicts.

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::{Batch, Fate, Fingerprint, NewVectors, numbers::allocate_id},
    types::{ConversationId, Draft, EncoderId, Memory, MemoryId, Namespace, Seq, SessionId},
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    checksum,
    errors::Context,
    numbering::Counters,
    read::{self, Tenant},
    row::{self, NO_GROUP, number_of, to_json},
    serving,
    staging::Taking,
    vectors,
};

/// One batch on its way into one namespace, inside one transaction.
pub(crate) struct Appending<'a> {
    transaction: &'a Transaction<'a>,
    context: Context<'a>,
    namespace: &'a Namespace,
    tenant: i64,
    last: u64,
    /// The encoder of the batch, once a vector was due.
    encoder: Option<vectors::Encoder>,
    conversations: HashMap<ConversationId, i64>,
    sessions: HashMap<(i64, SessionId), i64>,
    counters: Counters,
    /// Where new conversations begin to number.
    floor: u64,
}

impl<'a> Appending<'a> {
    pub(crate) fn start(
        transaction: &'a Transaction<'a>,
        context: Context<'a>,
        namespace: &'a Namespace,
    ) -> Result<Self, StoreError> {
        let Tenant { number: tenant, version } = read::tenant_or_new(transaction, context, namespace)?;
        let (floor, notes) = context.run(transaction.query_row(
            "SELECT floor, notes FROM namespace WHERE id = ?1",
            [tenant],
            |row| Ok((row.get(0)?, row.get(1)?)),
        ))?;
        let mut counters = Counters::default();
        counters.know(NO_GROUP, NO_GROUP, notes);
        Ok(Self {
            transaction,
            context,
            namespace,
            tenant,
            last: version.last.0,
            encoder: None,
            conversations: HashMap::new(),
            sessions: HashMap::new(),
            counters,
            floor,
        })
    }

    /// Appends a batch and returns what became of each draft.
    pub(crate) fn batch(&mut self, batch: Batch<'_>) -> Result<Vec<Fate>, StoreError> {
        let before = self.last;
        let fates = match batch.vectors {
            NewVectors::None => batch.drafts.iter().map(|draft| self.one(draft)).collect::<Result<_, _>>()?,
            NewVectors::Given { encoder, vectors } => self.with_given(batch.drafts, encoder, vectors)?,
            NewVectors::Staged { encoder, fingerprints } => self.with_staged(batch.drafts, encoder, fingerprints)?,
        };
        if self.last != before {
            self.context.run(
                self.transaction
                    .execute("UPDATE namespace SET last = ?2 WHERE id = ?1", params![self.tenant, self.last]),
            )?;
            self.counters.write(self.transaction, self.context, self.tenant)?;
        }
        Ok(fates)
    }

    fn with_given(
        &mut self,
        drafts: &[Draft],
        name: &EncoderId,
        vectors: &[Option<&[f32]>],
    ) -> Result<Vec<Fate>, StoreError> {
        let mut fates = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let fate = self.one(draft)?;
            if let (Fate::Added(_), Some(vector)) = (&fate, vectors.get(i).copied().flatten()) {
                let encoder = self.encoder(name, || Ok(vector.len()))?;
                vectors::insert(self.transaction, self.context, self.tenant, encoder, name, Seq(self.last), vector)?;
            }
            fates.push(fate);
        }
        Ok(fates)
    }

    fn with_staged(
        &mut self,
        drafts: &[Draft],
        name: &EncoderId,
        fingerprints: &[Option<Fingerprint>],
    ) -> Result<Vec<Fate>, StoreError> {
        let mut staged = Taking::start(self.transaction, self.context, self.tenant, name, fingerprints)?;
        let mut fates = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let fate = self.one(draft)?;
            if let Some(print) = fingerprints.get(i).copied().flatten() {
                if let Fate::Added(_) = fate {
                    let encoder = self.encoder(name, || staged.dim(&print))?;
                    staged.give(encoder, Seq(self.last), &print)?;
                }
                staged.release(&print)?;
            }
            fates.push(fate);
        }
        Ok(fates)
    }

    /// The encoder of the batch, which must be the one that serves.
    fn encoder(
        &mut self,
        name: &EncoderId,
        dim: impl FnOnce() -> Result<usize, StoreError>,
    ) -> Result<vectors::Encoder, StoreError> {
        if let Some(known) = self.encoder {
            return Ok(known);
        }
        serving::settle(self.transaction, self.context, self.namespace, name)?;
        let encoder = match vectors::encoder(self.transaction, self.context, self.tenant, name)? {
            Some(known) => known,
            None => vectors::encoder_or_new(self.transaction, self.context, self.tenant, name, dim()?)?,
        };
        Ok(*self.encoder.insert(encoder))
    }

    fn one(&mut self, draft: &Draft) -> Result<Fate, StoreError> {
        if let Some(id) = known(self.transaction, self.context, Some(self.tenant), draft)? {
            return Ok(Fate::Unchanged(id));
        }
        let conversation = match draft.conversation() {
            Some(name) => self.conversation(name)?,
            None => NO_GROUP,
        };
        let session = match draft {
            Draft::Turn(turn) => self.session(conversation, &turn.session)?,
            Draft::Note(_) => NO_GROUP,
        };
        let highest = self.counters.highest(conversation, session);
        let (id, number) = match draft.id() {
            Some(id) => (id.clone(), highest + 1),
            None => allocate_id(draft, highest, |id| {
                Ok(seq_of(self.transaction, self.context, self.tenant, conversation, id)?.is_some())
            })?,
        };
        self.counters.set(conversation, session, number);
        self.last += 1;
        let memory = draft.clone().into_memory(Seq(self.last), id.clone());
        self.insert(&memory, conversation, session)?;
        Ok(Fate::Added(id))
    }

    fn conversation(&mut self, name: &ConversationId) -> Result<i64, StoreError> {
        if let Some(&number) = self.conversations.get(name) {
            return Ok(number);
        }
        let key = params![self.tenant, name.as_str(), self.floor];
        self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT INTO conversation (namespace, id, name, floor, notes)
                     SELECT ?1, coalesce((SELECT max(id) FROM conversation WHERE namespace = ?1), 0) + 1, ?2, ?3, ?3
                     WHERE NOT EXISTS (SELECT 1 FROM conversation WHERE namespace = ?1 AND name = ?2)",
                )
                .and_then(|mut insert| insert.execute(key)),
        )?;
        let (number, floor, notes) = self.context.run(
            self.transaction
                .prepare_cached("SELECT id, floor, notes FROM conversation WHERE namespace = ?1 AND name = ?2")
                .and_then(|mut select| {
                    let key = params![self.tenant, name.as_str()];
                    select.query_row(key, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                }),
        )?;
        self.counters.know_floor(number, floor);
        self.counters.know(number, NO_GROUP, notes);
        self.conversations.insert(name.clone(), number);
        Ok(number)
    }

    fn session(&mut self, conversation: i64, name: &SessionId) -> Result<i64, StoreError> {
        let known = (conversation, name.clone());
        if let Some(&number) = self.sessions.get(&known) {
            return Ok(number);
        }
        let key = params![self.tenant, conversation, name.as_str()];
        let start = self.counters.start(conversation, name.as_str());
        self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT INTO session (namespace, id, conversation, name, given)
                     SELECT ?1, coalesce((SELECT max(id) FROM session WHERE namespace = ?1), 0) + 1, ?2, ?3, ?4
                     WHERE NOT EXISTS
                       (SELECT 1 FROM session WHERE namespace = ?1 AND conversation = ?2 AND name = ?3)",
                )
                .and_then(|mut insert| insert.execute(params![self.tenant, conversation, name.as_str(), start])),
        )?;
        let (number, given) = self.context.run(
            self.transaction
                .prepare_cached(
                    "SELECT id, given FROM session WHERE namespace = ?1 AND conversation = ?2 AND name = ?3",
                )
                .and_then(|mut select| select.query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))),
        )?;
        self.counters.know(conversation, number, given);
        self.sessions.insert(known, number);
        Ok(number)
    }

    fn insert(&self, memory: &Memory, conversation: i64, session: i64) -> Result<(), StoreError> {
        let tags = to_json(&memory.tags, memory.tags.is_empty());
        let source = to_json(&memory.source, memory.source.is_empty());
        let meta = memory.meta.as_ref().and_then(|meta| to_json(meta, false));
        let json = checksum::Json { tags: tags.as_deref(), source: source.as_deref(), meta: meta.as_deref() };
        let sum = checksum::of(memory, json);
        self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT INTO memory (namespace, seq, id, kind, conversation, session, speaker, text, said_at,
                                         image_caption, importance, sensitive, tags, source, meta, checksum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
                )
                .and_then(|mut insert| {
                    insert.execute(params![
                        self.tenant,
                        memory.seq.0,
                        memory.id.as_str(),
                        number_of(memory.kind),
                        conversation,
                        session,
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
                    ])
                }),
        )?;
        Ok(())
    }
}

/// The id a draft is already stored under, if it is; `tenant` is `None` for a namespace not there yet.
pub(crate) fn known(
    connection: &Connection,
    context: Context<'_>,
    tenant: Option<i64>,
    draft: &Draft,
) -> Result<Option<MemoryId>, StoreError> {
    draft.check()?;
    let (Some(tenant), Some(id)) = (tenant, draft.id()) else { return Ok(None) };
    let conversation = match draft.conversation() {
        Some(name) => conversation_number(connection, context, tenant, name)?,
        None => Some(NO_GROUP),
    };
    let Some(conversation) = conversation else { return Ok(None) };
    let Some(seq) = seq_of(connection, context, tenant, conversation, id)? else { return Ok(None) };
    let stored = context.run(
        connection
            .prepare_cached(&format!("{} AND m.seq = ?2", row::SELECT))
            .and_then(|mut select| select.query_row(params![tenant, seq], row::memory)),
    )?;
    let new = draft.clone().into_memory(stored.seq, id.clone());
    match stored.difference(&new) {
        None => Ok(Some(id.clone())),
        Some(field) => Err(StoreError::Conflict { id: id.clone(), conversation: draft.conversation().cloned(), field }),
    }
}

pub(crate) fn conversation_number(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    name: &ConversationId,
) -> Result<Option<i64>, StoreError> {
    context.run(
        connection
            .prepare_cached("SELECT id FROM conversation WHERE namespace = ?1 AND name = ?2")
            .and_then(|mut select| select.query_row(params![tenant, name.as_str()], |row| row.get(0)).optional()),
    )
}

fn seq_of(
    connection: &Connection,
    context: Context<'_>,
    tenant: i64,
    conversation: i64,
    id: &MemoryId,
) -> Result<Option<u64>, StoreError> {
    context.run(
        connection
            .prepare_cached("SELECT seq FROM memory WHERE namespace = ?1 AND conversation = ?2 AND id = ?3")
            .and_then(|mut select| {
                select.query_row(params![tenant, conversation, id.as_str()], |row| row.get(0)).optional()
            }),
    )
}
