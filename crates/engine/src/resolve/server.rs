//! A model on an embedding server as the encoder.

use std::{num::NonZeroUsize, time::Duration};

use aforesaid_core::types::EncoderId;
use aforesaid_llm::{
    BaseUrl, Client, Dimension, EmbeddingSettings, Endpoint, LlmError, RemoteEncoder, RetryPolicy, Timeouts,
};

use super::key::ConfiguredKey;
use crate::{error::Error, registry::ModelPolicy};

/// How long a search waits for the vector of its question before it goes on without.
const QUESTION: Duration = Duration::from_secs(30);

/// An embedding server as it was configured; each value is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerSettings {
    /// The base URL of its OpenAI-compatible API.
    pub url: Option<String>,
    /// The server's name for the model.
    pub model: Option<String>,
    /// Components of its vectors; where they are not given, one request finds out.
    pub dim: Option<NonZeroUsize>,
    /// A name for exactly these weights: vectors of servers with the same name are taken for the same.
    pub revision: Option<String>,
    /// Put before each query.
    pub query_prefix: Option<String>,
    /// Put before each passage.
    pub passage_prefix: Option<String>,
}

impl ServerSettings {
    /// The server they describe; `None` where nothing is configured.
    ///
    /// # Errors
    /// When the URL or the model's name is missing or cannot be used.
    pub fn server(self) -> Result<Option<EncoderServer>, Error> {
        if self == Self::default() {
            return Ok(None);
        }
        let missing = |setting| Error::MissingSetting { of: "an encoder on a server", setting };
        let url: BaseUrl = self.url.ok_or_else(|| missing("URL"))?.parse().map_err(Error::EncoderServer)?;
        let model = self.model.filter(|name| !name.trim().is_empty()).ok_or_else(|| missing("model's name"))?;
        let settings = EmbeddingSettings {
            dimension: self.dim.map_or(Dimension::Learnt, Dimension::Known),
            query_prefix: self.query_prefix.unwrap_or_default(),
            passage_prefix: self.passage_prefix.unwrap_or_default(),
            revision: self.revision,
            ..EmbeddingSettings::default()
        };
        let endpoint = Endpoint::new(url.clone(), model.as_str());
        let id = settings.encoder_id(&endpoint).map_err(Error::EncoderServer)?;
        Ok(Some(EncoderServer { url, model, settings, id }))
    }
}

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderServer {
    url: BaseUrl,
    model: String,
    settings: EmbeddingSettings,
    id: EncoderId,
}

impl EncoderServer {
    /// Where it is.
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// The id of its vectors.
    pub fn id(&self) -> &EncoderId {
        &self.id
    }

    /// The encoder; the server is asked for its dimensions where they were not given.
    pub(super) fn connect(&self, policy: ModelPolicy, key: &ConfiguredKey) -> Result<RemoteEncoder, LlmError> {
        let endpoint = Endpoint { key: key.secret()?, ..Endpoint::new(self.url.clone(), self.model.as_str()) };
        let endpoint = match policy {
            // A search goes on without vectors, and a person waits for it.
            ModelPolicy::Find => Endpoint {
                retry: RetryPolicy::never(),
                timeouts: Timeouts { call: QUESTION, ..Timeouts::default() },
                ..endpoint
            },
            ModelPolicy::Fetch => endpoint,
        };
        RemoteEncoder::new(Client::new(endpoint)?, self.settings.clone())
    }
}
