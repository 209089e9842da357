//! The facade: one object that remembers.

use std::{io::Write, path::Path};

use aforesaid_core::{
    StoreError,
    index::IndexSpec,
    pipeline::Preset,
    store::{Address, Doomed, Erasure, Forgotten, InMemoryStore, NamespaceStats, Store},
    types::{ConversationId, EncoderId, Memory as Remembered, MemoryId, Namespace, Scope, Seq, SessionId},
    visible::escaped_json,
};
use aforesaid_sqlite::{Creation, SqliteStore};

use crate::{
    cache::IndexCache,
    encoder::{EncoderSource, LazyEncoder},
    error::Error,
};

/// Bytes of derived indexes held by default.
pub const DEFAULT_INDEX_BUDGET: usize = 512 << 20;

/// How to open a memory.
pub struct Options {
    /// Whether to make a store where there is none.
    pub creation: Creation,
    /// Where vectors come from.
    pub encoder: EncoderSource,
    /// Bytes of derived indexes to hold in memory.
    pub index_budget: usize,
}

impl Default for Options {
    /// A store is made where there is none; searches are lexical.
    fn default() -> Self {
        Self {
            creation: Creation::Allowed,
            encoder: EncoderSource::Unavailable { reason: "no encoder was configured".to_owned() },
            index_budget: DEFAULT_INDEX_BUDGET,
        }
    }
}

/// A memory for conversations over one store; share it between threads by reference.
pub struct Memory {
    pub(crate) store: Box<dyn Store>,
    pub(crate) encoder: Result<LazyEncoder, String>,
    pub(crate) indexes: IndexCache,
}

/// What to forget.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// One turn or note.
    One(Address),
    /// Everything in a scope; the default scope is the whole namespace.
    Within(Scope),
}

/// A memory with what was said around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The memory.
    pub memory: Remembered,
    /// Turns before it in its session, in order.
    pub before: Vec<Remembered>,
    /// Turns after it.
    pub after: Vec<Remembered>,
}

impl Memory {
    /// Opens the store at a path, at `sqlite:PATH`, or in this process only at `memory:`.
    ///
    /// # Errors
    /// When the place cannot serve as a store.
    pub fn open(location: &str, options: Options) -> Result<Self, Error> {
        let store = store_at(location, |path| SqliteStore::open(path, options.creation))?;
        Ok(Self { store, encoder: LazyEncoder::of(options.encoder), indexes: IndexCache::new(options.index_budget) })
    }

    /// Opens a store to look for damage in it or to save what can be read: for [`Memory::check`] and [`Memory::salvage`].
    ///
    /// [`Memory::open`] refuses a store that was not closed and does not look right.
    ///
    /// # Errors
    /// When the place cannot serve as a store.
    pub fn inspect(location: &str) -> Result<Self, Error> {
        let Options { encoder, index_budget, .. } = Options::default();
        let store = store_at(location, |path| SqliteStore::inspect(path))?;
        Ok(Self { store, encoder: LazyEncoder::of(encoder), indexes: IndexCache::new(index_budget) })
    }

    /// Whether a location has a store to open; what ends with the process has none.
    pub fn exists(location: &str) -> bool {
        let path = location.strip_prefix("sqlite:").unwrap_or(location);
        location != "memory:" && Path::new(path).exists()
    }

    /// The same memory with another encoder.
    pub fn with_encoder(self, encoder: EncoderSource) -> Self {
        Self { encoder: LazyEncoder::of(encoder), ..self }
    }

    /// The encoder whose vectors serve a namespace: those that searches go by and that additions join. `None`
    /// before the first vector, and where there is no such namespace.
    ///
    /// The first addition decides it, and [`Memory::reembed`] changes it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn serving(&self, namespace: &Namespace) -> Result<Option<EncoderId>, Error> {
        Ok(self.store.serving(namespace)?)
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

    /// How much a namespace holds.
    ///
    /// # Errors
    /// When it does not exist or the store fails.
    pub fn stats(&self, namespace: &Namespace) -> Result<NamespaceStats, Error> {
        Ok(self.store.stats(namespace)?)
    }

