//! An encoder that remembers what it has encoded.

use std::{
    collections::HashSet,
    ops::Range,
    path::Path,
    sync::{Mutex, PoisonError},
};

use aforesaid::{
    EncodeError, Encoder, EncoderSource, LazyEncoder, Locality,
    analysis::gloss,
    models::registry,
    types::{EncoderId, Vectors},
};

use super::vectors::{CacheError, Key, Role, VectorFile, key};

/// An encoder in front of a vector cache; the model is loaded when a text is new.
pub struct CachedEncoder {
    inner: LazyEncoder,
    vectors: Mutex<VectorFile>,
}

/// How an encoder makes vectors of texts.
type Encode<'a> = dyn Fn(&dyn Encoder, &[&str]) -> Result<Vectors, EncodeError> + 'a;

/// Why there is no [`CachedEncoder`].
#[derive(Debug, thiserror::Error)]
pub enum NoEncoder {
    /// There is no encoder to begin with.
    #[error("{0}")]
    Unavailable(String),
    /// Its cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl CachedEncoder {
    /// Puts the cache in `folder` before an encoder; without a folder it ends with the process.
    ///
    /// # Errors
    /// When the source has no encoder, or the cache's file cannot be used.
    pub fn new(source: EncoderSource, folder: Option<&Path>) -> Result<Self, NoEncoder> {
        let inner = LazyEncoder::of(source).map_err(|reason| NoEncoder::Unavailable(reason.to_string()))?;
        let vectors = match folder {
            // A text that is read in English has the vector of what is read.
            Some(folder) => VectorFile::open(folder, &inner.id().without_glosses(), inner.dim())?,
            None => VectorFile::in_memory(inner.dim()),
        };
        Ok(Self { inner, vectors: Mutex::new(vectors) })
    }

    fn failed(&self, message: String) -> EncodeError {
        EncodeError { encoder: self.inner.id().clone(), message }
    }

    /// What the encoder makes of texts in a role, with a query adapter for it.
    fn encode(
        &self,
        role: Role<'_>,
        adapter: Option<&str>,
        texts: &[&str],
        encode: &Encode<'_>,
    ) -> Result<Vectors, EncodeError> {
        let glosses = self.inner.id().reads_glosses();
        let read = |text: &str| if glosses { gloss(text) } else { None };
        let keys: Vec<Key> = texts.iter().map(|text| key(role, read(text).as_deref().unwrap_or(text))).collect();
        let missing: Vec<usize> = {
            let vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
            let mut seen = HashSet::new();
            (0..texts.len()).filter(|&i| !vectors.has(&keys[i]) && seen.insert(keys[i])).collect()
        };
        if !missing.is_empty() {
            let new: Vec<&str> = missing.iter().map(|&i| texts[i]).collect();
            let encoder = self.inner.get_for(adapter).map_err(|reason| self.failed(reason.to_string()))?;
            let made = encode(&**encoder, &new)?;
            let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
            let rows = missing.iter().enumerate().filter_map(|(row, &i)| Some((keys[i], made.get(row)?)));
            vectors.add(rows).map_err(|error| self.failed(error.to_string()))?;
        }
        let vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = Vec::with_capacity(texts.len() * self.inner.dim());
        for key in &keys {
            let row = vectors.get(key).ok_or_else(|| self.failed("fewer vectors than texts were made".to_owned()))?;
            rows.extend_from_slice(row);
        }
        Vectors::new(self.inner.dim(), rows).ok_or_else(|| self.failed("vectors of several lengths".to_owned()))
    }
}

impl Encoder for CachedEncoder {
    fn id(&self) -> &EncoderId {
        self.inner.id()
    }

    fn dim(&self) -> usize {
        self.inner.dim()
    }

    /// A cached text goes nowhere, but a new one may.
    fn locality(&self) -> Locality {
        self.inner.get().map_or(Locality::Remote, |encoder| encoder.locality())
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        self.inner.get().ok()?.has_word(word)
    }

    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        self.inner.get().map_err(|reason| self.failed(reason.to_string()))?.windows(passage)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(Role::Query, None, texts, &|encoder, texts| encoder.encode_queries(texts))
    }

    /// One that comes with a model is known without loading it.
    fn query_adapter(&self, name: &str) -> Option<&str> {
        let id = self.inner.id().without_glosses();
        let pinned = id.as_str().rsplit_once('/').map(|(pinned, _)| pinned);
        let entry = registry::all().find(|entry| pinned == Some(entry.pinned_name().as_str()));
        let shipped = entry.and_then(|entry| entry.query_adapters.iter().find(|adapter| adapter.name == name));
        match shipped {
            Some(shipped) => Some(shipped.adapter.sha256()),
            None => self.inner.get().ok()?.query_adapter(name),
        }
    }

    fn encode_adapted_queries(&self, adapter: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        match self.query_adapter(adapter) {
            None => self.encode_queries(texts),
            Some(sha256) => self.encode(Role::AdaptedQuery(sha256), Some(adapter), texts, &|encoder, texts| {
                encoder.encode_adapted_queries(adapter, texts)
            }),
        }
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode(Role::Passage, None, texts, &|encoder, texts| encoder.encode_passages(texts))
    }
}
