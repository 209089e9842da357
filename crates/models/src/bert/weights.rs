//! The weights of a model, laid out for the kernels.

use std::sync::Arc;

use rayon::prelude::*;

use super::{BertConfig, embeddings::Embeddings, family::Family, relative_bias::RelativeBias, tensors::Tensors};
use crate::{
    ModelError,
    adapter::Adapter,
    kernels::{Arithmetic, Heads, LayerNorm, PANEL, Rows, Weights},
};

/// A BERT-family model.
pub(crate) struct Bert {
    pub(super) config: BertConfig,
    pub(super) embeddings: Embeddings,
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
    /// Reads every tensor that `config` calls for, in parallel where the current thread pool allows, and adds the
    /// adapters' updates to those that they change.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read; when an adapter has an update
    /// that fits no map.
    pub(crate) fn load(
        config: BertConfig,
        tensors: &Tensors,
        adapters: &[Arc<Adapter>],
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        let reader = Reader { tensors, config: &config, adapters, arithmetic };
        reader.require_maps()?;
        let embeddings = Embeddings::load(&config, tensors)?;
        let layers =
            (0..config.num_hidden_layers).into_par_iter().map(|i| reader.layer(i)).collect::<Result<_, _>>()?;
        let bias = reader.bias()?;
        let norm = reader.norm("embeddings.LayerNorm")?;
        Ok(Self { embeddings, bias, norm, layers, config, arithmetic })
    }
}

struct Reader<'a> {
    tensors: &'a Tensors,
    config: &'a BertConfig,
    adapters: &'a [Arc<Adapter>],
    arithmetic: Arithmetic,
}

impl Reader<'_> {
    /// Requires that every update belongs to a map of this model, of its shape.
    fn require_maps(&self) -> Result<(), ModelError> {
        for (map, update) in self.adapters.iter().flat_map(|adapter| adapter.maps()) {
            self.tensors.require(&format!("{map}.weight"), &[update.outputs, update.inputs])?;
        }
        Ok(())
    }

    /// Adds the adapters' updates to rows of a map's weights, of which the first is output `first`.
    fn adapt(&self, map: &str, first: usize, rows: &mut [f32]) {
        for update in self.adapters.iter().filter_map(|adapter| adapter.update(map)) {
            update.add_to(self.arithmetic.family(), first, rows);
        }
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
            self.adapt(name, first, band);
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
            let mut rows = self.tensors.read(&format!("{name}.weight"), &[hidden, hidden])?;
            self.adapt(name, 0, &mut rows);
            weights.set_columns(i * hidden, Rows::whole(&heads_together(&rows, heads, hidden), hidden));
            let bias = self.tensors.read(&format!("{name}.bias"), &[hidden])?;
            weights.set_bias(i * hidden, &heads_together(&bias, heads, 1));
        }
        Ok(weights)
    }

    fn attention_output(&self, name: &str) -> Result<Weights, ModelError> {
        let (hidden, heads) = (self.config.hidden_size, self.config.heads());
        let mut rows = self.tensors.read(&format!("{name}.weight"), &[hidden, hidden])?;
        self.adapt(name, 0, &mut rows);
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
pub(crate) fn heads_together(rows: &[f32], heads: Heads, width: usize) -> Vec<f32> {
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
