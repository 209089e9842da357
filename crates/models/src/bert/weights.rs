//! The weights of a model, laid out for the kernels.

use rayon::prelude::*;

use super::{BertConfig, tensors::Tensors, word_rows::WordRows};
use crate::{
    ModelError,
    kernels::{LayerNorm, Panels, Rows},
};

/// Rows of a matrix converted at a time: one panel.
const BAND: usize = 32;

/// A BERT-family model in f32.
pub(crate) struct Bert {
    pub(super) config: BertConfig,
    /// `[vocabulary, hidden]`
    pub(super) words: WordRows,
    /// `[positions, hidden]`, with the vector of segment 0 added.
    pub(super) positions: Vec<f32>,
    pub(super) norm: LayerNorm,
    pub(super) layers: Vec<Layer>,
}

/// One transformer layer.
pub(super) struct Layer {
    /// Query, key and value side by side, `[hidden, 3 hidden]`.
    pub(super) query_key_value: Panels,
    pub(super) attention_output: Panels,
    pub(super) attention_norm: LayerNorm,
    pub(super) widen: Panels,
    pub(super) narrow: Panels,
    pub(super) output_norm: LayerNorm,
}

impl Bert {
    /// Reads every tensor that `config` calls for, in parallel where the current thread pool allows.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read.
    pub(crate) fn load(config: BertConfig, tensors: &Tensors) -> Result<Self, ModelError> {
        let reader = Reader { tensors, config: &config };
        let words =
            tensors.rows_on_disk("embeddings.word_embeddings.weight", [config.vocab_size, config.hidden_size])?;
        let layers =
            (0..config.num_hidden_layers).into_par_iter().map(|i| reader.layer(i)).collect::<Result<_, _>>()?;
        let positions = reader.positions()?;
        let norm = reader.norm("embeddings.LayerNorm")?;
        Ok(Self { words, positions, norm, layers, config })
    }
}

struct Reader<'a> {
    tensors: &'a Tensors,
    config: &'a BertConfig,
}

impl Reader<'_> {
    /// The segment of every text is 0, so its vector can be added once and for all.
    fn positions(&self) -> Result<Vec<f32>, ModelError> {
        let hidden = self.config.hidden_size;
        let shape = [self.config.max_position_embeddings, hidden];
        let mut positions = self.tensors.read("embeddings.position_embeddings.weight", &shape)?;
        let segments =
            self.tensors.read("embeddings.token_type_embeddings.weight", &[self.config.type_vocab_size, hidden])?;
        for row in positions.chunks_exact_mut(hidden) {
            row.iter_mut().zip(&segments).for_each(|(value, segment)| *value += segment);
        }
        Ok(positions)
    }

    fn norm(&self, name: &str) -> Result<LayerNorm, ModelError> {
        let shape = [self.config.hidden_size];
        Ok(LayerNorm {
            scale: self.tensors.read(&format!("{name}.weight"), &shape)?,
            shift: self.tensors.read(&format!("{name}.bias"), &shape)?,
            epsilon: self.config.layer_norm_eps,
        })
    }

    fn layer(&self, i: usize) -> Result<Layer, ModelError> {
        let at = |part: &str| format!("encoder.layer.{i}.{part}");
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        let attention = ["attention.self.query", "attention.self.key", "attention.self.value"].map(at);
        Ok(Layer {
            query_key_value: self.linear(&attention, hidden, hidden)?,
            attention_output: self.linear(&[at("attention.output.dense")], hidden, hidden)?,
            attention_norm: self.norm(&at("attention.output.LayerNorm"))?,
            widen: self.linear(&[at("intermediate.dense")], hidden, inner)?,
            narrow: self.linear(&[at("output.dense")], inner, hidden)?,
            output_norm: self.norm(&at("output.LayerNorm"))?,
        })
    }

    /// Reads linear maps of one input and puts their outputs side by side.
    fn linear(&self, names: &[String], inputs: usize, outputs: usize) -> Result<Panels, ModelError> {
        let mut panels = Panels::zeros(inputs, outputs * names.len());
        for (i, name) in names.iter().enumerate() {
            let mut first = i * outputs;
            self.tensors.read_bands(&format!("{name}.weight"), [outputs, inputs], BAND, |band| {
                panels.set_columns(first, Rows::whole(band, inputs));
                first += band.len() / inputs;
            })?;
            panels.set_bias(i * outputs, &self.tensors.read(&format!("{name}.bias"), &[outputs])?);
        }
        Ok(panels)
    }
}
