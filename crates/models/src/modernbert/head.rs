//! What makes one score of a pair: a dense layer, GELU, a normalisation and a row of weights.
//!
//! It stands in the model's own file (`ModernBertForSequenceClassification`), or in files of its own beside an encoder, one a
//! module of sentence-transformers.

use std::path::Path;

use super::config::ModernBertConfig;
use crate::{
    ModelError, Pooling,
    bert::Tensors,
    kernels::{Activations, Arithmetic, LayerNorm, gradients::gelu_with_slopes},
    score_modules::{self, DENSE, NORM, SCORE},
};

/// The normalisation of sentence-transformers has no setting of its own.
const MODULE_EPSILON: f32 = 1e-5;

/// A classifier of one label.
pub(crate) struct ClassificationHead {
    pooling: Pooling,
    /// `[hidden, hidden]`, a row an output.
    dense: Vec<f32>,
    /// `[hidden]`
    dense_bias: Vec<f32>,
    norm: LayerNorm,
    /// `[hidden]`
    row: Vec<f32>,
    row_bias: f32,
    arithmetic: Arithmetic,
}

impl ClassificationHead {
    /// Reads the head of the model in `dir`, whose weights are `tensors`; `pooling` is that of modules.
    ///
    /// # Errors
    /// When a tensor is missing, of another shape or type, or the classifier has other labels than one.
    pub(crate) fn load(
        dir: &Path,
        config: &ModernBertConfig,
        tensors: &Tensors,
        pooling: Pooling,
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        match score_modules::are_in(dir)? {
            true => Self::of_modules(dir, config.hidden_size, pooling, arithmetic),
            false => {
                config.require_one_label(&dir.join("config.json"))?;
                Self::of_model(config, tensors, arithmetic)
            }
        }
    }

    fn of_model(config: &ModernBertConfig, tensors: &Tensors, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let hidden = config.hidden_size;
        let optional = |is_there: bool, name: &str| match is_there {
            true => tensors.read_exactly(name, &[hidden]),
            false => Ok(vec![0.0; hidden]),
        };
        Ok(Self {
            pooling: config.classifier_pooling(),
            dense: tensors.read_exactly("head.dense.weight", &[hidden, hidden])?,
            dense_bias: optional(config.classifier_bias, "head.dense.bias")?,
            norm: LayerNorm {
                scale: tensors.read_exactly("head.norm.weight", &[hidden])?,
                shift: optional(config.norm_bias, "head.norm.bias")?,
                epsilon: config.norm_eps,
            },
            row: tensors.read_exactly("classifier.weight", &[1, hidden])?,
            row_bias: tensors.read_exactly("classifier.bias", &[1])?[0],
            arithmetic,
        })
    }

    fn of_modules(dir: &Path, hidden: usize, pooling: Pooling, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let biases = score_modules::biases(dir, hidden)?;
        let open = |module: &str| Tensors::open(&dir.join(module).join("model.safetensors"));
        let (dense, norm, score) = (open(DENSE)?, open(NORM)?, open(SCORE)?);
        Ok(Self {
            pooling,
            dense: dense.read_exactly("linear.weight", &[hidden, hidden])?,
            dense_bias: match biases.dense {
                true => dense.read_exactly("linear.bias", &[hidden])?,
                false => vec![0.0; hidden],
            },
            norm: LayerNorm {
                scale: norm.read_exactly("norm.weight", &[hidden])?,
                shift: norm.read_exactly("norm.bias", &[hidden])?,
                epsilon: MODULE_EPSILON,
            },
            row: score.read_exactly("linear.weight", &[1, hidden])?,
            row_bias: if biases.score { score.read_exactly("linear.bias", &[1])?[0] } else { 0.0 },
            arithmetic,
        })
    }

    /// Which token vectors it reads.
    pub(crate) fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// The score of a sequence by the token vectors that it reads, `[tokens, hidden]`: a logit, without a sigmoid.
    pub(crate) fn score(&self, tokens: &[f32]) -> f32 {
        let hidden = self.row.len();
        let mut pooled = tokens[..hidden].to_vec();
        if self.pooling == Pooling::Mean {
            for token in tokens.chunks_exact(hidden).skip(1) {
                pooled.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
            }
            let count = (tokens.len() / hidden) as f32;
            pooled.iter_mut().for_each(|sum| *sum /= count);
        }
        let dot = |row: &[f32], vector: &[f32]| row.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        let rows = self.dense.chunks_exact(hidden).zip(&self.dense_bias);
        let mut dense: Vec<f32> = rows.map(|(row, bias)| dot(row, &pooled) + bias).collect();
        let mut slopes = vec![0.0; hidden];
        gelu_with_slopes(self.arithmetic.family(), &mut dense, &mut slopes);
        self.arithmetic.normalise(&mut dense, &self.norm, &mut Activations::default());
        dot(&self.row, &dense) + self.row_bias
    }
}
