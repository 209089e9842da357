//! The encoder of a namespace, from settings.

use std::{path::Path, sync::Arc};

use aforesaid_core::{Encoder, types::EncoderId};
use aforesaid_llm::LlmError;
use aforesaid_models::{
    Adapter, BertEncoder, CrossEncoder, Downloads, ModelEntry, ModelError, ModelFiles, Progress, Runtime, find,
    from_directory, registry, resolve,
};

use super::{
    choice::{ModelChoice, ModelSettings, Network, Selection},
    server::EncoderServer,
};
use crate::{
    encoder::EncoderSource,
    error::Error,
    no_vectors::NoVectors,
    registry::{ModelPolicy, ResolveEncoder},
};

/// The files of a model with an adapter, and the components of its vectors where they are known before it is loaded.
struct AdaptedModel {
    files: ModelFiles,
    dim: Option<usize>,
}

/// What becomes of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadEvent<'a> {
    /// It has come this far.
    Advanced(Progress<'a>),
    /// It is over, whether it succeeded or not.
    Ended,
}

/// Told of downloads, on whatever thread needs the model.
type Observer = Box<dyn Fn(DownloadEvent<'_>) + Send + Sync>;

/// Chooses encoders by settings: the namespace's active one, unless another was chosen.
pub struct ModelResolver {
    settings: ModelSettings,
    observer: Observer,
}

impl ModelResolver {
    /// A resolver that tells nobody of its downloads.
    pub fn new(settings: ModelSettings) -> Self {
        Self::observed(settings, |_| ())
    }

    /// A resolver that tells `observer` of its downloads.
    pub fn observed(settings: ModelSettings, observer: impl Fn(DownloadEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { settings, observer: Box::new(observer) }
    }

    /// Loads the cross-encoder in a directory, or the registered one of that name, downloaded where that is allowed.
    ///
    /// # Errors
    /// When the directory or the registry has none, or its files cannot be had or loaded.
    pub fn cross_encoder(&self, name_or_dir: &str) -> Result<CrossEncoder, Error> {
        let settings = &self.settings;
        let files = match Path::new(name_or_dir) {
            dir if dir.is_dir() => from_directory(dir, &settings.cache)?,
            _ => {
                let model = ModelChoice::Named { name: name_or_dir.to_owned(), dir: None };
                let settings = ModelSettings { model, ..settings.clone() };
                self.files(&settings, registry::named(name_or_dir)?, ModelPolicy::Fetch)?
            }
        };
        Ok(CrossEncoder::load(&files, settings.runtime(None))?)
    }

    /// The files of the encoder that the settings name, downloaded where that is allowed; `None` where it is on a
    /// server, or there is none.
    ///
    /// # Errors
    /// When its files cannot be had.
    pub fn model_files(&self) -> Result<Option<ModelFiles>, Error> {
        let settings = &self.settings;
        let files = match &settings.model {
            ModelChoice::Directory(dir) => from_directory(dir, &settings.cache)?,
            ModelChoice::Adapted { adapter, dir } => self.adapted(adapter, dir.as_deref(), ModelPolicy::Fetch)?.files,
            ModelChoice::Named { name, .. } => self.files(settings, registry::named(name)?, ModelPolicy::Fetch)?,
            ModelChoice::Off | ModelChoice::Server(_) => return Ok(None),
        };
        Ok(Some(files))
    }

    /// The files of an adapter's model, with the adapter. A directory may hold a model that is not registered.
    fn adapted(&self, adapter: &Path, dir: Option<&Path>, policy: ModelPolicy) -> Result<AdaptedModel, ModelError> {
        let name = adapter.file_stem().unwrap_or_default().to_string_lossy();
        let adapter = Adapter::read(adapter)?;
        let (files, dim) = match (adapter.entry(), dir) {
            (Ok(entry), _) => (self.files(&self.settings, entry, policy)?, Some(entry.dim)),
            (Err(_), Some(dir)) => (from_directory(dir, &self.settings.cache)?, None),
            (Err(unregistered), None) => return Err(unregistered),
        };
        Ok(AdaptedModel { files: files.with_adapter(&name, adapter)?, dim })
    }

    fn named(
        &self,
        settings: &ModelSettings,
        active: Option<&EncoderId>,
        policy: ModelPolicy,
    ) -> Result<EncoderSource, Error> {
        let runtime = settings.runtime(active);
        let vectors = active.filter(|_| settings.selection == Selection::Default);
        let Some(entry) = settings.entry()? else {
            return Ok(EncoderSource::Unavailable { reason: NoVectors::NotConfigured });
        };
        match self.files(settings, entry, policy) {
            Ok(files) => {
                let files = self.with_query_adapter(files)?;
                let files = match vectors {
                    Some(vectors) => files.reading_as(vectors),
                    None => files,
                };
                deferred(files, entry.dim, runtime)
            }
            Err(error) => without(error),
        }
    }

    /// The files with the query adapter of the settings, where it belongs to them: a search that asks for it of another encoder
    /// says that it has none.
    fn with_query_adapter(&self, files: ModelFiles) -> Result<ModelFiles, ModelError> {
        match &self.settings.query_adapter {
            Some(adapter) if adapter.base() == files.pinned => files.with_query_adapter(Arc::clone(adapter)),
            _ => Ok(files),
        }
    }

    pub(super) fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    pub(super) fn files(
        &self,
        settings: &ModelSettings,
        entry: &ModelEntry,
        policy: ModelPolicy,
    ) -> Result<ModelFiles, ModelError> {
        let paths = settings.paths(policy);
        if paths.downloads == Downloads::Forbidden {
            return find(entry, &paths);
        }
        let files = resolve(entry, &paths, &mut |progress| (self.observer)(DownloadEvent::Advanced(progress)));
        (self.observer)(DownloadEvent::Ended);
        files
    }
}

impl ResolveEncoder for ModelResolver {
    fn resolve(&self, active: Option<&EncoderId>, policy: ModelPolicy) -> Result<EncoderSource, Error> {
        let settings = self.settings.following(active);
        let runtime = settings.runtime(active);
        let is_default = settings.selection == Selection::Default;
        let unavailable = |reason| Ok(EncoderSource::Unavailable { reason });
        match (&settings.model, active) {
            (ModelChoice::Off, _) => unavailable(NoVectors::SwitchedOff),
            // A server made the vectors, and it is not configured.
            (model, Some(active)) if active.is_remote() && is_default && !model.makes(active) => {
                unavailable(NoVectors::UnknownServer { encoder: active.clone() })
            }
            (ModelChoice::Server(server), _) => at_server(&settings, server, policy),
            (ModelChoice::Directory(dir), _) => {
                loaded(&self.with_query_adapter(from_directory(dir, &settings.cache)?)?, runtime)
            }
            (ModelChoice::Adapted { adapter, dir }, _) => match self.adapted(adapter, dir.as_deref(), policy) {
                Ok(AdaptedModel { files, dim: Some(dim) }) => deferred(files, dim, runtime),
                Ok(AdaptedModel { files, dim: None }) => loaded(&files, runtime),
                Err(error) => without(error),
            },
            // A model from a directory made the vectors, and the directory is not configured.
            (ModelChoice::Named { name, .. }, Some(active)) if is_default && registry::named(name).is_err() => {
                unavailable(NoVectors::UnregisteredModel { encoder: active.clone() })
            }
            (ModelChoice::Named { .. }, _) => self.named(&settings, active, policy),
        }
    }
}

/// A model that only its directory knows: its dimensions are known once it is loaded.
fn loaded(files: &ModelFiles, runtime: Runtime) -> Result<EncoderSource, Error> {
    Ok(EncoderSource::Ready(Arc::new(BertEncoder::load(files, runtime)?)))
}

/// Without a model, memories are stored and found lexically; a damaged one is an error.
fn without(error: ModelError) -> Result<EncoderSource, Error> {
    match error {
        ModelError::Unavailable { model, attempts } => {
            let message = ModelError::Unavailable { model: model.clone(), attempts }.to_string();
            Ok(EncoderSource::Unavailable { reason: NoVectors::ModelUnavailable { model, message } })
        }
        error => Err(error.into()),
    }
}

/// A model on a server.
fn at_server(settings: &ModelSettings, server: &EncoderServer, policy: ModelPolicy) -> Result<EncoderSource, Error> {
    if settings.precision.is_some() {
        return Err(Error::PrecisionOnServer);
    }
    if settings.network == Network::Forbidden && !server.url().is_loopback() {
        let reason = NoVectors::Offline { url: server.url().to_string() };
        return Ok(EncoderSource::Unavailable { reason });
    }
    match server.connect(policy, &settings.server_key) {
        Ok(encoder) => Ok(EncoderSource::Ready(Arc::new(encoder))),
        // A search goes on without vectors; what is stored is not stored without.
        Err(error) if policy == ModelPolicy::Find && !matches!(error, LlmError::Key { .. }) => {
            Ok(EncoderSource::Unavailable { reason: NoVectors::ServerFailed { message: error.to_string() } })
        }
        Err(error) => Err(Error::EncoderServer(error)),
    }
}

fn deferred(files: ModelFiles, dim: usize, runtime: Runtime) -> Result<EncoderSource, Error> {
    Ok(EncoderSource::Deferred {
        id: files.encoder_id(runtime.precision)?,
        dim,
        bytes: files.dir.join("model.safetensors").metadata().map_or(0, |file| file.len()),
        load: Box::new(move || {
            let encoder = BertEncoder::open(&files, runtime)
                .map_err(|error| NoVectors::ModelFailed { code: error.code(), message: error.to_string() })?;
            Ok(Arc::new(encoder) as Arc<dyn Encoder>)
        }),
    })
}
