//! Appending memories: ids, groups, repeats and conflicts.

use std::collections::HashMap;

use aforesaid_core::{
    StoreError,
    store::{Batch, Fate, Fingerprint, NewVectors, allocate_id},
    types::{ConversationId, Draft, EncoderId, Kind, Memory, MemoryId, Namespace, Seq, SessionId},
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    checksum,
    errors::Context,
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
}

impl<'a> Appending<'a> {
    pub(crate) fn start(
        transaction: &'a Transaction<'a>,
        context: Context<'a>,
        namespace: &'a Namespace,
    ) -> Result<Self, StoreError> {
        context.run(transaction.execute(
            // A namespace that was forgotten and made again must not repeat an old version.
            "INSERT INTO namespace (name, epoch, last) VALUES (?1, abs(random() >> 1), 0)
             ON CONFLICT (name) DO NOTHING",
            [namespace.as_str()],
        ))?;
        let (tenant, last) = context.run(transaction.query_row(
            "SELECT id, last FROM namespace WHERE name = ?1",
            [namespace.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        ))?;
        Ok(Self {
            transaction,
            context,
            namespace,
            tenant,
            last,
            encoder: None,
            conversations: HashMap::new(),
            sessions: HashMap::new(),
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
            self.context.run(self.transaction.execute(
                "UPDATE namespace SET last = ?2, memories = memories + ?3 WHERE id = ?1",
                params![self.tenant, self.last, self.last - before],
            ))?;
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
        let mut staged = Taking::start(self.transaction, self.context, self.namespace, name, fingerprints);
        let mut fates = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.iter().enumerate() {
            let fate = self.one(draft)?;
            if let Some(print) = fingerprints.get(i).copied().flatten() {
                if let Fate::Added(_) = fate {
                    let encoder = self.encoder(name, || staged.dim(&print))?;
                    staged.give(self.tenant, encoder, Seq(self.last), &print)?;
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
        let id = match draft.id() {
            Some(id) => id.clone(),
            None => self.allocate(draft, conversation, session)?,
        };
        self.last += 1;
        let memory = draft.clone().into_memory(Seq(self.last), id.clone());
        self.insert(&memory, conversation, session)?;
        Ok(Fate::Added(id))
    }

    fn allocate(&self, draft: &Draft, conversation: i64, session: i64) -> Result<MemoryId, StoreError> {
        let count: u64 = match draft {
            Draft::Turn(_) => self.context.run(
                self.transaction
                    .prepare_cached("SELECT count(*) FROM memory WHERE namespace = ?1 AND session = ?2")
                    .and_then(|mut count| count.query_row(params![self.tenant, session], |row| row.get(0))),
            )?,
            Draft::Note(_) => self.context.run(
                self.transaction
                    .prepare_cached(
                        "SELECT count(*) FROM memory WHERE namespace = ?1 AND conversation = ?2 AND kind = ?3",
                    )
                    .and_then(|mut count| {
                        let note = number_of(Kind::Note);
                        count.query_row(params![self.tenant, conversation, note], |row| row.get(0))
                    }),
            )?,
        };
        allocate_id(draft, count, |id| {
            Ok(seq_of(self.transaction, self.context, self.tenant, conversation, id)?.is_some())
        })
    }

    fn conversation(&mut self, name: &ConversationId) -> Result<i64, StoreError> {
        if let Some(&number) = self.conversations.get(name) {
            return Ok(number);
        }
        let key = params![self.tenant, name.as_str()];
        self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT INTO conversation (namespace, id, name)
                     SELECT ?1, coalesce((SELECT max(id) FROM conversation WHERE namespace = ?1), 0) + 1, ?2
                     WHERE NOT EXISTS (SELECT 1 FROM conversation WHERE namespace = ?1 AND name = ?2)",
                )
                .and_then(|mut insert| insert.execute(key)),
        )?;
        let number = conversation_number(self.transaction, self.context, self.tenant, name)?.unwrap_or(NO_GROUP);
        self.conversations.insert(name.clone(), number);
        Ok(number)
    }

    fn session(&mut self, conversation: i64, name: &SessionId) -> Result<i64, StoreError> {
        let known = (conversation, name.clone());
        if let Some(&number) = self.sessions.get(&known) {
            return Ok(number);
        }
        let key = params![self.tenant, conversation, name.as_str()];
        self.context.run(
            self.transaction
                .prepare_cached(
                    "INSERT INTO session (namespace, id, conversation, name)
                     SELECT ?1, coalesce((SELECT max(id) FROM session WHERE namespace = ?1), 0) + 1, ?2, ?3
                     WHERE NOT EXISTS
                       (SELECT 1 FROM session WHERE namespace = ?1 AND conversation = ?2 AND name = ?3)",
                )
                .and_then(|mut insert| insert.execute(key)),
        )?;
        let number = self.context.run(
            self.transaction
                .prepare_cached("SELECT id FROM session WHERE namespace = ?1 AND conversation = ?2 AND name = ?3")
                .and_then(|mut select| select.query_row(key, |row| row.get(0))),
        )?;
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
