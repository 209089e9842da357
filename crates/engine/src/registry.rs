//! Encoders by id: loaded once, shared, bounded, picked by namespace.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use aforesaid_core::{Encoder, types::EncoderId};

use crate::{
    encoder::{EncoderSource, LazyEncoder},
    error::Error,
    no_vectors::NoVectors,
};

/// How far a call goes to get an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelPolicy {
    /// Use what is on this machine, and ask a server once: searches go on without vectors where that fails.
    Find,
    /// Download what is missing where that is allowed, and ask a server again: additions fail where it does.
    Fetch,
}

/// Chooses the encoder of a namespace.
pub trait ResolveEncoder: Send + Sync {
    /// The encoder for a namespace whose active encoder is `active`; `None` before its first vector.
    ///
    /// A resolver may ignore `active`: then a namespace with vectors by another encoder is refused, never searched.
    ///
    /// # Errors
    /// When the settings make no sense or a model is damaged. A model that is only missing is
    /// [`EncoderSource::Unavailable`].
    fn resolve(&self, active: Option<&EncoderId>, policy: ModelPolicy) -> Result<EncoderSource, Error>;
}

/// How much a registry holds; the least recently used encoder is dropped first.
///
/// An encoder in use is freed after its last call. One above the limits serves its call and is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderLimits {
    /// Encoders held.
    pub models: NonZeroUsize,
    /// Bytes of the encoders held, as far as they are known.
    pub bytes: u64,
}

impl Default for EncoderLimits {
    /// Eight encoders, of 4 GiB.
    fn default() -> Self {
        Self { models: NonZeroUsize::MIN.saturating_add(7), bytes: 4 << 30 }
    }
}

/// The encoders of one or more memories: each is loaded once and shared between threads.
pub struct EncoderRegistry {
    choice: Choice,
    limits: EncoderLimits,
    routes: Mutex<HashMap<RouteKey, Arc<Route>>>,
    held: Mutex<Vec<HeldEncoder>>,
}

/// How a registry chooses.
enum Choice {
    /// The same for every namespace.
    Always(Result<Arc<LazyEncoder>, NoVectors>),
    By(Box<dyn ResolveEncoder>),
}

/// What a resolver is asked.
type RouteKey = (Option<EncoderId>, ModelPolicy);

/// What a resolver answered; locked while it is asked, so that it is asked once.
type Route = Mutex<Weak<LazyEncoder>>;

/// An encoder that is held; the most recently used comes last.
struct HeldEncoder {
    key: Key,
    encoder: Arc<LazyEncoder>,
}

/// The id of an encoder. One on a server is asked differently by each policy.
type Key = (EncoderId, Option<ModelPolicy>);

impl EncoderRegistry {
    /// A registry whose encoders a resolver chooses.
    pub fn new(resolver: impl ResolveEncoder + 'static, limits: EncoderLimits) -> Self {
        Self::choosing(Choice::By(Box::new(resolver)), limits)
    }

    /// A registry of given encoders. A namespace gets the one that made its vectors, and otherwise the first.
    pub fn fixed(encoders: Vec<Arc<dyn Encoder>>) -> Self {
        Self::new(Fixed(encoders), EncoderLimits::default())
    }

    fn choosing(choice: Choice, limits: EncoderLimits) -> Self {
        Self { choice, limits, routes: Mutex::default(), held: Mutex::default() }
    }

    /// The encoder for a namespace whose active encoder is `active`, or why there is none.
    ///
    /// # Errors
    /// What the resolver answers.
    pub fn get(
        &self,
        active: Option<&EncoderId>,
        policy: ModelPolicy,
    ) -> Result<Result<Arc<LazyEncoder>, NoVectors>, Error> {
        let resolver = match &self.choice {
            Choice::Always(encoder) => return Ok(encoder.clone()),
            Choice::By(resolver) => resolver,
        };
        if let Some(encoder) = active.and_then(|id| self.find(&key(id, policy))) {
            return Ok(Ok(encoder));
        }
        let route = Arc::clone(lock(&self.routes).entry((active.cloned(), policy)).or_default());
        let mut known = lock(&route);
        if let Some(encoder) = known.upgrade().filter(|encoder| !encoder.has_failed()) {
            self.hold(Arc::clone(&encoder), policy);
            return Ok(Ok(encoder));
        }
        let encoder = match LazyEncoder::of(resolver.resolve(active, policy)?) {
            Ok(encoder) => encoder,
            // A missing model may come later: it is looked for again.
            Err(reason) => return Ok(Err(reason)),
        };
        let held = self.find(&key(encoder.id(), policy));
        let encoder = held.unwrap_or_else(|| Arc::new(encoder));
        *known = Arc::downgrade(&encoder);
        drop(known);
        self.hold(Arc::clone(&encoder), policy);
        Ok(Ok(encoder))
    }

    /// How many encoders are held.
    pub fn held(&self) -> usize {
        lock(&self.held).len()
    }

    /// The encoder held under a key, from now on the most recently used.
    fn find(&self, key: &Key) -> Option<Arc<LazyEncoder>> {
        let mut held = lock(&self.held);
        held.retain(|held| !held.encoder.has_failed());
        let place = held.iter().position(|held| held.key == *key)?;
        let found = held.remove(place);
        let encoder = Arc::clone(&found.encoder);
        held.push(found);
        Some(encoder)
    }

    /// Holds an encoder as the most recently used, and drops what is above the limits.
    fn hold(&self, encoder: Arc<LazyEncoder>, policy: ModelPolicy) {
        let key = key(encoder.id(), policy);
        let mut held = lock(&self.held);
        held.retain(|held| held.key != key);
        held.push(HeldEncoder { key, encoder });
        let bytes = |held: &[HeldEncoder]| held.iter().map(|held| held.encoder.bytes()).sum::<u64>();
        while held.len() > self.limits.models.get() || (!held.is_empty() && bytes(&held) > self.limits.bytes) {
            held.remove(0);
        }
        drop(held);
        lock(&self.routes).retain(|_, route| match route.try_lock() {
            Ok(known) => known.strong_count() > 0,
            // Somebody is asking for it.
            Err(_) => true,
        });
    }
}

/// The key of an encoder.
fn key(id: &EncoderId, policy: ModelPolicy) -> Key {
    (id.clone(), id.is_remote().then_some(policy))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<EncoderSource> for EncoderRegistry {
    /// A registry of one encoder for all namespaces; those with vectors by another are refused.
    fn from(source: EncoderSource) -> Self {
        Self::choosing(Choice::Always(LazyEncoder::of(source).map(Arc::new)), EncoderLimits::default())
    }
}

impl From<EncoderSource> for Arc<EncoderRegistry> {
    fn from(source: EncoderSource) -> Self {
        Self::new(source.into())
    }
}

/// Given encoders; the first is the default.
struct Fixed(Vec<Arc<dyn Encoder>>);

impl ResolveEncoder for Fixed {
    fn resolve(&self, active: Option<&EncoderId>, _: ModelPolicy) -> Result<EncoderSource, Error> {
        let of_namespace = self.0.iter().find(|encoder| Some(encoder.id()) == active);
        Ok(match of_namespace.or(self.0.first()) {
            Some(encoder) => EncoderSource::Ready(Arc::clone(encoder)),
            None => EncoderSource::Unavailable { reason: NoVectors::NotConfigured },
        })
    }
}
