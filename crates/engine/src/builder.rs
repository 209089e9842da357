//! How a memory is opened.

use std::{path::Path, sync::Arc};

use aforesaid_core::{
    StoreError,
    store::{InMemoryStore, Store},
};
use aforesaid_postgres::{Layout, PostgresStore};
use aforesaid_sqlite::{Creation, SqliteStore};

use crate::{
    cache::IndexCache, encoder::EncoderSource, error::Error, memory::Memory, no_vectors::NoVectors,
    registry::EncoderRegistry,
};

/// Bytes of derived indexes held by default.
pub const DEFAULT_INDEX_BUDGET: usize = 512 << 20;

/// Settings of a [`Memory`]; [`MemoryBuilder::open`] or [`MemoryBuilder::with_store`] makes it.
///
/// Without settings a missing store is created, and searches are lexical.
pub struct MemoryBuilder {
    creation: Creation,
    encoders: Arc<EncoderRegistry>,
    index_budget: usize,
}

impl Default for MemoryBuilder {
    fn default() -> Self {
        Self {
            creation: Creation::Allowed,
            encoders: EncoderSource::Unavailable { reason: NoVectors::NotConfigured }.into(),
            index_budget: DEFAULT_INDEX_BUDGET,
        }
    }
}

impl MemoryBuilder {
    /// Sets whether [`MemoryBuilder::open`] creates a missing store.
    #[must_use]
    pub fn creation(self, creation: Creation) -> Self {
        Self { creation, ..self }
    }

    /// Sets where vectors come from: one encoder, or a registry, which several memories may share.
    #[must_use]
    pub fn encoders(self, encoders: impl Into<Arc<EncoderRegistry>>) -> Self {
        Self { encoders: encoders.into(), ..self }
    }

    /// Sets how many bytes of derived indexes are held in memory.
    #[must_use]
    pub fn index_budget(self, bytes: usize) -> Self {
        Self { index_budget: bytes, ..self }
    }

    /// Opens the store at a path, at `sqlite:PATH`, at `postgres://USER:PASSWORD@HOST/DATABASE`, or in this process only at
    /// `memory:`.
    ///
    /// # Errors
    /// When the location cannot be opened as a store.
    pub fn open(self, location: &str) -> Result<Memory, Error> {
        let creation = self.creation;
        let store = store_at(location, creation, |path| SqliteStore::open(path, creation))?;
        Ok(self.with_store(store))
    }

    /// Opens a store to check it for damage or to salvage it: for [`Memory::check`] and [`Memory::salvage`].
    ///
    /// [`MemoryBuilder::open`] refuses a store that was not closed and fails a quick check.
    ///
    /// # Errors
    /// When the location cannot be opened as a store.
    pub fn inspect(self, location: &str) -> Result<Memory, Error> {
        let store = store_at(location, Creation::Forbidden, |path| SqliteStore::inspect(path))?;
        Ok(self.with_store(store))
    }

    /// A memory over any store.
    pub fn with_store(self, store: Box<dyn Store>) -> Memory {
        Memory { store, encoders: self.encoders, indexes: IndexCache::new(self.index_budget) }
    }
}

impl Memory {
    /// Settings of a memory to open.
    pub fn builder() -> MemoryBuilder {
        MemoryBuilder::default()
    }

    /// Makes a store ahead of its use, or brings one to this version, with its tables laid out in a database.
    ///
    /// # Errors
    /// When the location cannot be opened as a store, or has no tables to lay out.
    pub fn make_store(location: &str, layout: Layout) -> Result<String, Error> {
        if aforesaid_postgres::is_url(location) {
            return Ok(Store::location(&PostgresStore::init(location, layout)?));
        }
        if layout != Layout::default() {
            return Err(Error::NoLayout { location: location.to_owned() });
        }
        Ok(store_at(location, Creation::Allowed, |path| SqliteStore::open(path, Creation::Allowed))?.location())
    }

    /// Whether there is a store at a location; `memory:` never has one. Of a server that cannot be asked it is taken that
    /// there is: who opens it is told what is wrong.
    pub fn exists(location: &str) -> bool {
        if aforesaid_postgres::is_url(location) {
            return PostgresStore::exists(location).unwrap_or(true);
        }
        let path = location.strip_prefix("sqlite:").unwrap_or(location);
        location != "memory:" && Path::new(path).exists()
    }
}

/// The store at a location; `open` opens a file.
fn store_at(
    location: &str,
    creation: Creation,
    open: impl FnOnce(&str) -> Result<SqliteStore, StoreError>,
) -> Result<Box<dyn Store>, Error> {
    if aforesaid_postgres::is_url(location) {
        let creation = match creation {
            Creation::Allowed => aforesaid_postgres::Creation::Allowed,
            Creation::Forbidden => aforesaid_postgres::Creation::Forbidden,
        };
        return Ok(Box::new(PostgresStore::open(location, creation)?));
    }
    match location.split_once(':') {
        Some(("memory", "")) => Ok(Box::new(InMemoryStore::new())),
        Some(("sqlite", path)) => Ok(Box::new(open(path)?)),
        Some((scheme, rest)) if rest.starts_with("//") && !Path::new(scheme).exists() => {
            // What stands before the last `@` may be a password.
            let shown = rest.rsplit_once('@').map(|(_, place)| format!("{scheme}://...@{place}"));
            Err(Error::UnknownLocation { location: shown.unwrap_or_else(|| location.to_owned()) })
        }
        _ => Ok(Box::new(open(location)?)),
    }
}
