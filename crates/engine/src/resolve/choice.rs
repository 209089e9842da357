//! Which model makes vectors, and in which numbers it computes.

use std::{path::PathBuf, sync::Arc};

use aforesaid_core::types::EncoderId;
use aforesaid_models::{
    Adapter, Downloads, Instructions, ModelEntry, ModelError, ModelPaths, Precision, Runtime, Threads, registry,
};

use super::{key::ConfiguredKey, server::EncoderServer};
use crate::registry::ModelPolicy;

/// The model of a namespace without vectors, where none was chosen.
const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2+conversations";

/// The default model, where vectors are by the same model without the default's adapter: such a namespace keeps its vectors
/// until somebody encodes it anew.
pub(crate) fn default_in_place_of(vectors: &EncoderId) -> Option<&'static str> {
    let (published, _) = DEFAULT_MODEL.split_once('+')?;
    (vectors.model() == published && !vectors.is_remote()).then_some(DEFAULT_MODEL)
}

/// Which encoder makes vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// None: searches are lexical.
    Off,
    /// A registered model; `dir` has its files where they are not in a cache.
    Named {
        /// The model's name.
        name: String,
        /// The directory with its files.
        dir: Option<PathBuf>,
    },
    /// The model whose files are in a directory.
    Directory(PathBuf),
    /// A model with the adapter in a file; `dir` has the model's files where they are not in a cache.
    Adapted {
        /// The adapter's file.
        adapter: PathBuf,
        /// The directory with the files of its model.
        dir: Option<PathBuf>,
    },
    /// A model on a server.
    Server(EncoderServer),
}

/// How the file of an adapter ends.
const ADAPTER_FILE: &str = ".safetensors";

impl ModelChoice {
    /// The choice that a name and a directory make; the name "none" switches vectors off, and one that ends in
    /// ".safetensors" is the file of an adapter.
    pub fn new(name: Option<String>, dir: Option<PathBuf>) -> Self {
        match (name.as_deref(), dir) {
            (Some("none"), _) => Self::Off,
            (Some(name), dir) if name.ends_with(ADAPTER_FILE) => Self::Adapted { adapter: name.into(), dir },
            (Some(name), dir) => Self::Named { name: name.to_owned(), dir },
            (None, Some(dir)) => Self::Directory(dir),
            (None, None) => Self::Named { name: DEFAULT_MODEL.to_owned(), dir: None },
        }
    }

    /// Whether these vectors are by this model on a server.
    pub(super) fn makes(&self, vectors: &EncoderId) -> bool {
        matches!(self, Self::Server(server) if server.id() == vectors)
    }
}

/// Whether a model was chosen, or is only the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// A namespace's active encoder takes its place.
    Default,
    /// It is used everywhere; a namespace with vectors by another is refused.
    Explicit,
}

/// Whether other machines may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// They may.
    Allowed,
    /// Only servers on this machine are asked, and nothing is downloaded.
    Forbidden,
}

/// How models are chosen, found and run.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// The model.
    pub model: ModelChoice,
    /// Whether it was chosen.
    pub selection: Selection,
    /// A query adapter of one's own, for pipelines that name it ([`Adapter::query_name`]).
    pub query_adapter: Option<Arc<Adapter>>,
    /// The precision that was chosen; it is used everywhere.
    pub precision: Option<Precision>,
    /// The precision of new vectors where none was chosen and the namespace has none; `None` is the best here.
    pub default_precision: Option<Precision>,
    /// The instructions to compute with.
    pub instructions: Instructions,
    /// Threads to compute on.
    pub threads: Threads,
    /// The directory of downloaded models.
    pub cache: PathBuf,
    /// The directory that Hugging Face tools call `HF_HOME`.
    pub hf_home: Option<PathBuf>,
    /// Whether other machines may be asked.
    pub network: Network,
    /// The key of the encoder's server.
    pub server_key: ConfiguredKey,
}

impl ModelSettings {
    /// The same with the model of this name, unless one was chosen.
    #[must_use]
    pub fn with_model(&self, name: Option<&str>) -> Self {
        let model = match name {
            Some(name) if self.selection == Selection::Default => {
                ModelChoice::Named { name: name.to_owned(), dir: None }
            }
            _ => self.model.clone(),
        };
        Self { model, ..self.clone() }
    }

    /// The same with the model of a namespace's active encoder, unless one was chosen.
    #[must_use]
    pub fn following(&self, active: Option<&EncoderId>) -> Self {
        match (&self.model, active) {
            // A directory belongs to the model it was named with.
            (ModelChoice::Named { name, .. }, Some(active)) if !name.eq_ignore_ascii_case(active.model()) => {
                self.with_model(Some(active.model()))
            }
            (ModelChoice::Server(_), Some(active)) if !active.is_remote() => self.with_model(Some(active.model())),
            _ => self.clone(),
        }
    }

