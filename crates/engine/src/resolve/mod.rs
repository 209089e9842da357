//! From plain settings to encoders and language models, for every caller: the command line, a server, a binding.
//!
//! Nothing here reads the environment, the home directory or a configuration file: callers pass values.

mod choice;
mod encoder;
mod evidence;
mod key;
mod language_model;
mod loading_reranker;
mod server;

pub(crate) use choice::default_in_place_of;
pub use choice::{ModelChoice, ModelSettings, Network, Selection};
pub use encoder::{DownloadEvent, ModelResolver};
pub use evidence::EvidenceChoice;
pub use key::ConfiguredKey;
pub use language_model::{LanguageModel, LlmSettings, Patience};
pub use server::{EncoderServer, ServerSettings};
