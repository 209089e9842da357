//! Options over environment over configuration file over defaults.

use std::{num::NonZeroUsize, path::PathBuf, str::FromStr};

use aforesaid::{
    Preset,
    models::{Instructions, Precision, files::read_regular},
    types::{EncoderId, Namespace, UnknownChoice},
};
use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use crate::{
    args::Global,
    failure::Failure,
    files::MOST_CONFIGURATION,
    server::{EncoderServer, ServerArgs},
};

/// What the commands go by.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) store: String,
    pub(crate) namespace: Namespace,
    /// The namespace, where one was named.
    pub(crate) named_namespace: Option<Namespace>,
    pub(crate) model: Model,
    /// Whether the model was chosen by an option or the environment.
    model_named: bool,
    /// The precision chosen by an option or the environment.
    asked_precision: Option<Precision>,
    /// The precision for new vectors, where the configuration file says.
    usual_precision: Option<Precision>,
    pub(crate) instructions: Instructions,
    pub(crate) model_cache: PathBuf,
    datasets: Option<PathBuf>,
    pub(crate) hf_home: Option<PathBuf>,
    pub(crate) network: Network,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) preset: Preset,
    /// The language model's server and its name there, where the configuration file says.
    pub(crate) llm_url: Option<String>,
    pub(crate) llm_model: Option<String>,
    /// What a first hit must be likely at least, in [0, 1], where the configuration file says.
    pub(crate) min_confidence: Option<f64>,
    pub(crate) output: Output,
}

/// Which encoder makes vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Model {
    None,
    Named { name: String, dir: Option<PathBuf> },
    Directory(PathBuf),
    Server(EncoderServer),
}

impl Model {
    /// Whether these vectors are by this model on a server.
    pub(crate) fn makes(&self, vectors: &EncoderId) -> bool {
        matches!(self, Model::Server(server) if server.id() == vectors)
    }
}

/// In which numbers an encoder computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrecisionChoice {
    /// In those of the vectors there are, or in the default ones.
    Auto,
    /// In these.
    Exactly(Precision),
}

impl FromStr for PrecisionChoice {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "auto" => Ok(Self::Auto),
            _ => word
                .parse()
                .map(Self::Exactly)
                .map_err(|unknown| UnknownChoice { expected: "auto, f32, bf16 or int8", ..unknown }),
        }
    }
}

impl PrecisionChoice {
    fn exactly(self) -> Option<Precision> {
        match self {
            Self::Auto => None,
            Self::Exactly(precision) => Some(precision),
        }
    }
}

/// Whether anything may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    Allowed,
    Forbidden,
}

/// Whom the output is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    People,
    Programs,
}

/// The configuration file; every key is optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(skip)]
    path: PathBuf,
    store: Option<String>,
    namespace: Option<Namespace>,
    model: Option<String>,
    model_dir: Option<PathBuf>,
    model_cache: Option<PathBuf>,
    precision: Option<String>,
    encoder_url: Option<String>,
    encoder_model: Option<String>,
    encoder_dim: Option<NonZeroUsize>,
    encoder_revision: Option<String>,
    encoder_query_prefix: Option<String>,
    encoder_passage_prefix: Option<String>,
    llm_url: Option<String>,
    llm_model: Option<String>,
    offline: Option<bool>,
    threads: Option<NonZeroUsize>,
    preset: Option<String>,
    min_confidence: Option<f64>,
}

const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";

