//! The facade: one object to store, search and delete.

use std::{io::Write, sync::Arc};

use aforesaid_core::{
    StoreError,
    index::IndexSpec,
    pipeline::Pipeline,
    store::{DeleteReport, DeleteTarget, Erasure, MemoryRef, NamespaceStats, Store},
    types::{ConversationId, EncoderId, MemoryId, Namespace, Record, Scope, Seq, SessionId},
    visible::escaped_json,
};
use aforesaid_llm::CacheKey;
use serde::Serialize;

use crate::{
    cache::IndexCache,
    encoder::LazyEncoder,
    error::Error,
    no_vectors::NoVectors,
    registry::{EncoderRegistry, ModelPolicy},
};

/// A memory for conversations over one store; share it between threads by reference.
pub struct Memory {
    pub(crate) store: Box<dyn Store>,
    pub(crate) encoders: Arc<EncoderRegistry>,
    pub(crate) indexes: IndexCache,
}

/// What to forget.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// One turn or note.
    One(MemoryRef),
    /// Everything in a scope; the default scope is the whole namespace.
    Within(Scope),
}

/// A memory with what was said around it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The memory.
    pub memory: Record,
    /// Turns before it in its session, in order.
    pub before: Vec<Record>,
    /// Turns after it.
    pub after: Vec<Record>,
}

impl Memory {
    /// The same memory with other encoders.
    #[must_use]
    pub fn with_encoders(mut self, encoders: impl Into<Arc<EncoderRegistry>>) -> Self {
        self.encoders = encoders.into();
        self
    }

