//! The store's contract, over connections of a pool.

use std::{path::Path, time::Duration};

use aforesaid_core::{
    StoreError,
    store::{
        Address, Audience, BackedUp, Batch, CheckDepth, CueStats, CueStore, Doomed, DroppedCues, Erasure, Existing,
        Fate, Finding, Fingerprint, Forgotten, IndexSink, Kept, NamespaceStats, NewCues, NewVectors, Salvaged, Segment,
        SnapshotName, Store, Unembedded, UnembeddedCue, Version,
    },
    types::{
        ConversationId, CueId, CueSource, Cues, Draft, EncoderId, Memory, MemoryId, Namespace, Scope, Seq, SessionId,
        Vectors,
    },
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::{
    append::{self, Appending},
    backup, check,
    connection::{Access, Pool, UncleanEnd},
    cues::{self, Putting},
    erasure,
    errors::Context,
    forget,
    place::Creation,
    read::{self, Reader, Tenant},
    serving, snapshot, staging, vectors,
};

/// Memories in one SQLite file.
pub struct SqliteStore {
    pool: Pool,
}

impl SqliteStore {
    /// Opens a store, and brings an older one to this version.
    ///
    /// # Errors
    /// When the path is no store, cannot be used, or comes from a newer version.
    pub fn open(path: impl AsRef<Path>, creation: Creation) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::open(path.as_ref(), creation, UncleanEnd::Checked)? })
    }

    /// Opens a store to look for damage in it or to save what can be read: what would keep others from opening it does not.
    ///
    /// # Errors
    /// When the path is no store, cannot be used, or comes from a newer version.
    pub fn inspect(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self { pool: Pool::open(path.as_ref(), Creation::Forbidden, UncleanEnd::Ignored)? })
    }

    /// Opens a store that may not grow above `pages` pages, to see what happens when a disk is full.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_limited(path: impl AsRef<Path>, pages: u32) -> Result<Self, StoreError> {
        let store = Self::open(path, Creation::Forbidden)?;
        let context = store.context("limit the store");
        store.pool.with(|connection| context.run(connection.pragma_update(None, "max_page_count", pages)))?;
        Ok(store)
    }

    fn context(&self, action: &'static str) -> Context<'_> {
        Context::new(self.pool.location(), action)
    }

    /// Runs `work` in a transaction that is one consistent view, or one write.
    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        context: Context<'_>,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.pool.with(|connection| transact(connection, behavior, context, work))
    }

    /// Runs `work` on one consistent view.
    fn look<T>(
        &self,
        context: Context<'_>,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.pool.with(|connection| look(connection, context, work))
    }

    /// Runs `work` on a consistent view of a namespace, or of its absence.
    fn view<T>(
        &self,
        action: &'static str,
        namespace: &Namespace,
        work: impl FnOnce(Option<Reader<'_>>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let context = self.context(action);
        self.look(context, |connection| {
            let tenant = read::tenant(connection, context, namespace)?;
            work(tenant.map(|tenant| Reader { connection, context, tenant }))
        })
    }

    /// Reads a namespace that must exist.
    fn read<T>(
        &self,
        action: &'static str,
        namespace: &Namespace,
        work: impl FnOnce(Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.view(action, namespace, |reader| match reader {
            Some(reader) => work(reader),
            None => Err(self.unknown(namespace)?),
        })
    }

    /// Like `read`, but a namespace that does not exist is simply empty.
    fn read_if_there<T: Default>(
        &self,
        action: &'static str,
        namespace: &Namespace,
        work: impl FnOnce(Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.view(action, namespace, |reader| reader.map_or_else(|| Ok(T::default()), work))
    }

    fn existing(
        &self,
        connection: &Connection,
        context: Context<'_>,
        namespace: &Namespace,
    ) -> Result<Tenant, StoreError> {
        match read::tenant(connection, context, namespace)? {
            Some(tenant) => Ok(tenant),
            None => Err(self.unknown(namespace)?),
        }
    }

    fn unknown(&self, namespace: &Namespace) -> Result<StoreError, StoreError> {
        Ok(StoreError::UnknownNamespace { namespace: namespace.clone(), known: self.namespaces()? })
    }

    /// Deletes from an existing namespace, and has what went leave no bytes in any file; says how far that has come.
    fn delete<T>(
        &self,
        action: &'static str,
        namespace: &Namespace,
        work: impl FnOnce(&Transaction<'_>, Context<'_>, i64) -> Result<T, StoreError>,
    ) -> Result<(T, Erasure), StoreError> {
        let context = self.context(action);
        self.pool.with(|connection| {
            let deleted = transact(connection, TransactionBehavior::Immediate, context, |transaction| {
                let tenant = self.existing(transaction, context, namespace)?.number;
                let deleted = work(transaction, context, tenant)?;
                erasure::begin(transaction, context)?;
                Ok(deleted)
            })?;
            // What is deleted is deleted: the rest is finished later where it fails now.
            let erasure = erasure::end(connection, context).unwrap_or(Erasure::Pending);
            Ok((deleted, erasure))
        })
    }

    fn write<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>, Context<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let context = self.context(action);
        self.transact(TransactionBehavior::Immediate, context, |transaction| work(transaction, context))
    }
}

/// Runs `work` in a transaction of a connection.
fn transact<T>(
    connection: &mut Connection,
    behavior: TransactionBehavior,
    context: Context<'_>,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = context.run(connection.transaction_with_behavior(behavior))?;
    let result = work(&transaction)?;
    context.run(transaction.commit())?;
    Ok(result)
}

/// Runs `work` on one consistent view of a connection: the one it is in, where it is in one.
///
/// The store may be damaged: what was read counts though the transaction cannot be ended in order, as after a page that cannot be
/// read.
fn look<T>(
    connection: &mut Connection,
    context: Context<'_>,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if !connection.is_autocommit() {
        return work(connection);
    }
    let transaction = context.run(connection.transaction_with_behavior(TransactionBehavior::Deferred))?;
    let result = work(&transaction);
    // Where even this fails, the pool does not use the connection again.
    let _ = transaction.rollback();
    result
}