impl Settings {
    pub(crate) fn resolve(global: &Global) -> Result<Self, Failure> {
        let places = choose_base_strategy().ok();
        let place = |folder: Option<PathBuf>, what: &str| {
            folder.ok_or_else(|| Failure::Usage(format!("no home directory: name the {what} yourself")))
        };
        let named = global.config.clone();
        let usual = places.as_ref().map(|places| places.config_dir().join("aforesaid").join("config.toml"));
        let file = match (named, usual) {
            (Some(path), _) => read(path)?,
            (None, Some(path)) if path.exists() => read(path)?,
            _ => File::default(),
        };
        let preset = match (&global.preset, &file.preset) {
            (Some(preset), _) => preset.clone(),
            (None, Some(name)) => {
                let failed = |error| Failure::Input(format!("configuration file {}: {error}", file.path.display()));
                name.parse().map_err(|error: aforesaid::pipeline::InvalidPipeline| failed(error))?
            }
            (None, None) => Preset::hybrid(),
        };
        let configured = match &file.precision {
            Some(word) => Some(
                word.parse::<PrecisionChoice>()
                    .map_err(|error| Failure::Input(format!("configuration file {}: {error}", file.path.display())))?,
            ),
            None => None,
        };
        if let Some(found) = file.min_confidence.filter(|found| !(0.0..=1.0).contains(found)) {
            let shown = file.path.display();
            return Err(Failure::Input(format!(
                "configuration file {shown}: min_confidence {found}: expected a number from 0 to 1"
            )));
        }
        let names_model = global.model.is_some() || global.model_dir.is_some();
        // Not left to the parser, which does not see that of two options one stands before the command.
        if global.server.is_given() && (names_model || global.precision.is_some()) {
            return Err(Failure::Usage(
                "an encoder on a server (--encoder-url) beside --model, --model-dir or --precision; keep the one or \
                 the others, and mind AFORESAID_* variables"
                    .to_owned(),
            ));
        }
        let server = server(&global.server, &file)?;
        let store = match global.store.clone().or(file.store) {
            Some(store) => store,
            None => {
                let data = places.as_ref().map(|places| places.data_dir().join("aforesaid").join("memory.db"));
                place(data, "store with --store")?.to_string_lossy().into_owned()
            }
        };
        let model_cache = match global.model_cache.clone().or(file.model_cache) {
            Some(folder) => folder,
            None => {
                let cache = places.as_ref().map(|places| places.cache_dir().join("aforesaid").join("models"));
                place(cache, "model cache with --model-cache")?
            }
        };
        let default_namespace = || Namespace::new("default").map_err(aforesaid::Error::from);
        let named_namespace = global.namespace.clone().or(file.namespace);
        Ok(Self {
            store,
            namespace: named_namespace.clone().map_or_else(default_namespace, Ok)?,
            named_namespace,
            model: match server {
                Some(server) if global.server.is_given() || !names_model && preset.encoder().is_none() => {
                    Model::Server(server)
                }
                _ => model(
                    global.model.clone().or(preset.encoder().map(str::to_owned)).or(file.model),
                    global.model_dir.clone().or(file.model_dir),
                ),
            },
            model_named: names_model || global.server.is_given(),
            asked_precision: global.precision.and_then(PrecisionChoice::exactly),
            usual_precision: global.precision.or(configured).and_then(PrecisionChoice::exactly),
            instructions: global.instructions.unwrap_or_else(Instructions::best),
            model_cache,
            datasets: places.as_ref().map(|places| places.data_dir().join("aforesaid").join("datasets")),
            hf_home: std::env::var_os("HF_HOME")
                .map(PathBuf::from)
                .or_else(|| places.as_ref().map(|places| places.home_dir().join(".cache").join("huggingface"))),
            network: match global.offline || file.offline.unwrap_or(false) {
                true => Network::Forbidden,
                false => Network::Allowed,
            },
            threads: global.threads.or(file.threads),
            preset,
            llm_url: file.llm_url,
            llm_model: file.llm_model,
            min_confidence: file.min_confidence,
            output: if global.json { Output::Programs } else { Output::People },
        })
    }
}

impl Settings {
    /// The same with the model that a pipeline names, unless one was chosen on the command line.
    pub(crate) fn with_model(&self, named: Option<&str>) -> Self {
        let model = match named {
            Some(name) if !self.model_named => Model::Named { name: name.to_owned(), dir: None },
            _ => self.model.clone(),
        };
        Self { model, ..self.clone() }
    }

    /// The same with the model that made the vectors which serve, unless one was chosen on the command line.
    pub(crate) fn following(&self, serving: Option<&EncoderId>) -> Self {
        match (&self.model, serving) {
            // Its directory is that of the model it was named with.
            (Model::Named { name, .. }, Some(serving)) if !name.eq_ignore_ascii_case(serving.model()) => {
                self.with_model(Some(serving.model()))
            }
            (Model::Server(_), Some(serving)) if !serving.is_remote() => self.with_model(Some(serving.model())),
            _ => self.clone(),
        }
    }