    /// Brings the index that a preset searches up to date, and keeps it for the next process.
    ///
    /// A search does the same by itself; after a large import this saves the first one the wait.
    ///
    /// # Errors
    /// When the namespace does not exist, is served by vectors of another encoder, or the store fails.
    pub fn prepare(&self, namespace: &Namespace, preset: &Preset) -> Result<(), Error> {
        let encoder = self.encoder_of(namespace, preset)?.ok();
        let spec = IndexSpec { analyzer: preset.analyzer, encoder: encoder.map(|encoder| encoder.id().clone()) };
        let dim = encoder.map_or(1, LazyEncoder::dim);
        Ok(self.indexes.with(&*self.store, namespace, &spec, dim, |_| ())?)
    }

    /// Bytes of derived indexes held now, approximately.
    pub fn index_bytes(&self) -> usize {
        self.indexes.bytes()
    }

    /// A memory with up to `before` and `after` turns of its session around it.
    ///
    /// # Errors
    /// When it is not there, or stands in several conversations and none was named.
    pub fn show(&self, namespace: &Namespace, address: &Address, before: u32, after: u32) -> Result<Shown, Error> {
        self.must_exist(namespace)?;
        let memory = self.one(namespace, address)?;
        let around = self.store.around(namespace, memory.seq, before, after)?;
        let (earlier, later) =
            around.into_iter().filter(|other| other.seq != memory.seq).partition(|other| other.seq < memory.seq);
        Ok(Shown { memory, before: earlier, after: later })
    }

    /// Forgets: rows, vectors and everything derived, free pages included.
    ///
    /// Where somebody reads the store meanwhile, the last bytes go later: [`Forgotten::erasure`] says so.
    ///
    /// # Errors
    /// When nothing matches, or the store fails.
    pub fn forget(&self, namespace: &Namespace, target: &Target) -> Result<Forgotten, Error> {
        self.must_exist(namespace)?;
        let doomed = match target {
            Target::One(address) => Doomed::One(self.one(namespace, address)?.seq),
            Target::Within(scope) => Doomed::Within(self.settle(namespace, scope)?),
        };
        // Dropped first, so that no thread finds what is being forgotten in memory.
        self.indexes.drop_namespace(namespace);
        let forgotten = self.store.forget(namespace, &doomed);
        self.indexes.drop_namespace(namespace);
        let forgotten = forgotten?;
        if let Doomed::Within(scope) = &doomed {
            self.some_of(namespace, scope, forgotten.turns + forgotten.notes)?;
        }
        Ok(forgotten)
    }

    /// Whether what was forgotten or dropped is gone from every file; finishes what can be finished without waiting.
    ///
    /// # Errors
    /// When the store fails.
    pub fn erasure(&self) -> Result<Erasure, Error> {
        Ok(self.store.erasure()?)
    }

