//! Opening the memory that the settings describe.

use std::sync::Arc;

use aforesaid::{
    Creation, EncoderLimits, EncoderRegistry, EncoderSource, Memory, ModelPolicy, NoVectors, Pipeline, ResolveEncoder,
    models::{CrossEncoder, ModelEntry},
    rerank::Reranker,
    resolve::{EvidenceChoice, ModelResolver},
    types::EncoderId,
};

use crate::{failure::Failure, progress, settings::Settings};

impl Settings {
    /// Opens the memory with its encoders.
    pub(crate) fn open(&self, creation: Creation) -> Result<Memory, Failure> {
        let encoders = Arc::new(EncoderRegistry::new(self.resolver(), EncoderLimits::default()));
        let creation = match creation {
            Creation::Allowed if !Memory::exists(&self.store) => {
                // The encoder first: one that cannot be used leaves no store behind.
                let _reason = encoders.get(None, ModelPolicy::Fetch)?.err();
                creation
            }
            _ => Creation::Forbidden,
        };
        Ok(Memory::builder().creation(creation).encoders(encoders).open(&self.store)?)
    }

    /// Opens the memory with its encoders for a server, which begins at once: the encoders are looked for later.
    pub(crate) fn open_serving(&self) -> Result<(Memory, Arc<EncoderRegistry>), Failure> {
        let encoders = Arc::new(EncoderRegistry::new(self.resolver(), EncoderLimits::default()));
        let builder = Memory::builder().creation(Creation::Allowed).encoders(Arc::clone(&encoders));
        Ok((builder.open(&self.store)?, encoders))
    }

    /// Opens the memory for what needs no vectors.
    pub(crate) fn open_plain(&self) -> Result<Memory, Failure> {
        let encoders = EncoderSource::Unavailable { reason: NoVectors::NotUsed };
        Ok(Memory::builder().creation(Creation::Forbidden).encoders(encoders).open(&self.store)?)
    }

    /// The encoder that the settings choose, or the one that made something before.
    pub(crate) fn encoder(&self, made_with: Option<&EncoderId>) -> Result<EncoderSource, Failure> {
        Ok(self.resolver().resolve(made_with, ModelPolicy::Fetch)?)
    }

    /// The cross-encoder in a directory, or the registered one of that name.
    pub(crate) fn cross_encoder(&self, name_or_dir: &str) -> Result<CrossEncoder, Failure> {
        Ok(self.resolver().cross_encoder(name_or_dir)?)
    }

    /// An evidence reranker.
    pub(crate) fn usable_evidence_reranker(&self, choice: &EvidenceChoice) -> Result<Arc<dyn Reranker>, Failure> {
        Ok(Arc::new(self.resolver().evidence_reranker(choice)?))
    }

    /// The reranker of searches where nothing is said of one: the evidence reranker that ships, with the default pipeline, if its
    /// model is on this machine.
    pub(crate) fn default_reranker(&self) -> Option<Arc<dyn Reranker>> {
        let is_default = self.pipeline == Pipeline::default();
        is_default.then(|| self.resolver().installed_evidence_reranker()).flatten()
    }

    /// The registry's entry for the model in use.
    pub(crate) fn entry(&self) -> Result<&'static ModelEntry, Failure> {
        let unnamed = || Failure::Usage("this needs a model by name; give one with --model".to_owned());
        self.models.entry()?.ok_or_else(unnamed)
    }

    fn resolver(&self) -> ModelResolver {
        ModelResolver::observed(self.models.clone(), progress::downloads(self.output))
    }
}