    /// Whether the model was chosen by an option or the environment.
    pub(crate) fn names_model(&self) -> bool {
        self.model_named
    }

    /// Whether a precision was chosen by an option or the environment.
    pub(crate) fn asks_precision(&self) -> bool {
        self.asked_precision.is_some()
    }

    /// The precision to encode in where these vectors serve.
    pub(crate) fn precision(&self, serving: Option<&EncoderId>) -> Precision {
        let present = || serving.and_then(EncoderId::precision).and_then(|word| word.parse().ok());
        let default = || Precision::default_on(self.instructions);
        self.asked_precision.or_else(present).or(self.usual_precision).unwrap_or_else(default)
    }

    /// Where fetched data sets are kept.
    pub(crate) fn datasets(&self) -> Result<PathBuf, Failure> {
        let unknown = || Failure::Usage("no home directory: name the data with --data or --into".to_owned());
        self.datasets.clone().ok_or_else(unknown)
    }
}

fn model(name: Option<String>, dir: Option<PathBuf>) -> Model {
    match (name.as_deref(), dir) {
        (Some("none"), _) => Model::None,
        (Some(name), dir) => Model::Named { name: name.to_owned(), dir },
        (None, Some(dir)) => Model::Directory(dir),
        (None, None) => Model::Named { name: DEFAULT_MODEL.to_owned(), dir: None },
    }
}

/// The model on a server that options, environment and configuration file describe, each where the one before does not.
fn server(args: &ServerArgs, file: &File) -> Result<Option<EncoderServer>, Failure> {
    let shown = file.path.display();
    if file.encoder_url.is_some() && (file.model.is_some() || file.model_dir.is_some() || file.precision.is_some()) {
        return Err(Failure::Input(format!(
            "configuration file {shown}: encoder_url beside model, model_dir or precision; keep the one or the others"
        )));
    }
    let configured = ServerArgs {
        encoder_url: file.encoder_url.clone(),
        encoder_model: file.encoder_model.clone(),
        encoder_dim: file.encoder_dim,
        encoder_revision: file.encoder_revision.clone(),
        encoder_query_prefix: file.encoder_query_prefix.clone(),
        encoder_passage_prefix: file.encoder_passage_prefix.clone(),
    };
    match (args.is_given(), args.clone().or(configured).server()) {
        (true, server) => server.map_err(Failure::Usage),
        (false, server) => {
            // What else the file says of an encoder is for a URL that comes from elsewhere.
            let server = if file.encoder_url.is_some() { server } else { Ok(None) };
            server.map_err(|message| Failure::Input(format!("configuration file {shown}: {message}")))
        }
    }
}

fn read(path: PathBuf) -> Result<File, Failure> {
    let shown = path.display();
    let bytes = read_regular(&path, MOST_CONFIGURATION)
        .map_err(Failure::io(format!("configuration file {shown}: could not be read")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Input(format!("configuration file {shown}: found bytes that are not UTF-8")))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Failure::Input(format!("configuration file {shown}, line {line}: {}", error.message()))
    })?;
    Ok(File { path, ..file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_or_shown() {
        assert_eq!(model(Some("none".into()), Some("x".into())), Model::None);
        assert_eq!(model(None, Some("x".into())), Model::Directory("x".into()));
        assert!(matches!(model(None, None), Model::Named { name, dir: None } if name == DEFAULT_MODEL));
    }

    #[test]
    fn a_precision_is_named_or_left_to_the_vectors() {
        assert_eq!("auto".parse(), Ok(PrecisionChoice::Auto));
        assert_eq!("int8".parse(), Ok(PrecisionChoice::Exactly(Precision::Int8)));
        let message = "int4".parse::<PrecisionChoice>().unwrap_err().to_string();
        assert_eq!(message, "precision \"int4\": expected auto, f32, bf16 or int8");
    }

    #[test]
    fn a_mistyped_key_is_an_error() {
        assert!(toml::from_str::<File>("stoer = \"x\"").unwrap_err().to_string().contains("stoer"));
    }
}