impl Store for SqliteStore {
    fn location(&self) -> String {
        self.pool.location().to_owned()
    }

    fn namespaces(&self) -> Result<Vec<Namespace>, StoreError> {
        self.pool.with(|connection| read::namespaces(connection, self.context("list namespaces")))
    }

    fn version(&self, namespace: &Namespace) -> Result<Option<Version>, StoreError> {
        self.pool.with(|connection| {
            let tenant = read::tenant(connection, self.context("read the version"), namespace)?;
            Ok(tenant.map(|tenant| tenant.version))
        })
    }

    fn known(&self, namespace: &Namespace, drafts: &[Draft]) -> Result<Vec<Option<MemoryId>>, StoreError> {
        let context = self.context("look for known ids");
        self.look(context, |connection| {
            let tenant = read::tenant(connection, context, namespace)?.map(|tenant| tenant.number);
            drafts.iter().map(|draft| append::known(connection, context, tenant, draft)).collect()
        })
    }

    fn append(&self, namespace: &Namespace, batch: Batch<'_>) -> Result<Vec<Fate>, StoreError> {
        let context = self.context("append memories");
        let work = |connection: &mut Connection| {
            transact(connection, TransactionBehavior::Immediate, context, |transaction| {
                Appending::start(transaction, context, namespace)?.batch(batch)
            })
        };
        match batch.vectors {
            NewVectors::Staged { .. } => self.pool.with_unmapped(context, work),
            NewVectors::None | NewVectors::Given { .. } => self.pool.with(work),
        }
    }

    fn serving(&self, namespace: &Namespace) -> Result<Option<EncoderId>, StoreError> {
        self.pool.with(|connection| serving::serving(connection, self.context("read which vectors serve"), namespace))
    }

    fn serve(&self, namespace: &Namespace, encoder: &EncoderId, audience: Audience) -> Result<u64, StoreError> {
        self.write("have other vectors serve", |transaction, context| {
            let tenant = self.existing(transaction, context, namespace)?;
            let reader = Reader { connection: transaction, context, tenant };
            serving::serve(transaction, &reader, namespace, encoder, audience)
        })
    }

    fn drop_idle_vectors(&self, namespace: &Namespace) -> Result<u64, StoreError> {
        let dropped = self.delete("drop vectors", namespace, |transaction, context, tenant| {
            serving::drop_idle(transaction, context, namespace, tenant)
        });
        Ok(dropped?.0)
    }

    fn catch_up(
        &self,
        namespace: &Namespace,
        encoder: Option<&EncoderId>,
        since: Option<Version>,
        sink: &mut dyn IndexSink,
    ) -> Result<Version, StoreError> {
        let context = self.context("read the namespace");
        let work = |connection: &mut Connection| {
            look(connection, context, |connection| {
                let tenant = self.existing(connection, context, namespace)?;
                Reader { connection, context, tenant }.catch_up(encoder, since, sink)
            })
        };
        match since {
            None => self.pool.with_unmapped(context, work),
            Some(_) => self.pool.with(work),
        }
    }

