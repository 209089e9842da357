//! Opening the memory that the settings describe.

use std::{path::Path, sync::Arc};

use aforesaid::{
    Creation, Encoder, EncoderSource, Memory, Options,
    models::{
        BertEncoder, Downloads, ModelError, ModelFiles, Places, Runtime, Threads, find, from_directory, obtain,
        registry::{self, ModelEntry},
    },
    types::{EncoderId, Namespace},
};
use aforesaid_llm::LlmError;

use crate::{
    failure::Failure,
    progress,
    server::{EncoderServer, KEY},
    settings::{Model, Network, Settings},
};

/// How far a command goes to get a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Use what is on this machine; ask a server once, and go on without it where it fails.
    Find,
    /// Fetch it where that is allowed; ask a server again, and fail where it does.
    Fetch,
}

impl Settings {
    /// Opens the memory with the encoder for a namespace.
    pub(crate) fn open(&self, namespace: &Namespace, creation: Creation, effort: Effort) -> Result<Memory, Failure> {
        if creation == Creation::Allowed && !Memory::exists(&self.store) {
            // The encoder first: one that cannot be used leaves no store behind.
            return self.open_with(creation, self.encoder(effort, None)?);
        }
        let memory = self.open_plain()?;
        let serving = memory.serving(namespace)?;
        Ok(memory.with_encoder(self.encoder(effort, serving.as_ref())?))
    }

    /// Opens the memory for what needs no vectors.
    pub(crate) fn open_plain(&self) -> Result<Memory, Failure> {
        let reason = "this command uses none".to_owned();
        self.open_with(Creation::Forbidden, EncoderSource::Unavailable { reason })
    }

    fn open_with(&self, creation: Creation, encoder: EncoderSource) -> Result<Memory, Failure> {
        Ok(Memory::open(&self.store, Options { creation, encoder, ..Options::default() })?)
    }

    /// The registry's entry for the model in use.
    pub(crate) fn entry(&self) -> Result<&'static ModelEntry, Failure> {
        match &self.model {
            Model::Named { name, .. } => Ok(registry::named(name)?),
            Model::None | Model::Directory(_) | Model::Server(_) => {
                Err(Failure::Usage("this needs a model by name; give one with --model".to_owned()))
            }
        }
    }

    /// Where models are looked for.
    pub(crate) fn places(&self, effort: Effort) -> Places {
        let explicit = match &self.model {
            Model::Named { dir, .. } => dir.clone(),
            Model::None | Model::Directory(_) | Model::Server(_) => None,
        };
        let downloads = match (effort, self.network) {
            (Effort::Fetch, Network::Allowed) => Downloads::Allowed,
            _ => Downloads::Forbidden,
        };
        Places { explicit, cache: self.model_cache.clone(), hf_home: self.hf_home.clone(), downloads }
    }

    /// The encoder in use where these vectors serve, or why there is none.
    pub(crate) fn encoder(&self, effort: Effort, serving: Option<&EncoderId>) -> Result<EncoderSource, Failure> {
        let settings = self.following(serving);
        let runtime = settings.runtime(serving);
        let unavailable = |reason: String| Ok(EncoderSource::Unavailable { reason });
        match (&settings.model, serving) {
            (Model::None, _) => unavailable("--model none was given".to_owned()),
            // A server made the vectors, and nobody has said where it is.
            (model, Some(serving)) if serving.is_remote() && !self.names_model() && !model.makes(serving) => {
                unavailable(format!(
                    "they are by {serving}, a model on a server; name it with --encoder-url and --encoder-model, and \
                     with the prefixes and revision it had"
                ))
            }
            (Model::Server(server), _) => settings.server_encoder(server, effort),
            (Model::Directory(dir), _) => settings.directory_encoder(dir, runtime),
            // A model without a name here made the vectors, and nobody has said where it is.
            (Model::Named { name, .. }, Some(serving)) if !self.names_model() && registry::named(name).is_err() => {
                unavailable(format!(
                    "they are by {serving}, which has no entry here; give its directory with --model-dir"
                ))
            }
            (Model::Named { .. }, _) => {
                let entry = settings.entry()?;
                match settings.files(entry, effort) {
                    Ok(files) => deferred(files, entry.dim, runtime),
                    // Without a model one can still remember and search by words.
                    Err(error @ ModelError::Unavailable { .. }) => unavailable(error.to_string()),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    fn files(&self, entry: &ModelEntry, effort: Effort) -> Result<ModelFiles, ModelError> {
        let places = self.places(effort);
        match places.downloads {
            Downloads::Forbidden => find(entry, &places),
            Downloads::Allowed => progress::download(self.output, |report| obtain(entry, &places, report)),
        }
    }

    /// A model that only its directory knows: its dimensions are known once it is loaded.
    fn directory_encoder(&self, dir: &Path, runtime: Runtime) -> Result<EncoderSource, Failure> {
        let files = from_directory(dir, &self.model_cache)?;
        Ok(EncoderSource::Ready(Arc::new(BertEncoder::load(&files, runtime)?)))
    }

    /// A model on a server: asked for its dimensions where they were not given.
    fn server_encoder(&self, server: &EncoderServer, effort: Effort) -> Result<EncoderSource, Failure> {
        if self.asks_precision() {
            return Err(Failure::Usage(
                "--precision: the encoder is on a server, which computes as it likes; leave it out, or name a model of \
                 this machine with --model"
                    .to_owned(),
            ));
        }
        if self.network == Network::Forbidden && !server.url().is_loopback() {
            let reason = format!("--offline was given, and the server {} is not on this machine", server.url());
            return Ok(EncoderSource::Unavailable { reason });
        }
        match server.connect(effort) {
            Ok(encoder) => Ok(EncoderSource::Ready(Arc::new(encoder))),
            Err(error @ LlmError::Key { .. }) => Err(Failure::Usage(format!("{KEY}: {error}"))),
            // One can still search by words, but what is to be kept is not kept without its vectors.
            Err(error) if effort == Effort::Find => Ok(EncoderSource::Unavailable { reason: error.to_string() }),
            Err(error) => Err(Failure::Server(error)),
        }
    }

    fn runtime(&self, serving: Option<&EncoderId>) -> Runtime {
        Runtime { precision: self.precision(serving), instructions: self.instructions, threads: self.threads() }
    }

    pub(crate) fn threads(&self) -> Threads {
        let available = Threads::available();
        // More threads than cores only get in each other's way, and thousands never start.
        self.threads.map(Threads::new).filter(|asked| asked.get() < available.get()).unwrap_or(available)
    }
}

fn deferred(files: ModelFiles, dim: usize, runtime: Runtime) -> Result<EncoderSource, Failure> {
    Ok(EncoderSource::Deferred {
        id: files.encoder_id(runtime.precision)?,
        dim,
        load: Box::new(move || {
            let encoder = BertEncoder::load(&files, runtime).map_err(|error| error.to_string())?;
            Ok(Arc::new(encoder) as Arc<dyn Encoder>)
        }),
    })
}
