//! Encoder, folders and threads: the options of every command.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use aforesaid::{
    Encoder, EncoderSource, ModelPolicy, ResolveEncoder,
    models::{Instructions, ModelFiles, Precision, Threads},
    rerank::Reranker,
    resolve::{
        ConfiguredKey, DownloadEvent, EvidenceChoice, ModelChoice, ModelResolver, ModelSettings, Network, Selection,
    },
    types::EncoderId,
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{CachedEncoder, NoEncoder, Place},
    recipe::Equipment,
};
use clap::{Args, ValueHint};
use etcetera::{BaseStrategy, choose_base_strategy};

use crate::{
    failure::Failure,
    output::{Format, bar},
};

/// The encoder that studies measure with where none is named.
const PUBLISHED: &str = "all-MiniLM-L6-v2";

/// Where the encoder and the data are, and how much of the machine is used.
#[derive(Debug, Args)]
pub(crate) struct Machine {
    /// The encoder's name, or "none" [default: all-MiniLM-L6-v2, or the one of a receipt].
    #[arg(long, global = true, env = "AFORESAID_MODEL")]
    model: Option<String>,
    /// A directory with the encoder's files.
    #[arg(long, global = true, env = "AFORESAID_MODEL_DIR", value_hint = ValueHint::DirPath)]
    model_dir: Option<PathBuf>,
    /// Precision of the encoder: f32, bf16 or int8 [default: that of a receipt, or the fastest exact one].
    #[arg(long, global = true, env = "AFORESAID_PRECISION")]
    precision: Option<Precision>,
    /// Where fetched models are kept [default: in your cache directory].
    #[arg(long, global = true, env = "AFORESAID_MODEL_CACHE", value_hint = ValueHint::DirPath)]
    model_cache: Option<PathBuf>,
    /// Keep vectors in this folder between runs [default: in your cache directory].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    vector_cache: Option<PathBuf>,
    /// Keep no vectors between runs.
    #[arg(long, global = true, conflicts_with = "vector_cache")]
    no_vector_cache: bool,
    /// Never use the network.
    #[arg(long, global = true, env = "AFORESAID_OFFLINE", value_parser = clap::builder::FalseyValueParser::new())]
    offline: bool,
    /// Processor cores to use [default: all].
    #[arg(long, global = true, env = "AFORESAID_THREADS")]
    threads: Option<NonZeroUsize>,
    /// Measure in this store, in namespaces that are forgotten afterwards [default: in this process].
    #[arg(long, global = true, value_name = "STORE")]
    scratch_store: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

impl Machine {
    /// Who reads the output.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }

    /// Whether other machines may be asked.
    pub(crate) fn network(&self) -> Network {
        if self.offline { Network::Forbidden } else { Network::Allowed }
    }

    /// The folder with fetched data sets.
    pub(crate) fn datasets(&self) -> Result<PathBuf, Failure> {
        let places = choose_base_strategy().ok();
        let folder = places.map(|places| places.data_dir().join("aforesaid").join("datasets"));
        folder.ok_or_else(|| Failure::Usage("no home directory: name the data with --data".to_owned()))
    }

    /// The folder of a data set: the named one, or where `aforesaid eval data fetch` puts it.
    pub(crate) fn dataset(&self, dataset: DataSet, named: Option<&Path>) -> Result<PathBuf, Failure> {
        named.map_or_else(|| Ok(self.datasets()?.join(dataset.folder())), |path| Ok(path.to_owned()))
    }

    /// The encoder of the options, or the one that made a receipt.
    pub(crate) fn equipment(&self, made_with: Option<&EncoderId>) -> Result<Equipment, Failure> {
        let source = self.encoder(made_with)?;
        let encoder = match CachedEncoder::new(source, self.vectors()?.as_deref()) {
            Ok(encoder) => Ok(Arc::new(encoder) as Arc<dyn Encoder>),
            Err(NoEncoder::Unavailable(reason)) => Err(reason),
            Err(NoEncoder::Cache(error)) => return Err(Failure::Input(error.to_string())),
        };
        let threads = NonZeroUsize::new(self.threads().get()).unwrap_or(NonZeroUsize::MIN);
        let place = self.scratch_store.clone().map_or(Place::Process, Place::Store);
        Ok(Equipment { encoder, threads, place, reranker: None })
    }

