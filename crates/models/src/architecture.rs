//! The architectures there are, picked by the `model_type` of `config.json`.

use std::path::Path;

use serde::Deserialize;

use crate::{
    ModelError, ModelFiles,
    bert::{Bert, BertConfig, PairLogits, ScoreHead, Sequence, Tensors, Workspace, wrong},
    files::{MOST_CONFIG, read_regular},
    kernels::Arithmetic,
    modernbert::{ClassificationHead, ModernBert, ModernBertConfig},
    registry::Pooling,
};

/// The `model_type` of ModernBERT.
const MODERNBERT: &str = "modernbert";

/// What `config.json` says.
pub(crate) enum Shape {
    Bert(Box<BertConfig>),
    ModernBert(Box<ModernBertConfig>),
}

#[derive(Deserialize)]
struct ModelType {
    #[serde(default)]
    model_type: Option<String>,
}

impl Shape {
    /// Reads and checks `config.json`.
    ///
    /// # Errors
    /// When the file cannot be read, is no such configuration, or asks for other arithmetic.
    pub(crate) fn load(path: &Path) -> Result<Self, ModelError> {
        let bytes = read_regular(path, MOST_CONFIG).map_err(ModelError::io("read the configuration", path))?;
        let of: Option<ModelType> = serde_json::from_slice(&bytes).ok();
        match of.and_then(|of| of.model_type).as_deref() {
            Some(MODERNBERT) => Ok(Self::ModernBert(Box::new(ModernBertConfig::parse(&bytes, path)?))),
            _ => BertConfig::parse(&bytes, path).map(Box::new).map(Self::Bert),
        }
    }

    /// Token ids.
    pub(crate) fn vocabulary(&self) -> usize {
        match self {
            Self::Bert(config) => config.vocab_size,
            Self::ModernBert(config) => config.vocab_size,
        }
    }

    /// Components of a token vector.
    pub(crate) fn hidden_size(&self) -> usize {
        match self {
            Self::Bert(config) => config.hidden_size,
            Self::ModernBert(config) => config.hidden_size,
        }
    }

    /// Most tokens of a text, the special ones included.
    pub(crate) fn max_tokens(&self) -> usize {
        match self {
            Self::Bert(config) => config.max_tokens(),
            Self::ModernBert(config) => config.max_tokens(),
        }
    }
}

/// A model of any architecture.
pub(crate) enum Network {
    Bert(Box<Bert>),
    ModernBert(Box<ModernBert>),
}

impl Network {
    /// Reads the weights of a shape for texts of up to `max_tokens` tokens, with the updates of its adapters.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read; when an adapter does not fit.
    pub(crate) fn load(
        shape: Shape,
        files: &ModelFiles,
        max_tokens: usize,
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        let tensors = Tensors::open(&files.dir.join("model.safetensors"))?;
        let adapters = files.adapters.as_slice();
        match (shape, adapters) {
            (Shape::Bert(config), _) => {
                Bert::load(*config, &tensors, adapters, arithmetic).map(Box::new).map(Self::Bert)
            }
            (Shape::ModernBert(config), []) => {
                ModernBert::load(*config, &tensors, max_tokens, arithmetic).map(Box::new).map(Self::ModernBert)
            }
            (Shape::ModernBert(_), _) => {
                let expected = "a model of the BERT family, which adapters are of".to_owned();
                Err(wrong(&files.dir.join("config.json"), "model_type", format!("{MODERNBERT:?}"), expected))
            }
        }
    }

    /// Multiply-adds that the products with weights cost a token.
    pub(crate) fn multiply_adds_per_token(&self) -> usize {
        match self {
            Self::Bert(bert) => bert.multiply_adds_per_token(),
            Self::ModernBert(bert) => bert.multiply_adds_per_token(),
        }
    }

    /// Computes the token vectors that the pooling reads of several texts, `[tokens, hidden]`, one text after the other.
    ///
    /// Each text has at least one token and at most the `max_tokens` it was loaded for, with ids below the vocabulary's.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(crate) fn forward<'w>(
        &self,
        texts: &[&Sequence],
        pooling: Pooling,
        space: &'w mut Workspace,
    ) -> Result<&'w [f32], ModelError> {
        match self {
            Self::Bert(bert) => bert.forward(texts, pooling, space),
            Self::ModernBert(bert) => bert.forward(texts, pooling, space),
        }
    }
}

/// What makes one score of the token vectors of a pair.
pub(crate) enum PairHead {
    /// A dense layer with tanh over the first token.
    Bert(ScoreHead),
    /// A dense layer with GELU and a normalisation.
    ModernBert(Box<ClassificationHead>),
}

impl PairHead {
    /// Reads the head of a reranker.
    ///
    /// # Errors
    /// When it has several labels, or a tensor is missing, of another shape or type.
    pub(crate) fn load(files: &ModelFiles, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let path = files.dir.join("config.json");
        let tensors = Tensors::open(&files.dir.join("model.safetensors"))?;
        match Shape::load(&path)? {
            Shape::Bert(config) => {
                config.require_one_label(&path)?;
                ScoreHead::load(&tensors, &config.family, config.hidden_size).map(Self::Bert)
            }
            Shape::ModernBert(config) => {
                let pooling = files.recipe.pooling;
                let head = ClassificationHead::load(&files.dir, &config, &tensors, pooling, arithmetic)?;
                Ok(Self::ModernBert(Box::new(head)))
            }
        }
    }

    /// Which token vectors it reads.
    pub(crate) fn pooling(&self) -> Pooling {
        match self {
            Self::Bert(_) => Pooling::Cls,
            Self::ModernBert(head) => head.pooling(),
        }
    }

    /// What it makes of a sequence by the token vectors that it reads, `[tokens, hidden]`.
    pub(crate) fn logits(&self, tokens: &[f32], hidden: usize) -> PairLogits {
        match self {
            Self::Bert(head) => head.logits(&tokens[..hidden]),
            Self::ModernBert(head) => PairLogits { score: head.score(tokens), answers: None },
        }
    }
}
