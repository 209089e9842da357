//! A server and a model on it, as plain data.

use std::{num::NonZeroUsize, time::Duration};

use crate::{BaseUrl, Proxy, RetryPolicy, Secret};

/// How long to wait for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, its TLS handshake included.
    pub connect: Duration,
    /// For one attempt from its beginning to the last byte of the answer, streamed answers included.
    pub call: Duration,
}

impl Default for Timeouts {
    /// Ten seconds to connect, five minutes in all: a large answer of a model on a CPU takes minutes.
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), call: Duration::from_secs(300) }
    }
}

/// A server that speaks the OpenAI protocol, and the model asked there.
///
/// Made by [`Endpoint::new`] and struct update: `Endpoint { key, ..Endpoint::new(url, model) }`.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where it is, usually with `/v1` at the end.
    pub base_url: BaseUrl,
    /// Sent as `Authorization: Bearer`, to this server only. Over plain http anyone on the way can read it.
    pub key: Option<Secret>,
    /// The model, by the server's name for it.
    pub model: String,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// What to try again, and how often.
    pub retry: RetryPolicy,
    /// Requests in flight at once; further ones wait for their turn.
    pub concurrency: NonZeroUsize,
    /// Bytes of an answer, decompressed, above which it is refused.
    ///
    /// Whatever is allowed here, vectors are refused above 1 MiB and 64 bytes a component, and what a model says above
    /// 1 MiB.
    pub max_answer: u64,
    /// A proxy to go through.
    pub proxy: Option<Proxy>,
}

impl Endpoint {
    /// A server without a key, with four requests in flight, and answers of at most 64 MiB.
    pub fn new(base_url: BaseUrl, model: impl Into<String>) -> Self {
        Self {
            base_url,
            key: None,
            model: model.into(),
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            concurrency: NonZeroUsize::MIN.saturating_add(3),
            max_answer: 64 << 20,
            proxy: None,
        }
    }
}
