//! Options that describe an embedding server.

use std::num::NonZeroUsize;

use aforesaid::resolve::ServerSettings;
use clap::{Args, ValueHint};

use crate::values::at_least_one;

/// Holds the key. There is no option: every user of the machine can read a command line.
pub(crate) const KEY: &str = "AFORESAID_ENCODER_KEY";

const HEADING: &str = "Embedding server (AFORESAID_ENCODER_KEY holds its API key)";

/// Options of an embedding server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ServerArgs {
    /// Encode texts on an OpenAI-compatible server: its base URL, which often ends in /v1.
    // Parsed later: clap would quote a URL that it refuses, and there might be a password in it.
    #[arg(
        long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_URL", hide_env_values = true,
        value_name = "URL", value_hint = ValueHint::Url
    )]
    pub(crate) encoder_url: Option<String>,
    /// The server's name for the model; needed with --encoder-url.
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_MODEL", value_name = "NAME")]
    pub(crate) encoder_model: Option<String>,
    /// Dimensions of its vectors [default: found out by one more request].
    #[arg(
        long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_DIM", value_name = "N",
        value_parser = at_least_one
    )]
    pub(crate) encoder_dim: Option<NonZeroUsize>,
    /// A name you choose for exactly these weights; vectors from servers with the same name are compatible.
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_REVISION", value_name = "REV")]
    pub(crate) encoder_revision: Option<String>,
    /// Text put before each query, such as "query: " [default: none].
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_QUERY_PREFIX", value_name = "TEXT")]
    pub(crate) encoder_query_prefix: Option<String>,
    /// Text put before each stored text, such as "passage: " [default: none].
    #[arg(long, global = true, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_ENCODER_PASSAGE_PREFIX", value_name = "TEXT")]
    pub(crate) encoder_passage_prefix: Option<String>,
}

impl ServerArgs {
    pub(crate) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// These options, and `others` where they are not given.
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

    /// The same as plain settings.
    pub(crate) fn settings(self) -> ServerSettings {
        ServerSettings {
            url: self.encoder_url,
            model: self.encoder_model,
            dim: self.encoder_dim,
            revision: self.encoder_revision,
            query_prefix: self.encoder_query_prefix,
            passage_prefix: self.encoder_passage_prefix,
        }
    }
}
