//! An encoder that is loaded when the first text needs it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, TryLockError},
};

use aforesaid_core::{Encoder, NotLoaded, types::EncoderId};

use crate::no_vectors::NoVectors;

/// Loads an encoder, or says why it cannot.
pub type LoadEncoder = Box<dyn FnOnce() -> Result<Arc<dyn Encoder>, NoVectors> + Send>;

/// How an encoder is had.
pub enum EncoderSource {
    /// There is none: searches are lexical, and say why.
    Unavailable {
        /// Why.
        reason: NoVectors,
    },
    /// A loaded encoder.
    Ready(Arc<dyn Encoder>),
    /// An encoder that is loaded on first use.
    Deferred {
        /// Its id.
        id: EncoderId,
        /// Components of its vectors.
        dim: usize,
        /// Bytes of memory it takes when it is loaded, approximately; 0 where that is not known.
        bytes: u64,
        /// Loads it.
        load: LoadEncoder,
    },
}

/// An encoder that is loaded once, on first use.
pub struct LazyEncoder {
    id: EncoderId,
    dim: usize,
    bytes: u64,
    load: Mutex<Option<LoadEncoder>>,
    loaded: OnceLock<Result<Arc<dyn Encoder>, NoVectors>>,
    /// Written to while something is loaded, and read by every search.
    prepared: RwLock<Prepared>,
}

/// What became of an encoder's preparations, by the query adapter that each was for.
type Prepared = BTreeMap<Option<String>, Result<(), NoVectors>>;

impl LazyEncoder {
    /// The encoder of a source.
    ///
    /// # Errors
    /// When the source is [`EncoderSource::Unavailable`]: its reason.
    pub fn of(source: EncoderSource) -> Result<Self, NoVectors> {
        match source {
            EncoderSource::Unavailable { reason } => Err(reason),
            EncoderSource::Ready(encoder) => Ok(Self {
                id: encoder.id().clone(),
                dim: encoder.dim(),
                bytes: 0,
                load: Mutex::new(None),
                loaded: OnceLock::from(Ok(encoder)),
                prepared: RwLock::default(),
            }),
            EncoderSource::Deferred { id, dim, bytes, load } => Ok(Self {
                id,
                dim,
                bytes,
                load: Mutex::new(Some(load)),
                loaded: OnceLock::new(),
                prepared: RwLock::default(),
            }),
        }
    }

    /// Its id.
    pub fn id(&self) -> &EncoderId {
        &self.id
    }

    /// Components of its vectors.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Bytes it takes when it is loaded, approximately.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether what reads queries with a query adapter, or without one, has been loaded, or has failed to.
    pub(crate) fn is_loaded(&self, query_adapter: Option<&str>) -> bool {
        match self.loaded.get() {
            None => false,
            Some(Err(_)) => true,
            Some(Ok(encoder)) => self.of_prepared(|all| all.contains_key(&known(&**encoder, query_adapter))),
        }
    }

    /// Whether loading it has failed; it is not tried again.
    pub(crate) fn has_failed(&self) -> bool {
        self.loaded.get().is_some_and(Result::is_err) || self.of_prepared(|all| all.values().any(Result::is_err))
    }

    /// Loads it, once, for passages and for queries as it reads them without a query adapter.
    ///
    /// # Errors
    /// Why it cannot be loaded, every time.
    pub fn get(&self) -> Result<&Arc<dyn Encoder>, NoVectors> {
        self.get_for(None)
    }

    /// Loads it, once, for queries as it reads them with a query adapter, where it has that one.
    ///
    /// # Errors
    /// Why it cannot be loaded, every time.
    pub fn get_for(&self, query_adapter: Option<&str>) -> Result<&Arc<dyn Encoder>, NoVectors> {
        let encoder = self.opened()?;
        let adapter = known(&**encoder, query_adapter);
        if let Some(outcome) = self.prepared.read().unwrap_or_else(PoisonError::into_inner).get(&adapter) {
            return outcome.clone().map(|()| encoder);
        }
        let mut prepared = self.prepared.write().unwrap_or_else(PoisonError::into_inner);
        let prepare = || {
            let failed = |NotLoaded { code, message }| NoVectors::ModelFailed { code, message };
            encoder.prepare(adapter.as_deref()).map_err(failed)
        };
        prepared.entry(adapter.clone()).or_insert_with(prepare).clone().map(|()| encoder)
    }

    /// What is true of the preparations that are over; of one that another thread is at, nothing is yet. It waits for none.
    fn of_prepared(&self, is_true: impl Fn(&Prepared) -> bool) -> bool {
        match self.prepared.try_read() {
            Ok(prepared) => is_true(&prepared),
            Err(TryLockError::Poisoned(prepared)) => is_true(&prepared.into_inner()),
            Err(TryLockError::WouldBlock) => false,
        }
    }

    fn opened(&self) -> Result<&Arc<dyn Encoder>, NoVectors> {
        let loaded = self.loaded.get_or_init(|| {
            let load = self.load.lock().unwrap_or_else(PoisonError::into_inner).take();
            let load = load.ok_or_else(|| NoVectors::failed("its loader was lost"))?;
            let encoder = load()?;
            match encoder.id() == &self.id && encoder.dim() == self.dim {
                true => Ok(encoder),
                false => Err(NoVectors::failed(format!("{} was expected, and {} was loaded", self.id, encoder.id()))),
            }
        });
        loaded.as_ref().map_err(Clone::clone)
    }
}

/// The query adapter, where an encoder has one of that name.
fn known(encoder: &dyn Encoder, query_adapter: Option<&str>) -> Option<String> {
    query_adapter.filter(|name| encoder.query_adapter(name).is_some()).map(str::to_owned)
}
