//! The weights of a model, laid out for the kernels.

use rayon::prelude::*;

use super::{BertConfig, family::Family, relative_bias::RelativeBias, tensors::Tensors, word_rows::WordRows};
use crate::{
    ModelError,
    kernels::{Arithmetic, Heads, LayerNorm, PANEL, Rows, Weights},
};

/// A BERT-family model.
pub(crate) struct Bert {
    pub(super) config: BertConfig,
    /// `[vocabulary, hidden]`
    pub(super) words: WordRows,
    /// `[positions, hidden]`, with the vector of segment 0 added.
    pub(super) positions: Vec<f32>,
    /// `[hidden]`: what the second segment adds to the first; empty where there is none.
    pub(super) second_segment: Vec<f32>,
    pub(super) bias: Option<RelativeBias>,
    pub(super) norm: LayerNorm,
    pub(super) layers: Vec<Layer>,
    pub(super) arithmetic: Arithmetic,
}

/// One transformer layer.
pub(super) struct Layer {
    /// Query, key and value side by side, `[hidden, 3 hidden]`; in each the heads of one component follow one another.
    pub(super) query_key_value: Weights,
    /// `[hidden, hidden]`, its depth in that order too.
    pub(super) attention_output: Weights,
    pub(super) attention_norm: LayerNorm,
    pub(super) widen: Weights,
    pub(super) narrow: Weights,
    pub(super) output_norm: LayerNorm,
}

impl Bert {
    /// Reads every tensor that `config` calls for, in parallel where the current thread pool allows.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read.
    pub(crate) fn load(config: BertConfig, tensors: &Tensors, arithmetic: Arithmetic) -> Result<Self, ModelError> {
        let reader = Reader { tensors, config: &config, arithmetic };
        let words =
            tensors.rows_on_disk("embeddings.word_embeddings.weight", [config.vocab_size, config.hidden_size])?;
        let layers =
            (0..config.num_hidden_layers).into_par_iter().map(|i| reader.layer(i)).collect::<Result<_, _>>()?;
        let (positions, second_segment) = reader.positions()?;
        let bias = reader.bias()?;
        let norm = reader.norm("embeddings.LayerNorm")?;
        Ok(Self { words, positions, second_segment, bias, norm, layers, config, arithmetic })
    }
}

struct Reader<'a> {
    tensors: &'a Tensors,
    config: &'a BertConfig,
    arithmetic: Arithmetic,
}

impl Reader<'_> {
    /// Positions, and what the second segment adds.
    ///
    /// The segment of nearly every token is the first, so its vector is added once and for all.
    fn positions(&self) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let hidden = self.config.hidden_size;
        let shape = [self.config.max_position_embeddings, hidden];
        let mut positions = self.tensors.read("embeddings.position_embeddings.weight", &shape)?;
        if !self.config.family.has_segments() {
            return Ok((positions, Vec::new()));
        }
        let segments =
            self.tensors.read("embeddings.token_type_embeddings.weight", &[self.config.type_vocab_size, hidden])?;
        for row in positions.chunks_exact_mut(hidden) {
            row.iter_mut().zip(&segments).for_each(|(value, segment)| *value += segment);
        }
        if !self.config.family.tells_segments_apart() {
            return Ok((positions, Vec::new()));
        }
        let second = segments[hidden..].iter().take(hidden).zip(&segments).map(|(second, first)| second - first);
        Ok((positions, second.collect()))
    }

    fn bias(&self) -> Result<Option<RelativeBias>, ModelError> {
        let (heads, longest) = (self.config.num_attention_heads, self.config.max_position_embeddings);
        let load = || RelativeBias::load(self.tensors, heads, longest);
        (self.config.family == Family::MpNet).then(load).transpose()
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
        let names = self.config.family.layer_names();
        let attention = [names.query, names.key, names.value].map(at);
        Ok(Layer {
            query_key_value: self.projections(&attention)?,
            attention_output: self.attention_output(&at(names.attention_output))?,
            attention_norm: self.norm(&at(names.attention_norm))?,
            widen: self.linear(&at("intermediate.dense"), hidden, inner)?,
            narrow: self.linear(&at("output.dense"), inner, hidden)?,
            output_norm: self.norm(&at("output.LayerNorm"))?,
        })
    }

    /// Reads a linear map.
    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Weights, ModelError> {
        self.tensors.require(&format!("{name}.weight"), &[outputs, inputs])?;
        let mut weights = self.arithmetic.weights(inputs, outputs);
        let mut first = 0;
        self.tensors.read_bands(&format!("{name}.weight"), [outputs, inputs], PANEL, |band| {
            weights.set_columns(first, Rows::whole(band, inputs));
            first += band.len() / inputs;
        })?;
        weights.set_bias(0, &self.tensors.read(&format!("{name}.bias"), &[outputs])?);
        Ok(weights)
    }

    /// Reads the linear maps to queries, keys and values and puts their outputs side by side.
    fn projections(&self, names: &[String; 3]) -> Result<Weights, ModelError> {
        let (hidden, heads) = (self.config.hidden_size, self.config.heads());
        names.iter().try_for_each(|name| self.tensors.require(&format!("{name}.weight"), &[hidden, hidden]))?;
        let mut weights = self.arithmetic.weights(hidden, 3 * hidden);
        for (i, name) in names.iter().enumerate() {
            let rows = self.tensors.read(&format!("{name}.weight"), &[hidden, hidden])?;
            weights.set_columns(i * hidden, Rows::whole(&heads_together(&rows, heads, hidden), hidden));
            let bias = self.tensors.read(&format!("{name}.bias"), &[hidden])?;
            weights.set_bias(i * hidden, &heads_together(&bias, heads, 1));
        }
        Ok(weights)
    }

    fn attention_output(&self, name: &str) -> Result<Weights, ModelError> {
        let (hidden, heads) = (self.config.hidden_size, self.config.heads());
        let mut rows = self.tensors.read(&format!("{name}.weight"), &[hidden, hidden])?;
        let mut weights = self.arithmetic.weights(hidden, hidden);
        for row in rows.chunks_exact_mut(hidden) {
            row.copy_from_slice(&heads_together(row, heads, 1));
        }
        weights.set_columns(0, Rows::whole(&rows, hidden));
        weights.set_bias(0, &self.tensors.read(&format!("{name}.bias"), &[hidden])?);
        Ok(weights)
    }
}

/// Brings rows of `width` from the order (head, component) to (component, head).
fn heads_together(rows: &[f32], heads: Heads, width: usize) -> Vec<f32> {
    let mut ordered = Vec::with_capacity(rows.len());
    for component in 0..heads.size {
        for head in 0..heads.count {
            ordered.extend_from_slice(&rows[(head * heads.size + component) * width..][..width]);
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heads_of_a_component_come_together() {
        let rows: Vec<f32> = (0..12).map(|i| i as f32).collect();
        // Two heads of three components, rows of two numbers.
        let ordered = heads_together(&rows, Heads { count: 2, size: 3 }, 2);
        assert_eq!(ordered, [0., 1., 6., 7., 2., 3., 8., 9., 4., 5., 10., 11.]);
    }
}
