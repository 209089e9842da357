//! Any model of a known architecture, by its directory.

use std::{fs, path::Path};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    ModelError, ModelFiles, ModelKind, Normalisation, Origin, Pooling, Recipe,
    checksum::sha256_while,
    files::{MOST_CONFIG, read_regular},
    score_modules,
    stamps::Stamps,
};

/// The files a model directory must have.
const FILES: [&str; 3] = ["model.safetensors", "tokenizer.json", "config.json"];

/// Takes the model in `dir` as it is, without comparing checksums.
///
/// Pooling, length and prefixes come from the files that sentence-transformers
/// writes; without them they are the mean, what the positions allow, and none.
/// Vectors are always scaled to length 1. It is a reranker if `config.json` names an architecture for
/// sequence classification or `modules.json` the modules of a score, and an encoder otherwise. The id is the directory's
/// name with the start of the weights' sha256, which is remembered under `cache`; of weights in several files, that of
/// their checksums.
///
/// # Errors
/// When a file is missing, cannot be read, or asks for a kind of pooling or a layer that is not supported.
pub fn from_directory(dir: &Path, cache: &Path) -> Result<ModelFiles, ModelError> {
    if let Some(lacking) = FILES.iter().map(|name| dir.join(name)).find(|path| !path.is_file()) {
        return Err(ModelError::MissingFile {
            path: lacking,
            expected: format!("a model directory with {}", FILES.join(", ")),
            next: "give another directory".to_owned(),
        });
    }
    let dir = fs::canonicalize(dir).map_err(ModelError::io("resolve the model directory", dir))?;
    let head = modules(&dir)?;
    let prompts = optional::<Prompts>(&dir.join("config_sentence_transformers.json"))?.unwrap_or_default().prompts;
    let recipe = Recipe {
        max_tokens: length(&dir, head)?.unwrap_or(usize::MAX),
        pooling: pooling(&dir)?,
        normalisation: Normalisation::L2,
        query_prefix: prompts.query.unwrap_or_default().into(),
        passage_prefix: prompts.passage.or(prompts.document).unwrap_or_default().into(),
        glosses: None,
    };
    let sha256 = sha256_of_weights(&dir, head, cache)?;
    let name = dir.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy());
    let pinned = format!("{name}@{}", &sha256[..12]);
    let kind = if head == Head::Modules { ModelKind::Reranker } else { kind(&dir)? };
    Ok(ModelFiles {
        kind,
        dir,
        origin: Origin::Explicit,
        pinned,
        recipe,
        adapters: Vec::new(),
        query_adapters: Vec::new(),
    })
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Architectures {
    architectures: Option<Vec<String>>,
}

fn kind(dir: &Path) -> Result<ModelKind, ModelError> {
    let named = optional::<Architectures>(&dir.join("config.json"))?.unwrap_or_default().architectures;
    let classifies = |name: &String| name.ends_with("ForSequenceClassification");
    Ok(if named.unwrap_or_default().iter().any(classifies) { ModelKind::Reranker } else { ModelKind::Encoder })
}

#[derive(Deserialize, Default)]
struct Prompts {
    #[serde(default)]
    prompts: Prefixes,
}

#[derive(Deserialize, Default)]
struct Prefixes {
    query: Option<String>,
    passage: Option<String>,
    document: Option<String>,
}

#[derive(Deserialize)]
struct Length {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct TokenizerSettings {
    /// A number beyond all integers where there is no limit.
    model_max_length: Option<f64>,
}

/// The tokens that are kept of a text, where a file says so.
fn length(dir: &Path, head: Head) -> Result<Option<usize>, ModelError> {
    let length = optional::<Length>(&dir.join("sentence_bert_config.json"))?.and_then(|length| length.max_seq_length);
    if length.is_some() || head == Head::None {
        return Ok(length);
    }
    // Where modules make a score, sentence-transformers keeps the length with the tokenizer.
    let settings = optional::<TokenizerSettings>(&dir.join("tokenizer_config.json"))?;
    let length = settings.and_then(|settings| settings.model_max_length).filter(|length| *length >= 1.0);
    Ok(length.map(|length| length as usize))
}

/// One of the modules that sentence-transformers runs one after another.
#[derive(Deserialize)]
pub(crate) struct Module {
    #[serde(rename = "type")]
    kind: String,
    /// Its folder.
    #[serde(default)]
    pub(crate) path: String,
}

impl Module {
    /// The name of its class.
    pub(crate) fn name(&self) -> &str {
        self.kind.rsplit('.').next().unwrap_or(&self.kind)
    }
}

/// Where what comes after the encoder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    /// Nowhere, or in the model's own file.
    None,
    /// In files of its own: see [`score_modules`].
    Modules,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PoolingModes {
    pooling_mode: Option<String>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

impl PoolingModes {
    /// The modes that are switched on, whichever way the file's version writes them.
    fn chosen(self) -> Vec<String> {
        if let Some(mode) = self.pooling_mode {
            return vec![mode];
        }
        let switches = [
            (self.pooling_mode_cls_token, "cls"),
            (self.pooling_mode_mean_tokens, "mean"),
            (self.pooling_mode_max_tokens, "max"),
            (self.pooling_mode_mean_sqrt_len_tokens, "mean_sqrt_len_tokens"),
            (self.pooling_mode_weightedmean_tokens, "weightedmean"),
            (self.pooling_mode_lasttoken, "lasttoken"),
        ];
        switches.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_owned()).collect()
    }
}

fn pooling(dir: &Path) -> Result<Pooling, ModelError> {
    let path = dir.join("1_Pooling").join("config.json");
    let Some(modes) = optional::<PoolingModes>(&path)? else { return Ok(Pooling::Mean) };
    let chosen = modes.chosen();
    match chosen.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mean"] => Ok(Pooling::Mean),
        ["cls"] => Ok(Pooling::Cls),
        _ => Err(ModelError::Config {
            path,
            field: "pooling_mode",
            found: format!("[{}]", chosen.join(", ")),
            expected: "mean or cls".to_owned(),
        }),
    }
}