    /// The evidence reranker that ships, in the precision of a receipt's.
    pub(crate) fn reranker(&self, made_with: &EncoderId) -> Result<Arc<dyn Reranker>, Failure> {
        let written = made_with.as_str().rsplit_once('/').and_then(|(_, precision)| precision.parse().ok());
        let settings = ModelSettings { precision: self.precision.or(written), ..self.settings()? };
        let reranker = ModelResolver::new(settings).evidence_reranker(&EvidenceChoice::Shipped)?;
        Ok(Arc::new(reranker))
    }

    /// A receipt's model and precision are followed as those of a namespace with vectors are.
    fn encoder(&self, made_with: Option<&EncoderId>) -> Result<EncoderSource, Failure> {
        let format = self.format();
        let bytes = bar(format, "looking for the model", "{msg} [{bar:30}] {bytes}/{total_bytes}, {eta} left");
        let resolver = ModelResolver::observed(self.settings()?, move |event| match event {
            DownloadEvent::Advanced(progress) => {
                bytes.set_message(format!("fetching {} from {}", progress.file, progress.origin));
                bytes.set_length(progress.total);
                bytes.set_position(progress.done);
            }
            DownloadEvent::Ended => bytes.finish_and_clear(),
        });
        Ok(resolver.resolve(made_with, ModelPolicy::Fetch)?)
    }

    /// The files of the encoder of the options.
    pub(crate) fn model_files(&self) -> Result<ModelFiles, Failure> {
        let files = ModelResolver::new(self.settings()?).model_files()?;
        files.ok_or_else(|| Failure::Usage("--model none: expected an encoder to learn with".to_owned()))
    }

    /// How many threads a model runs on.
    pub(crate) fn encoder_threads(&self) -> Threads {
        self.threads()
    }

    /// The precision of the options.
    pub(crate) fn precision(&self) -> Option<Precision> {
        self.precision
    }

    fn settings(&self) -> Result<ModelSettings, Failure> {
        let home = choose_base_strategy().ok().map(|places| places.home_dir().join(".cache").join("huggingface"));
        let chosen = self.model.is_some() || self.model_dir.is_some();
        // The papers' encoder, as it was published: what ships learned from conversations.
        let model = self.model.clone().or_else(|| (!chosen).then(|| PUBLISHED.to_owned()));
        Ok(ModelSettings {
            model: ModelChoice::new(model, self.model_dir.clone()),
            selection: if chosen { Selection::Explicit } else { Selection::Default },
            query_adapter: None,
            precision: self.precision,
            default_precision: None,
            instructions: Instructions::best(),
            threads: self.threads(),
            cache: self.models()?,
            hf_home: std::env::var_os("HF_HOME").map(PathBuf::from).or(home),
            network: self.network(),
            server_key: ConfiguredKey::default(),
        })
    }

    fn threads(&self) -> Threads {
        let available = Threads::available();
        self.threads.map(Threads::new).filter(|asked| asked.get() < available.get()).unwrap_or(available)
    }

    fn models(&self) -> Result<PathBuf, Failure> {
        let usual = || choose_base_strategy().ok().map(|places| places.cache_dir().join("aforesaid").join("models"));
        let folder = self.model_cache.clone().or_else(usual);
        folder.ok_or_else(|| Failure::Usage("no home directory: name the model cache with --model-cache".to_owned()))
    }

    fn vectors(&self) -> Result<Option<PathBuf>, Failure> {
        match &self.vector_cache {
            _ if self.no_vector_cache => Ok(None),
            Some(folder) => Ok(Some(folder.clone())),
            None => Ok(Some(self.models()?.with_file_name("vectors"))),
        }
    }
}