    /// How many turns and notes [`Memory::forget`] would take.
    ///
    /// # Errors
    /// When nothing matches, or the store fails.
    pub fn count(&self, namespace: &Namespace, target: &Target) -> Result<u64, Error> {
        self.must_exist(namespace)?;
        match target {
            Target::One(address) => self.one(namespace, address).map(|_| 1),
            Target::Within(scope) => {
                let scope = self.settle(namespace, scope)?;
                let mut count = 0;
                self.store.export(namespace, &scope, &mut |_| {
                    count += 1;
                    Ok(())
                })?;
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
        let scope = self.settle(namespace, scope)?;
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
        visited: impl FnOnce(&mut dyn FnMut(Remembered) -> Result<(), StoreError>) -> Result<T, StoreError>,
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
    pub fn visit(&self, namespace: &Namespace, scope: &Scope, visit: &mut dyn FnMut(Remembered)) -> Result<(), Error> {
        let scope = self.settle(namespace, scope)?;
        Ok(self.store.export(namespace, &scope, &mut |memory| {
            visit(memory);
            Ok(())
        })?)
    }

    /// The encoder of a preset's dense leg, or why it has none in a namespace.
    pub(crate) fn encoder_of(
        &self,
        namespace: &Namespace,
        preset: &Preset,
    ) -> Result<Result<&LazyEncoder, String>, Error> {
        if preset.dense.is_none() {
            return Ok(Err("this preset does not use them".to_owned()));
        }
        let encoder = match &self.encoder {
            Ok(encoder) => encoder,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        match preset.encoder() {
            Some(asked) if encoder.id().model() != asked => Err(Error::OtherEncoder {
                preset: preset.name.clone(),
                asked: asked.to_owned(),
                found: encoder.id().to_string(),
            }),
            _ => match self.must_serve(namespace, encoder.id())? {
                Some(_) => Ok(Ok(encoder)),
                None => Ok(Err("none are stored; `aforesaid reembed` makes them".to_owned())),
            },
        }
    }

    /// What serves a namespace, unless that is another encoder's vectors.
    pub(crate) fn must_serve(&self, namespace: &Namespace, asked: &EncoderId) -> Result<Option<EncoderId>, Error> {
        match self.store.serving(namespace)? {
            Some(serving) if serving != *asked => Err(Error::Store(StoreError::EncoderMismatch {
                namespace: namespace.clone(),
                serving,
                asked: asked.clone(),
            })),
            serving => Ok(serving),
        }
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

    /// Checks the names of a scope, and finds the one conversation of a session named alone.
    pub(crate) fn settle(&self, namespace: &Namespace, scope: &Scope) -> Result<Scope, Error> {
        let mut scope = scope.clone();
        if let Some(session) = &scope.session {
            let mut conversations = self.store.conversations_with(namespace, session)?;
            if let Some(named) = &scope.conversation {
                conversations.retain(|conversation| conversation == named);
            }
            match conversations.as_slice() {
                [] => return Err(self.nothing_in(namespace, &scope)),
                [one] => scope.conversation = Some(one.clone()),
                _ => return Err(Error::AmbiguousSession { session: session.clone(), conversations }),
            }
        }
        Ok(scope)
    }

    /// A named part of a namespace that holds nothing was probably mistyped.
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
        let scope = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Error::EmptyScope { scope, namespace: namespace.clone() }
    }

    pub(crate) fn one(&self, namespace: &Namespace, address: &Address) -> Result<Remembered, Error> {
        let mut found = self.store.find(namespace, address)?;
        let conversations: Vec<ConversationId> =
            found.iter().filter_map(|memory| memory.conversation.clone()).collect();
        match (found.pop(), found.len()) {
            (None, _) => Err(unknown(namespace, &address.id, address.conversation.as_ref())),
            (Some(memory), 0) => Ok(memory),
            _ => Err(Error::AmbiguousMemory { id: address.id.clone(), conversations }),
        }
    }

    /// Memories by place, in the order of `places`; `None` when one is gone.
    pub(crate) fn fetch_all(&self, namespace: &Namespace, places: &[Seq]) -> Result<Option<Vec<Remembered>>, Error> {
        let memories = self.store.fetch(namespace, places)?;
        Ok((memories.len() == places.len()).then_some(memories))
    }
}

/// The store that a location names, a file's by `open`.
fn store_at(
    location: &str,
    open: impl FnOnce(&str) -> Result<SqliteStore, StoreError>,
) -> Result<Box<dyn Store>, Error> {
    match location.split_once(':') {
        Some(("memory", "")) => Ok(Box::new(InMemoryStore::new())),
        Some(("sqlite", path)) => Ok(Box::new(open(path)?)),
        Some((scheme, rest)) if rest.starts_with("//") && !Path::new(scheme).exists() => {
            Err(Error::UnknownLocation { location: location.to_owned() })
        }
        _ => Ok(Box::new(open(location)?)),
    }
}

fn unknown(namespace: &Namespace, id: &MemoryId, conversation: Option<&ConversationId>) -> Error {
    Error::UnknownMemory { id: id.clone(), namespace: namespace.clone(), conversation: conversation.cloned() }
}