    fn fetch(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Memory>, StoreError> {
        self.read_if_there("fetch memories", namespace, |reader| reader.fetch(places))
    }

    fn find(&self, namespace: &Namespace, address: &Address) -> Result<Vec<Memory>, StoreError> {
        self.read_if_there("find a memory", namespace, |reader| reader.find(address))
    }

    fn around(&self, namespace: &Namespace, seq: Seq, before: u32, after: u32) -> Result<Vec<Memory>, StoreError> {
        self.read_if_there("read the context", namespace, |reader| reader.around(seq, before, after))
    }

    fn conversations_with(
        &self,
        namespace: &Namespace,
        session: &SessionId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.read_if_there("find a session", namespace, |reader| reader.conversations_with(session))
    }

    fn count(&self, namespace: &Namespace, scope: &Scope) -> Result<u64, StoreError> {
        self.read("count memories", namespace, |reader| reader.count(scope))
    }

    fn places(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<Seq>, StoreError> {
        self.read("list memories", namespace, |reader| {
            let mut places = Vec::new();
            reader.each_place(scope, &mut |seq| {
                places.push(seq);
                Ok(())
            })?;
            Ok(places)
        })
    }

    fn export(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read("export memories", namespace, |reader| reader.export(scope, visit))
    }

    fn vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        places: &[Seq],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        self.read("fetch vectors", namespace, |reader| {
            let found = reader.vectors(encoder, places)?;
            found.ok_or_else(|| reader.lacks(namespace, at, format!("a vector by {encoder}")))
        })
    }

    fn unembedded(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Unembedded>, StoreError> {
        self.read("find memories without vectors", namespace, |reader| {
            reader.unembedded(encoder, audience, after, limit)
        })
    }

    fn embed(&self, namespace: &Namespace, encoder: &EncoderId, vectors: &[(Seq, &[f32])]) -> Result<(), StoreError> {
        let Some((_, first)) = vectors.first() else { return Ok(()) };
        self.write("store vectors", |transaction, context| {
            let tenant = self.existing(transaction, context, namespace)?.number;
            let known = vectors::encoder_or_new(transaction, context, tenant, encoder, first.len())?;
            for (seq, vector) in vectors {
                let there = "SELECT 1 FROM memory WHERE namespace = ?1 AND seq = ?2";
                let there = transaction.query_row(there, params![tenant, seq.0], |_| Ok(())).optional();
                if context.run(there)?.is_some() {
                    vectors::insert(transaction, context, tenant, known, encoder, *seq, vector)?;
                }
            }
            // Only what serves is searched, and an index of it would lack these.
            match serving::serves(transaction, context, tenant, encoder)? {
                true => snapshot::begin_epoch(transaction, context, tenant),
                false => Ok(()),
            }
        })
    }

    fn forget(&self, namespace: &Namespace, doomed: &Doomed) -> Result<Forgotten, StoreError> {
        let (forgotten, erasure) = self.delete("forget memories", namespace, |transaction, context, tenant| {
            forget::forget(transaction, context, tenant, doomed)
        })?;
        Ok(Forgotten { erasure, ..forgotten })
    }

    fn erasure(&self) -> Result<Erasure, StoreError> {
        let context = self.context("finish a forget");
        self.pool.with(|connection| match self.pool.access() {
            Access::ReadWrite => erasure::finish(connection, context, Duration::ZERO),
            Access::ReadOnly | Access::Sealed => erasure::state(connection, context),
        })
    }

    fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, StoreError> {
        self.read("count memories", namespace, |reader| reader.stats(namespace))
    }

    fn keep_snapshot(
        &self,
        namespace: &Namespace,
        name: &SnapshotName,
        version: Version,
        segments: &[Segment],
    ) -> Result<Kept, StoreError> {
        let context = self.context("keep an index snapshot");
        // What is derived only saves work.
        self.pool.with_cached_writes(context, |connection| {
            snapshot::keep(connection, context, namespace, name, version, segments)
        })
    }

    fn steady(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(Self { pool: self.pool.steady()? }))
    }

    fn staged(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        fingerprints: &[Fingerprint],
    ) -> Result<Vec<bool>, StoreError> {
        let context = self.context("look for staged vectors");
        self.look(context, |connection| staging::staged(connection, context, namespace, encoder, fingerprints))
    }

    fn stage(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(Fingerprint, &[f32])],
    ) -> Result<(), StoreError> {
        let context = self.context("stage vectors");
        self.pool.with_cached_writes(context, |connection| {
            transact(connection, TransactionBehavior::Immediate, context, |transaction| {
                staging::stage(transaction, context, namespace, encoder, vectors)
            })
        })
    }

    fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, StoreError> {
        let context = self.context("check the store");
        self.pool.with_unmapped(context, |connection| {
            look(connection, context, |transaction| check::check(transaction, context, depth, step))
        })
    }

    fn back_up(&self, file: &Path, existing: Existing, step: &mut dyn FnMut(&str)) -> Result<BackedUp, StoreError> {
        let context = self.context("back up the store");
        self.pool.with_unmapped(context, |connection| backup::back_up(connection, context, file, existing, step))
    }

    fn salvage(
        &self,
        namespace: &Namespace,
        visit: &mut dyn FnMut(Memory) -> Result<(), StoreError>,
    ) -> Result<Salvaged, StoreError> {
        let context = self.context("salvage memories");
        self.pool.with_unmapped(context, |connection| {
            look(connection, context, |transaction| {
                let tenant = self.existing(transaction, context, namespace)?;
                Reader { connection: transaction, context, tenant }.salvage(visit)
            })
        })
    }

    fn secret(&self, namespace: &Namespace) -> Result<Option<[u8; 32]>, StoreError> {
        let context = self.context("read the key of kept answers");
        self.pool.with(|connection| {
            let select = "SELECT secret FROM namespace WHERE name = ?1";
            let secret = connection.query_row(select, [namespace.as_str()], |row| row.get(0)).optional();
            let secret: Option<Option<Vec<u8>>> = context.run(secret)?;
            Ok(secret.flatten().and_then(|secret| secret.try_into().ok()))
        })
    }

    fn snapshots(&self, namespace: &Namespace) -> Result<Vec<String>, StoreError> {
        self.read_if_there("list index snapshots", namespace, |reader| {
            snapshot::names(reader.connection, reader.context, reader.tenant.number)
        })
    }
}

impl CueStore for SqliteStore {
    fn put_cues(
        &self,
        namespace: &Namespace,
        source: &CueSource,
        encoder: Option<&EncoderId>,
        cues: &[NewCues],
    ) -> Result<u64, StoreError> {
        self.write("store cues", |transaction, context| {
            let tenant = self.existing(transaction, context, namespace)?;
            let last = tenant.version.cues.0;
            let gone = Vec::new();
            Putting { transaction, context, namespace, tenant: tenant.number, last, gone }.put(source, encoder, cues)
        })
    }

    fn cues(&self, namespace: &Namespace, places: &[Seq]) -> Result<Vec<Option<Cues>>, StoreError> {
        let cues = self.view("read cues", namespace, |reader| reader.map(|reader| reader.cues(places)).transpose())?;
        Ok(cues.unwrap_or_else(|| vec![None; places.len()]))
    }

    fn questions(&self, namespace: &Namespace, ids: &[CueId]) -> Result<Vec<(CueId, String)>, StoreError> {
        self.read_if_there("read cues", namespace, |reader| reader.questions(ids))
    }

    fn uncued(
        &self,
        namespace: &Namespace,
        scope: &Scope,
        audience: Audience,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        self.read("find memories without cues", namespace, |reader| reader.uncued(scope, audience, after, limit))
    }

    fn drop_cues(&self, namespace: &Namespace, scope: &Scope) -> Result<DroppedCues, StoreError> {
        let dropped = self.delete("drop cues", namespace, |transaction, context, tenant| {
            cues::drop_within(transaction, context, tenant, scope)
        });
        Ok(dropped?.0)
    }

    fn cue_stats(&self, namespace: &Namespace) -> Result<CueStats, StoreError> {
        self.read("count cues", namespace, |reader| reader.cue_stats())
    }

    fn unembedded_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        audience: Audience,
        after: CueId,
        limit: usize,
    ) -> Result<Vec<UnembeddedCue>, StoreError> {
        self.read("find cues without vectors", namespace, |reader| {
            reader.unembedded_cues(encoder, audience, after, limit)
        })
    }

    fn embed_cues(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        vectors: &[(CueId, &[f32])],
    ) -> Result<(), StoreError> {
        self.write("store vectors of cues", |transaction, context| {
            let tenant = self.existing(transaction, context, namespace)?.number;
            cues::embed(transaction, context, tenant, encoder, vectors)
        })
    }

    fn cue_vectors(
        &self,
        namespace: &Namespace,
        encoder: &EncoderId,
        ids: &[CueId],
        at: Version,
    ) -> Result<Vectors, StoreError> {
        self.read("fetch vectors of cues", namespace, |reader| {
            let found = reader.cue_vectors(encoder, ids)?;
            found.ok_or_else(|| reader.lacks(namespace, at, format!("a vector of a cue by {encoder}")))
        })
    }
}
