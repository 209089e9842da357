//! Precedence: options, environment, configuration file, defaults.

use std::{
    env,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use aforesaid::{
    Pipeline,
    models::{Adapter, Instructions, ReadWith, Threads, files::read_regular},
    pipeline::candidate::{CandidateStage, MOST_BYTES},
    resolve::{ConfiguredKey, EncoderServer, ModelChoice, ModelSettings, Network, Selection},
    time::Clock,
    types::{Namespace, Zone},
};
use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use crate::{
    agent_settings::AgentSettings,
    failure::Failure,
    files::MOST_CONFIGURATION,
    global::Global,
    local_time, old_names,
    page::Paging,
    precision::PrecisionChoice,
    remedies,
    rerank::Choice,
    server::{self, ServerArgs},
};

/// What the commands go by.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) store: String,
    pub(crate) namespace: Namespace,
    /// The namespace, where one was named.
    pub(crate) named_namespace: Option<Namespace>,
    /// How models are chosen, found and run.
    pub(crate) models: ModelSettings,
    datasets: Option<PathBuf>,
    pub(crate) pipeline: Pipeline,
    /// The ranker of a file, where one is named; the pipeline has it.
    pub(crate) ranker: Option<CandidateStage>,
    /// The language model's server and its name there, where the configuration file says.
    pub(crate) llm_url: Option<String>,
    pub(crate) llm_model: Option<String>,
    /// What a first hit must be likely at least, in [0, 1], where the configuration file says.
    pub(crate) min_confidence: Option<f64>,
    /// What reranks, and how many turns, where the configuration file says.
    pub(crate) rerank: Option<Choice>,
    pub(crate) rerank_depth: Option<NonZeroUsize>,
    /// When and where it is asked.
    pub(crate) clock: Clock,
    pub(crate) output: Output,
    /// Whether what is long goes through a pager.
    pub(crate) paging: Paging,
    /// What is said of agents' logs and hooks.
    pub(crate) agents: AgentSettings,
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
    pipeline: Option<String>,
    ranker: Option<PathBuf>,
    query_adapter: Option<PathBuf>,
    /// The old name of `pipeline`.
    preset: Option<String>,
    min_confidence: Option<f64>,
    rerank: Option<String>,
    rerank_depth: Option<NonZeroUsize>,
    time_zone: Option<String>,
    #[serde(default)]
    agents: AgentSettings,
}

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
        let chosen = match &global.pipeline {
            Some(pipeline) => Some(pipeline.clone()),
            None => old_names::pipeline_of_environment()?,
        };
        if file.preset.is_some() {
            old_names::warn_of_key();
        }
        let pipeline = match (chosen, file.pipeline.as_ref().or(file.preset.as_ref())) {
            (Some(pipeline), _) => pipeline,
            (None, Some(name)) => {
                let failed = |error| Failure::Input(format!("configuration file {}: {error}", file.path.display()));
                old_names::warn_of_words(name);
                name.parse().map_err(|error: aforesaid::pipeline::InvalidPipeline| failed(error))?
            }
            (None, None) => Pipeline::default(),
        };
        let query_adapter = global.query_adapter.as_ref().or(file.query_adapter.as_ref());
        let query_adapter = query_adapter.map(|path| query_adapter_of(path)).transpose()?;
        let pipeline = match &query_adapter {
            Some(adapter) if pipeline.compares_vectors() => pipeline.with_query_adapter(&adapter.query_name()),
            _ => pipeline,
        };
        let ranker = global.ranker.as_ref().or(file.ranker.as_ref()).map(|path| ranker_of(path));
        let pipeline = match &ranker {
            Some(stage) => pipeline.without_stage().with_stage(stage.clone()),
            None => pipeline,
        };
        let configured = match &file.precision {
            Some(word) => Some(
                word.parse::<PrecisionChoice>()
                    .map_err(|error| Failure::Input(format!("configuration file {}: {error}", file.path.display())))?,
            ),
            None => None,
        };
        if let Some(found) = file.agents.context_confidence.filter(|found| !(0.0..=1.0).contains(found)) {
            let shown = file.path.display();
            return Err(Failure::Input(format!(
                "configuration file {shown}: agents.context_confidence {found}: expected a number from 0 to 1"
            )));
        }
        if let Some(found) = file.min_confidence.filter(|found| !(0.0..=1.0).contains(found)) {
            let shown = file.path.display();
            return Err(Failure::Input(format!(
                "configuration file {shown}: min_confidence {found}: expected a number from 0 to 1"
            )));
        }
        let configured_zone = file.time_zone.as_ref().map(|zone| {
            let failed = |error| Failure::Input(format!("configuration file {}: {error}", file.path.display()));
            zone.parse::<Zone>().map_err(failed)
        });
        let zone = global.time_zone.clone().map(Ok).or(configured_zone).transpose()?;
        let zone = zone.unwrap_or_else(local_time::of_machine);
        local_time::print_in(&zone);
        let mut clock = Clock { now: local_time::now()?, zone };
        if let Some(now) = &global.now {
            clock.now = local_time::beginning("--now", now, &clock)?;
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
        let server = encoder_server(&global.server, &file)?;
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
        let is_server_given = global.server.is_given();
        let model = match server {
            Some(server) if is_server_given || !names_model && pipeline.encoder().is_none() => {
                ModelChoice::Server(server)
            }
            _ => ModelChoice::new(
                global.model.clone().or(pipeline.encoder().map(str::to_owned)).or(file.model),
                global.model_dir.clone().or(file.model_dir),
            ),
        };
        let network = match global.offline || file.offline.unwrap_or(false) {
            true => Network::Forbidden,
            false => Network::Allowed,
        };
        let explicit = names_model || is_server_given;
        let models = ModelSettings {
            model,
            query_adapter,
            selection: if explicit { Selection::Explicit } else { Selection::Default },
            precision: global.precision.and_then(PrecisionChoice::exactly),
            default_precision: global.precision.or(configured).and_then(PrecisionChoice::exactly),
            instructions: global.instructions.unwrap_or_else(Instructions::best),
            threads: threads(global.threads.or(file.threads)),
            cache: model_cache,
            hf_home: env::var_os("HF_HOME")
                .map(PathBuf::from)
                .or_else(|| places.as_ref().map(|places| places.home_dir().join(".cache").join("huggingface"))),
            network,
            server_key: key(server::KEY),
        };
        Ok(Self {
            store,
            namespace: named_namespace.clone().map_or_else(default_namespace, Ok)?,
            named_namespace,
            models,
            datasets: places.as_ref().map(|places| places.data_dir().join("aforesaid").join("datasets")),
            pipeline,
            ranker,
            llm_url: file.llm_url,
            llm_model: file.llm_model,
            min_confidence: file.min_confidence,
            rerank: file.rerank.as_deref().map(Choice::of),
            rerank_depth: file.rerank_depth,
            clock,
            paging: if global.no_pager { Paging::Never } else { Paging::Auto },
            agents: file.agents,
            output: global.output(),
        })
    }

    /// The same with the model that a pipeline names, unless one was chosen on the command line.
    pub(crate) fn with_model(&self, named: Option<&str>) -> Self {
        Self { models: self.models.with_model(named), ..self.clone() }
    }

    /// The same with this model in the place of the one that was chosen; where that has a directory of files, they are its too.
    pub(crate) fn with_chosen_model(&self, name: &str) -> Self {
        let dir = match &self.models.model {
            ModelChoice::Named { dir, .. } | ModelChoice::Adapted { dir, .. } => dir.clone(),
            ModelChoice::Directory(dir) => Some(dir.clone()),
            ModelChoice::Off | ModelChoice::Server(_) => None,
        };
        let model = ModelChoice::new(Some(name.to_owned()), dir);
        Self { models: ModelSettings { model, selection: Selection::Explicit, ..self.models.clone() }, ..self.clone() }
    }

    /// The folder of what this program keeps.
    pub(crate) fn data_folder(&self) -> Result<PathBuf, Failure> {
        let unknown = || Failure::Usage("no home directory: set XDG_DATA_HOME".to_owned());
        self.datasets.as_deref().and_then(Path::parent).map(Path::to_owned).ok_or_else(unknown)
    }

    /// Where fetched data sets are kept.
    pub(crate) fn datasets(&self) -> Result<PathBuf, Failure> {
        let unknown = || Failure::Usage("no home directory: name the data with --data or --into".to_owned());
        self.datasets.clone().ok_or_else(unknown)
    }
}

