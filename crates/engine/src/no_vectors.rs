//! Why a search or an addition goes without vectors.

use aforesaid_core::types::EncoderId;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// Why a search or an addition goes without vectors; a fragment that fits after "vectors are off: ".
///
/// It serializes as `reason`, a text for people, and `reason_code`, a stable code for programs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoVectors {
    /// The memory was opened without an encoder.
    #[error("no encoder is configured")]
    NotConfigured,
    /// The caller chose to have no encoder.
    #[error("no model was chosen")]
    SwitchedOff,
    /// The pipeline has no dense leg.
    #[error("this pipeline does not use them")]
    NotUsed,
    /// The namespace has no vectors.
    #[error("none are stored")]
    NoneStored,
    /// The namespace is searched in the database, which cannot compare vectors.
    #[error("this namespace is searched in the database, which has no pgvector 0.8 or newer")]
    NotInStore,
    /// The namespace's vectors are by a model on a server that is not configured.
    #[error("they are by {encoder}, a model on a server that is not configured")]
    UnknownServer {
        /// The encoder of the vectors.
        encoder: EncoderId,
    },
    /// The namespace's vectors are by a model that is not in the registry, such as one from a directory.
    #[error("they are by {encoder}, which is no registered model")]
    UnregisteredModel {
        /// The encoder of the vectors.
        encoder: EncoderId,
    },
    /// The network is switched off, and the encoder's server is on another machine.
    #[error("the network is switched off, and the server {url} is not on this machine")]
    Offline {
        /// The server.
        url: String,
    },
    /// The model's files are not on this machine and could not be fetched.
    #[error("{message}")]
    ModelUnavailable {
        /// The model's name.
        model: String,
        /// Every place that was tried.
        message: String,
    },
    /// The encoder's server failed.
    #[error("{message}")]
    ServerFailed {
        /// How.
        message: String,
    },
    /// The model could not be loaded.
    #[error("{message}")]
    ModelFailed {
        /// The code of the model's error.
        code: &'static str,
        /// How.
        message: String,
    },
    /// The encoder could not be loaded, or failed.
    #[error("{message}")]
    EncoderFailed {
        /// How.
        message: String,
    },
}

impl NoVectors {
    /// A reason of an encoder's own.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::EncoderFailed { message: message.into() }
    }

    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "no_encoder_configured",
            Self::SwitchedOff => "vectors_switched_off",
            Self::NotUsed => "vectors_not_used",
            Self::NoneStored => "no_vectors_stored",
            Self::NotInStore => "vectors_not_in_store",
            Self::UnknownServer { .. } => "encoder_server_not_configured",
            Self::UnregisteredModel { .. } => "encoder_not_registered",
            Self::Offline { .. } => "encoder_server_offline",
            Self::ModelUnavailable { .. } => "model_unavailable",
            Self::ServerFailed { .. } => "encoder_server_failed",
            Self::ModelFailed { code, .. } => code,
            Self::EncoderFailed { .. } => "encoder_failed",
        }
    }
}

impl Serialize for NoVectors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("reason", &self.to_string())?;
        map.serialize_entry("reason_code", self.code())?;
        map.end()
    }
}