    /// The precision to encode in for a namespace.
    pub fn precision(&self, active: Option<&EncoderId>) -> Precision {
        let present = || active.and_then(EncoderId::precision).and_then(|word| word.parse().ok());
        let default = || Precision::default_on(self.instructions);
        self.precision.or_else(present).or(self.default_precision).unwrap_or_else(default)
    }

    /// How a model is run for a namespace.
    pub fn runtime(&self, active: Option<&EncoderId>) -> Runtime {
        Runtime { precision: self.precision(active), instructions: self.instructions, threads: self.threads }
    }

    /// How an evidence reranker is run: in int8 where no precision was chosen, whatever the vectors are in, since scores are
    /// not kept. It orders as well, in less time on every processor that was measured (docs/decisions/0024).
    pub fn evidence_runtime(&self) -> Runtime {
        let precision = self.precision.unwrap_or(Precision::Int8);
        Runtime { precision, instructions: self.instructions, threads: self.threads }
    }

    /// The registered model in use; `None` where it is a directory's, a server's or none.
    ///
    /// # Errors
    /// When no model has the name.
    pub fn entry(&self) -> Result<Option<&'static ModelEntry>, ModelError> {
        match &self.model {
            ModelChoice::Named { name, .. } => registry::named(name).map(Some),
            ModelChoice::Off | ModelChoice::Directory(_) | ModelChoice::Adapted { .. } | ModelChoice::Server(_) => {
                Ok(None)
            }
        }
    }

    /// Where models are looked for.
    pub fn paths(&self, policy: ModelPolicy) -> ModelPaths {
        let explicit = match &self.model {
            ModelChoice::Named { dir, .. } | ModelChoice::Adapted { dir, .. } => dir.clone(),
            ModelChoice::Off | ModelChoice::Directory(_) | ModelChoice::Server(_) => None,
        };
        let downloads = match (policy, self.network) {
            (ModelPolicy::Fetch, Network::Allowed) => Downloads::Allowed,
            _ => Downloads::Forbidden,
        };
        ModelPaths { explicit, cache: self.cache.clone(), hf_home: self.hf_home.clone(), downloads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(model: ModelChoice, selection: Selection) -> ModelSettings {
        ModelSettings {
            model,
            selection,
            query_adapter: None,
            precision: None,
            default_precision: Some(Precision::Bf16),
            instructions: Instructions::Portable,
            threads: Threads::available(),
            cache: "cache".into(),
            hf_home: None,
            network: Network::Allowed,
            server_key: ConfiguredKey::default(),
        }
    }

    #[test]
    fn vectors_of_the_published_model_could_be_of_the_default() {
        let found = |id: &str| default_in_place_of(&EncoderId::new(id).unwrap());
        assert_eq!(found("all-MiniLM-L6-v2@1110/int8"), Some(DEFAULT_MODEL));
        for other in ["all-MiniLM-L6-v2+mine@1110+53aa/f32", "bge-small@1110/f32", "all-MiniLM-L6-v2@1110/remote"] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn a_model_has_a_name_or_a_directory() {
        assert_eq!(ModelChoice::new(Some("none".into()), Some("x".into())), ModelChoice::Off);
        assert_eq!(ModelChoice::new(None, Some("x".into())), ModelChoice::Directory("x".into()));
        assert!(
            matches!(ModelChoice::new(None, None), ModelChoice::Named { name, dir: None } if name == DEFAULT_MODEL)
        );
    }

    #[test]
    fn a_default_follows_a_namespace_and_a_choice_does_not() {
        let active = EncoderId::new("bge-small-en-v1.5@5c38ec7c405e/int8").unwrap();
        assert_eq!(
            ModelChoice::new(Some("a/mine.safetensors".into()), None),
            ModelChoice::Adapted { adapter: "a/mine.safetensors".into(), dir: None }
        );
        let default = settings(ModelChoice::new(None, None), Selection::Default);
        let followed = default.following(Some(&active));
        assert_eq!(followed.model, ModelChoice::new(Some("bge-small-en-v1.5".into()), None));
        assert_eq!(followed.precision(Some(&active)), Precision::Int8);
        assert_eq!(default.following(None).model, default.model);
        assert_eq!(default.precision(None), Precision::Bf16);
        assert_eq!(default.evidence_runtime().precision, Precision::Int8);
        let exact = ModelSettings { precision: Some(Precision::F32), ..default };
        assert_eq!(exact.evidence_runtime().precision, Precision::F32);
        let chosen = settings(ModelChoice::new(Some("e5-small-v2".into()), None), Selection::Explicit);
        assert_eq!(chosen.following(Some(&active)).model, chosen.model);
    }
}
