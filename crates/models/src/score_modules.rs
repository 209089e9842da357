//! A score that modules of sentence-transformers make of an encoder: a pooled vector, a dense layer with GELU, a
//! normalisation and a row of weights, each in a folder of its own, as the Ettin rerankers are published.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{
    ModelError,
    bert::wrong,
    directory::{Module, optional},
};

/// The folder of the dense layer.
pub(crate) const DENSE: &str = "2_Dense";
/// The folder of the normalisation.
pub(crate) const NORM: &str = "3_LayerNorm";
/// The folder of the row of weights.
pub(crate) const SCORE: &str = "4_Dense";

/// Modules, each with its folder.
const CHAIN: [(&str, &str); 5] =
    [("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", DENSE), ("LayerNorm", NORM), ("Dense", SCORE)];

/// Whether the maps add a bias.
pub(crate) struct Biases {
    pub(crate) dense: bool,
    pub(crate) score: bool,
}

#[derive(Deserialize)]
struct DenseConfig {
    in_features: usize,
    out_features: usize,
    #[serde(default = "yes")]
    bias: bool,
    #[serde(default)]
    activation_function: Option<String>,
}

#[derive(Deserialize)]
struct NormConfig {
    dimension: usize,
}

fn yes() -> bool {
    true
}

/// Whether modules are those of a score.
pub(crate) fn make_a_score(modules: &[Module]) -> bool {
    let is = |(module, (kind, path)): (&Module, &(&str, &str))| module.name() == *kind && module.path == *path;
    modules.len() == CHAIN.len() && modules.iter().zip(&CHAIN).all(is)
}

/// Whether the model in `dir` has a score of modules.
///
/// # Errors
/// When its list of modules cannot be read.
pub(crate) fn are_in(dir: &Path) -> Result<bool, ModelError> {
    let modules: Option<Vec<Module>> = optional(&dir.join("modules.json"))?;
    Ok(modules.is_some_and(|modules| make_a_score(&modules)))
}

/// The weights of the modules in `dir`.
pub(crate) fn weights(dir: &Path) -> [PathBuf; 3] {
    [DENSE, NORM, SCORE].map(|module| dir.join(module).join("model.safetensors"))
}

/// Checks the settings of the modules in `dir` over vectors of `hidden` components.
///
/// # Errors
/// When a setting asks for something else than is computed, or cannot be read.
pub(crate) fn biases(dir: &Path, hidden: usize) -> Result<Biases, ModelError> {
    let dense = map(&dir.join(DENSE), [hidden, hidden], "GELU")?;
    let path = dir.join(NORM).join("config.json");
    let found = required::<NormConfig>(&path)?.dimension;
    if found != hidden {
        return Err(wrong(&path, "dimension", found.to_string(), hidden.to_string()));
    }
    Ok(Biases { dense, score: map(&dir.join(SCORE), [hidden, 1], "Identity")? })
}

/// Checks a dense layer; returns whether it adds a bias.
fn map(dir: &Path, [inputs, outputs]: [usize; 2], activation: &str) -> Result<bool, ModelError> {
    let path = dir.join("config.json");
    let config: DenseConfig = required(&path)?;
    for (field, found, expected) in
        [("in_features", config.in_features, inputs), ("out_features", config.out_features, outputs)]
    {
        if found != expected {
            return Err(wrong(&path, field, found.to_string(), expected.to_string()));
        }
    }
    let found = config.activation_function.unwrap_or_default();
    match found.rsplit('.').next() == Some(activation) {
        true => Ok(config.bias),
        false => Err(wrong(&path, "activation_function", format!("{found:?}"), activation.to_owned())),
    }
}

fn required<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    optional(path)?.ok_or_else(|| ModelError::MissingFile {
        path: path.to_owned(),
        expected: "the settings of a module that modules.json names".to_owned(),
        next: "copy the whole model directory".to_owned(),
    })
}
