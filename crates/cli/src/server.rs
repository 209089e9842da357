//! A model on an embedding server as the encoder.

use std::{env, num::NonZeroUsize, time::Duration};

use aforesaid::types::EncoderId;
use aforesaid_llm::{
    BaseUrl, Client, Dimension, EmbeddingSettings, Endpoint, LlmError, RemoteEncoder, RetryPolicy, Secret, Timeouts,
};
use clap::{Args, ValueHint};

use crate::{args::at_least_one, opening::Effort};

/// Holds the key. No option does: what stands on a command line, every user of the machine can read.
pub(crate) const KEY: &str = "AFORESAID_ENCODER_KEY";

/// How long a search waits for the vector of its question before it goes by words.
const QUESTION: Duration = Duration::from_secs(30);

const HEADING: &str = "Encoder on a server (its key, if it needs one, is read from AFORESAID_ENCODER_KEY)";

/// Where the server is, and how it is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ServerArgs {
    /// Make vectors on an OpenAI-compatible server: its base URL, which often ends in /v1.
    // Parsed later: clap would quote a URL that it refuses, and there might be a password in it.
    #[arg(
        long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_URL", hide_env_values = true,
        value_name = "URL", value_hint = ValueHint::Url
    )]
    pub(crate) encoder_url: Option<String>,
    /// The server's name for the model; needed with --encoder-url.
    #[arg(long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_MODEL", value_name = "NAME")]
    pub(crate) encoder_model: Option<String>,
    /// Components of its vectors [default: one more request finds out].
    #[arg(
        long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_DIM", value_name = "N",
        value_parser = at_least_one
    )]
    pub(crate) encoder_dim: Option<NonZeroUsize>,
    /// A name of your own for exactly these weights: vectors of other servers with it are taken for the same.
    #[arg(long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_REVISION", value_name = "REV")]
    pub(crate) encoder_revision: Option<String>,
    /// Stands before every question that is sent, such as "query: " [default: nothing].
    #[arg(long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_QUERY_PREFIX", value_name = "TEXT")]
    pub(crate) encoder_query_prefix: Option<String>,
    /// Stands before every text that is sent to be found, such as "passage: " [default: nothing].
    #[arg(long, global = true, help_heading = HEADING, env = "AFORESAID_ENCODER_PASSAGE_PREFIX", value_name = "TEXT")]
    pub(crate) encoder_passage_prefix: Option<String>,
}

impl ServerArgs {
    pub(crate) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// These, and where they say nothing, others.
    pub(crate) fn or(self, others: Self) -> Self {
        Self {
            encoder_url: self.encoder_url.or(others.encoder_url),
            encoder_model: self.encoder_model.or(others.encoder_model),
            encoder_dim: self.encoder_dim.or(others.encoder_dim),
            encoder_revision: self.encoder_revision.or(others.encoder_revision),
            encoder_query_prefix: self.encoder_query_prefix.or(others.encoder_query_prefix),
            encoder_passage_prefix: self.encoder_passage_prefix.or(others.encoder_passage_prefix),
        }
    }

    /// The server they describe, if any; otherwise what they lack.
    pub(crate) fn server(self) -> Result<Option<EncoderServer>, String> {
        if !self.is_given() {
            return Ok(None);
        }
        let lacks =
            |what: &str| format!("an encoder on a server: found no {what}; give --encoder-url and --encoder-model");
        let url: BaseUrl = self
            .encoder_url
            .ok_or_else(|| lacks("URL"))?
            .parse()
            .map_err(|error: LlmError| format!("an encoder on a server: {error}"))?;
        let model = self.encoder_model.filter(|name| !name.trim().is_empty()).ok_or_else(|| lacks("model's name"))?;
        let settings = EmbeddingSettings {
            dimension: self.encoder_dim.map_or(Dimension::Learnt, Dimension::Known),
            query_prefix: self.encoder_query_prefix.unwrap_or_default(),
            passage_prefix: self.encoder_passage_prefix.unwrap_or_default(),
            revision: self.encoder_revision,
            ..EmbeddingSettings::default()
        };
        let id = settings
            .encoder_id(&Endpoint::new(url.clone(), model.as_str()))
            .map_err(|error| format!("an encoder on a server: {error}"))?;
        Ok(Some(EncoderServer { url, model, settings, id }))
    }
}

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EncoderServer {
    url: BaseUrl,
    model: String,
    settings: EmbeddingSettings,
    id: EncoderId,
}

impl EncoderServer {
    pub(crate) fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// What its vectors are called.
    pub(crate) fn id(&self) -> &EncoderId {
        &self.id
    }

    /// The encoder; without known dimensions the server is asked for them.
    pub(crate) fn connect(&self, effort: Effort) -> Result<RemoteEncoder, LlmError> {
        let endpoint = Endpoint { key: key()?, ..Endpoint::new(self.url.clone(), self.model.as_str()) };
        let endpoint = match effort {
            // A search can go on by words, and somebody waits for it.
            Effort::Find => Endpoint {
                retry: RetryPolicy::never(),
                timeouts: Timeouts { call: QUESTION, ..Timeouts::default() },
                ..endpoint
            },
            Effort::Fetch => endpoint,
        };
        RemoteEncoder::new(Client::new(endpoint)?, self.settings.clone())
    }
}

/// The key; an empty one is none.
fn key() -> Result<Option<Secret>, LlmError> {
    let key = env::var_os(KEY).filter(|key| !key.is_empty());
    // What is no Unicode is refused as what is no ASCII is.
    key.map(|key| Secret::new(&key.to_string_lossy())).transpose()
}