/// What the modules come to.
///
/// # Errors
/// When there are others than an encoder's or a score's.
fn modules(dir: &Path) -> Result<Head, ModelError> {
    let path = dir.join("modules.json");
    let modules = optional::<Vec<Module>>(&path)?.unwrap_or_default();
    if score_modules::make_a_score(&modules) {
        return Ok(Head::Modules);
    }
    let known = |module: &Module| ["Transformer", "Pooling", "Normalize"].contains(&module.name());
    match modules.into_iter().find(|module| !known(module)) {
        None => Ok(Head::None),
        Some(module) => Err(ModelError::Config {
            path,
            field: "type",
            found: module.kind,
            expected:
                "Transformer, Pooling and Normalize only, or those of a score in their order: Transformer, Pooling, \
                       Dense, LayerNorm and Dense"
                    .to_owned(),
        }),
    }
}

fn sha256_of_weights(dir: &Path, head: Head, cache: &Path) -> Result<String, ModelError> {
    let stamps = Stamps::under(cache);
    let hash = |path: &Path| stamps.sha256_of(path).map_err(ModelError::io("hash the weights", path));
    let own = hash(&dir.join(FILES[0]))?;
    if head == Head::None {
        return Ok(own);
    }
    let mut all = own;
    for path in score_modules::weights(dir) {
        all.push_str(&hash(&path)?);
    }
    sha256_while(all.as_bytes(), |_| Ok(())).map_err(ModelError::io("hash the weights", dir))
}

/// Reads a JSON file that may be absent.
pub(crate) fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelError> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_regular(path, MOST_CONFIG).map_err(ModelError::io("read the configuration", path))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| ModelError::Config {
        path: path.to_owned(),
        field: "the file",
        found: error.to_string(),
        expected: "the JSON of a model's configuration".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in FILES.map(|name| (name, "{}")).iter().chain(files) {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn load(files: &[(&str, &str)]) -> Result<ModelFiles, ModelError> {
        let dir = directory(files);
        from_directory(dir.path(), &dir.path().join("cache"))
    }

    #[test]
    fn reads_what_sentence_transformers_wrote() {
        let files = load(&[
            ("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 128}"#),
            ("config_sentence_transformers.json", r#"{"prompts": {"query": "query: ", "document": "passage: "}}"#),
            ("modules.json", r#"[{"type": "sentence_transformers.models.Transformer"}]"#),
        ])
        .unwrap();
        assert_eq!((files.recipe.pooling, files.recipe.max_tokens), (Pooling::Cls, 128));
        assert_eq!((&*files.recipe.query_prefix, &*files.recipe.passage_prefix), ("query: ", "passage: "));
        // sha256 of "{}"
        assert!(files.pinned.ends_with("@44136fa355b3"), "{}", files.pinned);
    }

    #[test]
    fn a_plain_directory_pools_by_the_mean() {
        assert_eq!(load(&[]).unwrap().recipe.pooling, Pooling::Mean);
        assert_eq!(load(&[]).unwrap().kind, ModelKind::Encoder);
    }

    #[test]
    fn a_classifier_is_a_reranker_and_no_encoder() {
        let config = r#"{"architectures": ["BertForSequenceClassification"]}"#;
        let files = load(&[("config.json", config)]).unwrap();
        assert_eq!(files.kind, ModelKind::Reranker);
        let message = files.encoder_id(crate::Precision::F32).unwrap_err().to_string();
        assert!(message.contains("is of the kind reranker, expected encoder"), "{message}");
    }

    #[test]
    fn refuses_what_it_cannot_compute() {
        let dense = load(&[("modules.json", r#"[{"type": "sentence_transformers.models.Dense"}]"#)]);
        let message = dense.unwrap_err().to_string();
        assert!(message.contains("type is sentence_transformers.models.Dense"), "{message}");
        let message = load(&[("1_Pooling/config.json", r#"{"pooling_mode": "max"}"#)]).unwrap_err().to_string();
        assert!(message.contains("pooling_mode is [max], expected mean or cls"), "{message}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let dir = directory(&[]);
        fs::remove_file(dir.path().join("tokenizer.json")).unwrap();
        let message = from_directory(dir.path(), dir.path()).unwrap_err().to_string();
        assert!(
            message.contains("tokenizer.json: found no such file") && message.contains("give another directory"),
            "{message}"
        );
    }
}
