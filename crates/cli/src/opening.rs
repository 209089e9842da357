//! Opening the memory that the settings describe.

use std::{path::Path, sync::Arc};

use aforesaid::{
    Creation, Encoder, EncoderSource, Memory, Options,
    models::{
        BertEncoder, Downloads, ModelError, ModelFiles, Places, Precision, Runtime, Threads, find, from_directory,
        obtain,
        registry::{self, ModelEntry},
    },
};

use crate::{
    failure::Failure,
    progress,
    settings::{Model, Network, Settings},
};

/// How far a command goes to get a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Use what is on this machine.
    Find,
    /// Fetch it where that is allowed.
    Fetch,
}

impl Settings {
    /// Opens the memory with its encoder.
    pub(crate) fn open(&self, creation: Creation, effort: Effort) -> Result<Memory, Failure> {
        self.open_with(creation, self.encoder(effort)?)
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
            Model::None | Model::Directory(_) => {
                Err(Failure::Usage("this needs a model by name; give one with --model".to_owned()))
            }
        }
    }

    /// Where models are looked for.
    pub(crate) fn places(&self, effort: Effort) -> Places {
        let explicit = match &self.model {
            Model::Named { dir, .. } => dir.clone(),
            Model::None | Model::Directory(_) => None,
        };
        let downloads = match (effort, self.network) {
            (Effort::Fetch, Network::Allowed) => Downloads::Allowed,
            _ => Downloads::Forbidden,
        };
        Places { explicit, cache: self.model_cache.clone(), hf_home: self.hf_home.clone(), downloads }
    }

    /// The encoder in use, or why there is none.
    pub(crate) fn encoder(&self, effort: Effort) -> Result<EncoderSource, Failure> {
        let unavailable = |reason: String| Ok(EncoderSource::Unavailable { reason });
        match &self.model {
            Model::None => unavailable("--model none was given".to_owned()),
            Model::Directory(dir) => self.directory_encoder(dir),
            Model::Named { .. } => {
                let entry = self.entry()?;
                match self.files(entry, effort) {
                    Ok(files) => deferred(files, entry.dim, self.runtime()),
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
    fn directory_encoder(&self, dir: &Path) -> Result<EncoderSource, Failure> {
        let files = from_directory(dir, &self.model_cache)?;
        Ok(EncoderSource::Ready(Arc::new(BertEncoder::load(&files, self.runtime())?)))
    }

    fn runtime(&self) -> Runtime {
        Runtime::new(Precision::F32, self.threads())
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