/// The candidate ranker of a file; where it cannot be read, searches go on without it and say why.
fn ranker_of(path: &Path) -> CandidateStage {
    let shown = path.display();
    match read_regular(path, MOST_BYTES as u64) {
        Ok(bytes) => CandidateStage::read(&shown.to_string(), &bytes),
        Err(error) => CandidateStage::Unusable {
            name: shown.to_string(),
            reason: format!("file {shown} could not be read: {error}; name a file of `train candidate` with --ranker"),
        },
    }
}

/// The query adapter of a file.
fn query_adapter_of(path: &Path) -> Result<Arc<Adapter>, Failure> {
    let adapter = Adapter::read(path).map_err(aforesaid::Error::from)?;
    match adapter.read_with() {
        ReadWith::Queries => Ok(Arc::new(adapter)),
        ReadWith::Both => Err(Failure::Input(format!(
            "query adapter {}: found an adapter that reads queries and passages, expected one of `train encoder --queries`; \
             an adapter for both is named with --model",
            path.display()
        ))),
    }
}

/// Threads to compute on: more threads than cores only slow each other down, and thousands never start.
fn threads(asked: Option<NonZeroUsize>) -> Threads {
    let available = Threads::available();
    asked.map(Threads::new).filter(|asked| asked.get() < available.get()).unwrap_or(available)
}