    /// The active encoder of a namespace: searches use its vectors, and additions make them. `None` before the first
    /// vector, and where the namespace does not exist.
    ///
    /// The first addition decides it, and [`Memory::reembed`] changes it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn active_encoder(&self, namespace: &Namespace) -> Result<Option<EncoderId>, Error> {
        Ok(self.store.active_encoder(namespace)?)
    }

    /// The key that seals what a language model answered about a namespace; a forget takes it away. `None` where
    /// nothing should be kept: there is no such namespace, or it ends with the process.
    ///
    /// # Errors
    /// When the store fails.
    pub fn cache_key(&self, namespace: &Namespace) -> Result<Option<CacheKey>, Error> {
        Ok(self.store.secret(namespace)?.map(CacheKey::new))
    }

    /// Path or URL of the store.
    pub fn location(&self) -> String {
        self.store.location()
    }

    /// Namespaces in alphabetical order.
    ///
    /// # Errors
    /// When the store fails.
    pub fn namespaces(&self) -> Result<Vec<Namespace>, Error> {
        Ok(self.store.namespaces()?)
    }

    /// Counts of what a namespace holds.
    ///
    /// # Errors
    /// When it does not exist or the store fails.
    pub fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, Error> {
        Ok(self.store.stats(namespace)?)
    }

    /// Updates the index of a pipeline, and stores a snapshot of it for the next process.
    ///
    /// A search does the same; after a large import this spares the first search the wait.
    ///
    /// # Errors
    /// When the namespace does not exist, its vectors are by another encoder, or the store fails.
    pub fn prepare(&self, namespace: &Namespace, pipeline: &Pipeline) -> Result<(), Error> {
        // It follows a write, whose encoder is at hand.
        let encoder = self.encoder_by(namespace, pipeline, ModelPolicy::Fetch)?.ok();
        let id = encoder.as_ref().map(|encoder| encoder.id().clone());
        let spec = IndexSpec { analyzer: pipeline.analyzer, encoder: id };
        let dim = encoder.map_or(1, |encoder| encoder.dim());
        if let Some(source) = self.store.candidate_source()
            && source.speakers(namespace, pipeline.analyzer, self.indexes.fits(dim))?.is_some()
        {
            // It is searched in the store, which has brought up to date what it reads.
            return Ok(());
        }
        self.indexes.with(&*self.store, namespace, &spec, dim, |_| ())?;
        self.keep_snapshots();
        Ok(())
    }

    /// Stores snapshots of the indexes, so that the next process need not read all rows.
    ///
    /// Dropping a memory does the same; a search never does. It does not wait: while another process or thread writes,
    /// nothing is stored, and a failure is no error.
    pub fn keep_snapshots(&self) {
        self.indexes.keep(&*self.store);
    }

    /// Bytes of derived indexes held now, approximately.
    pub fn index_bytes(&self) -> usize {
        self.indexes.bytes()
    }

    /// A memory, with up to `before` turns of its session before it and `after` turns after it.
    ///
    /// # Errors
    /// When it does not exist, or several conversations have the id and none was named.
    pub fn show(&self, namespace: &Namespace, memory_ref: &MemoryRef, before: u32, after: u32) -> Result<Shown, Error> {
        self.must_exist(namespace)?;
        let memory = self.one(namespace, memory_ref)?;
        let around = self.store.around(namespace, memory.seq, before, after)?;
        let (earlier, later) =
            around.into_iter().filter(|other| other.seq != memory.seq).partition(|other| other.seq < memory.seq);
        Ok(Shown { memory, before: earlier, after: later })
    }

    /// All of a scope as it was said: session after session, each in its order, and then what it has of notes.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, or the store fails.
    pub fn read(&self, namespace: &Namespace, scope: &Scope) -> Result<Vec<Record>, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let mut all = Vec::new();
        self.store.export(namespace, &scope, &mut |memory| {
            all.push(memory);
            Ok(())
        })?;
        self.some_of(namespace, &scope, all.len() as u64)?;
        Ok(all)
    }

    /// Deletes memories with their vectors and everything derived, and overwrites the freed pages.
    ///
    /// While another process reads the store, the last bytes are erased later: [`DeleteReport::erasure`] tells.
    ///
    /// # Errors
    /// When nothing matches, when a scope without a session names its conversation by what is the title of some of its sessions
    /// only, or when the store fails.
    pub fn forget(&self, namespace: &Namespace, target: &Target) -> Result<DeleteReport, Error> {
        self.must_exist(namespace)?;
        let target = match target {
            Target::One(memory_ref) => DeleteTarget::One(self.one(namespace, memory_ref)?.seq),
            Target::Within(scope) => {
                if let (Some(name), None) = (&scope.conversation, &scope.session) {
                    self.resolve_whole_conversation(namespace, name)?;
                }
                for name in &scope.filter.speakers {
                    self.resolve_whole_speaker(namespace, name)?;
                }
                DeleteTarget::Within(self.resolve_scope(namespace, scope)?)
            }
        };
        let report = self.store.forget(namespace, &target);
        // Also after an error: rows may be gone though the log could not be emptied.
        self.indexes.take_out(&*self.store, namespace);
        let report = report?;
        if let DeleteTarget::Within(scope) = &target {
            self.some_of(namespace, scope, report.turns + report.notes)?;
        }
        Ok(report)
    }

    /// Deletes those of some turns that are stored, and says how many were.
    ///
    /// # Errors
    /// When the store fails: then some may be gone.
    pub(crate) fn take_back(&self, namespace: &Namespace, turns: &[MemoryRef]) -> Result<usize, Error> {
        let mut removed = 0;
        let taken = turns.iter().try_for_each(|turn| -> Result<(), StoreError> {
            for memory in self.store.find(namespace, turn)? {
                self.store.forget(namespace, &DeleteTarget::One(memory.seq))?;
                removed += 1;
            }
            Ok(())
        });
        // Also after an error: an index must not find what is gone.
        if removed > 0 || taken.is_err() {
            self.indexes.take_out(&*self.store, namespace);
        }
        match taken {
            // There is nothing in a namespace that nothing was stored in.
            Ok(()) | Err(StoreError::UnknownNamespace { .. }) => Ok(removed),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether deleted bytes are gone from every file; finishes what it can without waiting.
    ///
    /// # Errors
    /// When the store fails.
    pub fn erasure(&self) -> Result<Erasure, Error> {
        Ok(self.store.erasure()?)
    }

    /// How many turns and notes [`Memory::forget`] would delete.
    ///
    /// # Errors
    /// When nothing matches, or the store fails.
    pub fn count(&self, namespace: &Namespace, target: &Target) -> Result<u64, Error> {
        self.must_exist(namespace)?;
        match target {
            Target::One(memory_ref) => self.one(namespace, memory_ref).map(|_| 1),
            Target::Within(scope) => {
                let scope = self.resolve_scope(namespace, scope)?;
                let count = self.store.count(namespace, &scope)?;
                self.some_of(namespace, &scope, count)
            }
        }
    }

    /// Writes the memories of a scope as JSON lines that an import reads back; returns how many.
    ///
    /// # Errors
    /// When the namespace does not exist, a named part of it holds nothing, the store fails, or `out` does.
    pub fn export(&self, namespace: &Namespace, scope: &Scope, out: &mut dyn Write) -> Result<u64, Error> {
        self.must_exist(namespace)?;
        let scope = self.resolve_scope(namespace, scope)?;
        let mut count = 0;
        self.write_lines(out, |visit| {
            self.store.export(namespace, &scope, &mut |memory| {
                count += 1;
                visit(memory)
            })
        })?;
        self.some_of(namespace, &scope, count)
    }

    /// Writes what `visited` visits as JSON lines.
    pub(crate) fn write_lines<T>(
        &self,
        out: &mut dyn Write,
        visited: impl FnOnce(&mut dyn FnMut(Record) -> Result<(), StoreError>) -> Result<T, StoreError>,
    ) -> Result<T, Error> {
        let mut failed = None;
        let result = visited(&mut |memory| {
            let line = serde_json::to_string(&memory).map_err(std::io::Error::other);
            line.and_then(|line| writeln!(out, "{}", escaped_json(&line))).map_err(|error| {
                let kind = error.kind();
                failed = Some(error);
                StoreError::Backend { location: String::new(), action: "write", source: kind.to_string().into() }
            })
        });
        match failed {
            Some(error) => Err(Error::Write(error)),
            None => Ok(result?),
        }
    }

    /// Visits the memories of a scope by conversation, session and order.
    ///
    /// # Errors
    /// When the namespace does not exist or the store fails.
    pub fn visit(&self, namespace: &Namespace, scope: &Scope, visit: &mut dyn FnMut(Record)) -> Result<(), Error> {
        let scope = self.resolve_scope(namespace, scope)?;
        Ok(self.store.export(namespace, &scope, &mut |memory| {
            visit(memory);
            Ok(())
        })?)
    }

    /// The encoder of a pipeline's dense leg in a namespace, or why there is none.
    pub(crate) fn encoder_of(
        &self,
        namespace: &Namespace,
        pipeline: &Pipeline,
    ) -> Result<Result<Arc<LazyEncoder>, NoVectors>, Error> {
        self.encoder_by(namespace, pipeline, ModelPolicy::Find)
    }

    fn encoder_by(
        &self,
        namespace: &Namespace,
        pipeline: &Pipeline,
        policy: ModelPolicy,
    ) -> Result<Result<Arc<LazyEncoder>, NoVectors>, Error> {
        if !pipeline.compares_vectors() {
            return Ok(Err(NoVectors::NotUsed));
        }
        let active = self.store.active_encoder(namespace)?;
        let encoder = match self.encoders.get(active.as_ref(), policy)? {
            Ok(encoder) => encoder,
            Err(reason) => return Ok(Err(reason)),
        };
        match pipeline.encoder() {
            Some(asked) if encoder.id().model() != asked => Err(Error::OtherEncoder {
                pipeline: pipeline.name.clone(),
                asked: asked.to_owned(),
                found: encoder.id().to_string(),
            }),
            _ => match active_or_refused(namespace, active, encoder.id())? {
                Some(_) => Ok(Ok(encoder)),
                None => Ok(Err(NoVectors::NoneStored)),
            },
        }
    }

    /// The encoder that makes new vectors in a namespace, or why there is none.
    ///
    /// It is an error where the namespace's vectors are by another.
    pub(crate) fn writing_encoder(&self, namespace: &Namespace) -> Result<Result<Arc<LazyEncoder>, NoVectors>, Error> {
        let active = self.store.active_encoder(namespace)?;
        let encoder = self.encoders.get(active.as_ref(), ModelPolicy::Fetch)?;
        if let Ok(encoder) = &encoder {
            active_or_refused(namespace, active, encoder.id())?;
        }
        Ok(encoder)
    }

    pub(crate) fn must_exist(&self, namespace: &Namespace) -> Result<(), Error> {
        match self.store.version(namespace)? {
            Some(_) => Ok(()),
            None => Err(Error::Store(StoreError::UnknownNamespace {
                namespace: namespace.clone(),
                known: self.store.namespaces()?,
            })),
        }
    }

    /// Checks the names of a scope, puts whole names in the place of what stands for them, and finds the conversation of a session
    /// that was named alone.
    pub(crate) fn resolve_scope(&self, namespace: &Namespace, scope: &Scope) -> Result<Scope, Error> {
        let mut scope = scope.clone();
        if let Some(conversation) = &mut scope.conversation {
            *conversation = self.resolve_conversation(namespace, conversation)?;
        }
        for conversation in &mut scope.except {
            *conversation = self.resolve_conversation(namespace, conversation)?;
            // A name that was mistyped must not have the conversation found, or forgotten, that was to be spared.
            if !self.store.has_conversation(namespace, conversation)? {
                let named = Scope { conversation: Some(conversation.clone()), ..Scope::default() };
                return Err(self.nothing_in(namespace, &named));
            }
        }
        for speaker in &mut scope.filter.speakers {
            *speaker = self.resolve_speaker(namespace, speaker)?;
        }
        for source in &mut scope.filter.sources {
            *source = self.resolve_source(namespace, source)?;
        }
        if let Some(session) = &scope.session {
            let mut conversations = self.store.conversations_with(namespace, session)?;
            if let Some(named) = &scope.conversation {
                conversations.retain(|conversation| conversation == named);
            }
            conversations.retain(|conversation| !scope.except.contains(conversation));
            match conversations.as_slice() {
                [] => return Err(self.nothing_in(namespace, &scope)),
                [one] => scope.conversation = Some(one.clone()),
                _ => return Err(Error::AmbiguousSession { session: session.clone(), conversations }),
            }
        }
        Ok(scope)
    }

    /// An error where a named part of a namespace is empty: its name was probably mistyped.
    pub(crate) fn some_of(&self, namespace: &Namespace, scope: &Scope, count: u64) -> Result<u64, Error> {
        if count == 0 && !scope.is_everything() { Err(self.nothing_in(namespace, scope)) } else { Ok(count) }
    }

    pub(crate) fn nothing_in(&self, namespace: &Namespace, scope: &Scope) -> Error {
        let name = |what: &str, name: Option<&str>| name.map(|name| format!("{what} {name:?}"));
        let parts = [
            name("conversation", scope.conversation.as_ref().map(ConversationId::as_str)),
            name("session", scope.session.as_ref().map(SessionId::as_str)),
            scope.from.map(|from| format!("from {from}")),
            scope.to.map(|to| format!("to {to}")),
        ];
        let except = scope.except.iter().map(|name| format!("all conversations but {:?}", name.as_str()));
        let parts = parts.into_iter().flatten().chain(except).chain(scope.filter.parts());
        let scope = parts.collect::<Vec<_>>().join(", ");
        Error::EmptyScope { scope, namespace: namespace.clone() }
    }

    /// The memory of that id. Where several have it and no conversation is named, it is the one that is in none: nothing else names
    /// that one.
    pub(crate) fn one(&self, namespace: &Namespace, memory_ref: &MemoryRef) -> Result<Record, Error> {
        let mut found = self.store.find(namespace, memory_ref)?;
        if let Some(at) = found.iter().position(|memory| memory.conversation.is_none()) {
            return Ok(found.swap_remove(at));
        }
        let conversations: Vec<ConversationId> =
            found.iter().filter_map(|memory| memory.conversation.clone()).collect();
        match (found.pop(), found.len()) {
            (None, _) => Err(unknown(namespace, &memory_ref.id, memory_ref.conversation.as_ref())),
            (Some(memory), 0) => Ok(memory),
            _ => Err(Error::AmbiguousMemory { id: memory_ref.id.clone(), conversations }),
        }
    }

    /// Memories by place, in the order of `places`; `None` when one is gone.
    pub(crate) fn fetch_all(
        store: &dyn Store,
        namespace: &Namespace,
        places: &[Seq],
    ) -> Result<Option<Vec<Record>>, Error> {
        let memories = store.fetch(namespace, places)?;
        Ok((memories.len() == places.len()).then_some(memories))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // What was being done when a thread panics may be half done.
        if !std::thread::panicking() {
            self.keep_snapshots();
        }
    }
}

/// The active encoder of a namespace, unless it is another than the one asked for.
pub(crate) fn must_be_active(
    store: &dyn Store,
    namespace: &Namespace,
    asked: &EncoderId,
) -> Result<Option<EncoderId>, Error> {
    active_or_refused(namespace, store.active_encoder(namespace)?, asked)
}

fn active_or_refused(
    namespace: &Namespace,
    active: Option<EncoderId>,
    asked: &EncoderId,
) -> Result<Option<EncoderId>, Error> {
    match active {
        Some(active) if active != *asked => Err(Error::Store(StoreError::EncoderMismatch {
            namespace: namespace.clone(),
            active,
            asked: asked.clone(),
        })),
        active => Ok(active),
    }
}

fn unknown(namespace: &Namespace, id: &MemoryId, conversation: Option<&ConversationId>) -> Error {
    Error::UnknownMemory { id: id.clone(), namespace: namespace.clone(), conversation: conversation.cloned() }
}