/// The key in an environment variable; one that is not Unicode is refused when it is used, as one that is not ASCII is.
pub(crate) fn key(variable: &str) -> ConfiguredKey {
    env::var_os(variable).map_or_else(ConfiguredKey::default, |key| ConfiguredKey::new(key.to_string_lossy()))
}

/// The model on a server that options, environment and configuration file describe, each where the one before does not.
fn encoder_server(args: &ServerArgs, file: &File) -> Result<Option<EncoderServer>, Failure> {
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
    let server = args.clone().or(configured).settings().server();
    match args.is_given() {
        true => Ok(server?),
        // What else the file says of an encoder is for a URL that comes from elsewhere.
        false if file.encoder_url.is_none() => Ok(None),
        false => server
            .map_err(|error| Failure::Input(format!("configuration file {shown}: {error}{}", remedies::of(&error)))),
    }
}

fn read(path: PathBuf) -> Result<File, Failure> {
    let shown = path.display();
    let bytes = read_regular(&path, MOST_CONFIGURATION)
        .map_err(Failure::io(format!("configuration file {shown}: could not be read")))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Input(format!("configuration file {shown}: found bytes that are not UTF-8")))?;
    let file = parse(&text)
        .map_err(|(line, message)| Failure::Input(format!("configuration file {shown}, line {line}: {message}")))?;
    let file = File { path, ..file };
    Ok(match choose_base_strategy() {
        Ok(places) => file.with_home(places.home_dir()),
        Err(_) => file,
    })
}

impl File {
    /// The same where `~/` in a path is the home directory: no shell has read it.
    fn with_home(mut self, home: &Path) -> Self {
        for text in [&mut self.store, &mut self.model, &mut self.rerank].into_iter().flatten() {
            if let Some(path) = text.strip_prefix("~/") {
                *text = home.join(path).to_string_lossy().into_owned();
            }
        }
        let agents = &mut self.agents.secret_rules;
        let paths = [&mut self.model_dir, &mut self.model_cache, &mut self.ranker, &mut self.query_adapter, agents];
        for path in paths.into_iter().flatten() {
            if let Ok(below) = path.strip_prefix("~") {
                *path = home.join(below);
            }
        }
        self
    }
}

/// What a configuration file says; or the line that cannot be read, and why.
fn parse(text: &str) -> Result<File, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|byte| *byte == b'\n').count();
        (line, error.message().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use aforesaid_fuzz_targets::{Target, iterations, run};

    use super::*;

    /// A target of `crates/fuzz-targets` that only this crate can call.
    #[test]
    fn any_configuration_is_read_or_refused() {
        fn check(bytes: &[u8]) {
            let text = String::from_utf8_lossy(bytes);
            if let Err((line, message)) = parse(&text) {
                assert!(line <= text.lines().count().max(1) + 1 && !message.is_empty(), "{line}: {message}");
            }
        }
        fn corpus(_: &str) -> Vec<Vec<u8>> {
            let whole = "store = \"a.db\"\nnamespace = 'n'\nprecision = \"int8\"\nthreads = 2\nmin_confidence = 0.5\n\
                         encoder_url = \"\"\"http://h/v1\"\"\" # where\nencoder_dim = 0x180\n";
            vec![whole.into(), b"preset = \"bm25(k1=1)\"\n[a.\"b\"]\nc = [1, {d = 1979-05-27}]\n".to_vec()]
        }
        let words =
            &["=", "\"", "'''", "\n", "[", "]", "{", "}", ".", "#", "store", "nan", "1e999", "0b", "\\u", "é", "\0"];
        let target = Target { name: "configuration", check, corpus, words, usual: 2_000 };
        let outcome = run(&target, iterations(&target));
        assert_eq!(outcome.failure.map(|(input, what)| (what, input.escape_ascii().to_string())), None);
    }

    #[test]
    fn a_tilde_is_the_home_directory() {
        let text =
            "store = '~/m.db'\nmodel_dir = '~/models'\nranker = '/~/r'\n[agents]\nsecret_rules = '~/rules.toml'\n";
        let file = parse(text).unwrap().with_home(Path::new("/home/ann"));
        assert_eq!(file.store.as_deref(), Some("/home/ann/m.db"));
        assert_eq!(file.model_dir.as_deref(), Some(Path::new("/home/ann/models")));
        assert_eq!(file.ranker.as_deref(), Some(Path::new("/~/r")));
        assert_eq!(file.agents.secret_rules.as_deref(), Some(Path::new("/home/ann/rules.toml")));
    }

    #[test]
    fn a_mistyped_key_is_an_error() {
        assert!(toml::from_str::<File>("stoer = \"x\"").unwrap_err().to_string().contains("stoer"));
    }
}
