//! The weights of a ModernBERT, laid out for the kernels.

use rayon::prelude::*;

use super::{
    config::{ModernBertConfig, Reach},
    positions::{Rotation, Window},
};
use crate::{
    ModelError,
    bert::{Tensors, WordRows, heads_together},
    kernels::{Arithmetic, LayerNorm, PANEL, Rows, Weights},
};

/// A ModernBERT.
pub(crate) struct ModernBert {
    pub(super) config: ModernBertConfig,
    /// `[vocabulary, hidden]`
    pub(super) words: WordRows,
    pub(super) norm: LayerNorm,
    pub(super) layers: Vec<Layer>,
    pub(super) final_norm: LayerNorm,
    pub(super) of_text: Rotation,
    pub(super) of_window: Rotation,
    /// `None` where the window holds every text.
    pub(super) window: Option<Window>,
    pub(super) arithmetic: Arithmetic,
}

/// One transformer layer.
pub(super) struct Layer {
    pub(super) reach: Reach,
    /// `None` in the first layer, whose input is normalised.
    pub(super) attention_norm: Option<LayerNorm>,
    /// Query, key and value side by side, `[hidden, 3 hidden]`; in each the heads of one component follow one another.
    pub(super) query_key_value: Weights,
    /// `[hidden, hidden]`, its depth in that order too.
    pub(super) attention_output: Weights,
    pub(super) feed_forward_norm: LayerNorm,
    /// `[hidden, intermediate]`: what GELU is taken of.
    pub(super) widen: Weights,
    /// `[hidden, intermediate]`: what that is multiplied with.
    pub(super) gate: Weights,
    pub(super) narrow: Weights,
}

impl ModernBert {
    /// Reads every tensor that `config` calls for, in parallel where the current thread pool allows, for texts of up to
    /// `max_tokens` tokens.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read.
    pub(crate) fn load(
        config: ModernBertConfig,
        tensors: &Tensors,
        max_tokens: usize,
        arithmetic: Arithmetic,
    ) -> Result<Self, ModelError> {
        let reader = Reader { tensors, config: &config, arithmetic };
        let words =
            tensors.rows_on_disk("embeddings.tok_embeddings.weight", [config.vocab_size, config.hidden_size])?;
        let layers =
            (0..config.num_hidden_layers).into_par_iter().map(|i| reader.layer(i)).collect::<Result<_, _>>()?;
        let (norm, final_norm) = (reader.norm("embeddings.norm")?, reader.norm("final_norm")?);
        let heads = config.heads();
        let [of_text, of_window] =
            [Reach::Text, Reach::Window].map(|reach| Rotation::new(max_tokens, heads.size, config.theta(reach)));
        let window = Window::new(config.half_window(), heads.count, max_tokens);
        Ok(Self { words, norm, layers, final_norm, of_text, of_window, window, config, arithmetic })
    }
}

struct Reader<'a> {
    tensors: &'a Tensors,
    config: &'a ModernBertConfig,
    arithmetic: Arithmetic,
}

impl Reader<'_> {
    fn norm(&self, name: &str) -> Result<LayerNorm, ModelError> {
        let hidden = self.config.hidden_size;
        let shift = match self.config.norm_bias {
            true => self.tensors.read(&format!("{name}.bias"), &[hidden])?,
            false => vec![0.0; hidden],
        };
        let scale = self.tensors.read(&format!("{name}.weight"), &[hidden])?;
        Ok(LayerNorm { scale, shift, epsilon: self.config.norm_eps })
    }

    fn layer(&self, i: usize) -> Result<Layer, ModelError> {
        let at = |part: &str| format!("layers.{i}.{part}");
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        let [widen, gate] = self.wide(&at("mlp.Wi"))?;
        Ok(Layer {
            reach: self.config.reach(i),
            attention_norm: if i == 0 { None } else { Some(self.norm(&at("attn_norm"))?) },
            query_key_value: self.projections(&at("attn.Wqkv"))?,
            attention_output: self.attention_output(&at("attn.Wo"))?,
            feed_forward_norm: self.norm(&at("mlp_norm"))?,
            widen,
            gate,
            narrow: self.linear(&at("mlp.Wo"), inner, hidden)?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Weights, ModelError> {
        let name_of_weight = format!("{name}.weight");
        self.tensors.require(&name_of_weight, &[outputs, inputs])?;
        let mut weights = self.arithmetic.weights(inputs, outputs);
        let mut first = 0;
        self.tensors.read_bands(&name_of_weight, [outputs, inputs], PANEL, |band| {
            weights.set_columns(first, Rows::whole(band, inputs));
            first += band.len() / inputs;
        })?;
        if self.config.mlp_bias {
            weights.set_bias(0, &self.tensors.read(&format!("{name}.bias"), &[outputs])?);
        }
        Ok(weights)
    }

    /// Reads the first map of the feed-forward part, whose outputs are those of two.
    fn wide(&self, name: &str) -> Result<[Weights; 2], ModelError> {
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        let rows = self.tensors.read(&format!("{name}.weight"), &[2 * inner, hidden])?;
        let bias = match self.config.mlp_bias {
            true => self.tensors.read(&format!("{name}.bias"), &[2 * inner])?,
            false => vec![0.0; 2 * inner],
        };
        Ok([0, 1].map(|half| {
            let mut weights = self.arithmetic.weights(hidden, inner);
            weights.set_columns(0, Rows::whole(&rows[half * inner * hidden..][..inner * hidden], hidden));
            weights.set_bias(0, &bias[half * inner..][..inner]);
            weights
        }))
    }

    fn projections(&self, name: &str) -> Result<Weights, ModelError> {
        let (hidden, heads) = (self.config.hidden_size, self.config.heads());
        let rows = self.tensors.read(&format!("{name}.weight"), &[3 * hidden, hidden])?;
        let mut weights = self.arithmetic.weights(hidden, 3 * hidden);
        for (i, rows) in rows.chunks_exact(hidden * hidden).enumerate() {
            weights.set_columns(i * hidden, Rows::whole(&heads_together(rows, heads, hidden), hidden));
        }
        if self.config.attention_bias {
            let bias = self.tensors.read(&format!("{name}.bias"), &[3 * hidden])?;
            for (i, bias) in bias.chunks_exact(hidden).enumerate() {
                weights.set_bias(i * hidden, &heads_together(bias, heads, 1));
            }
        }
        Ok(weights)
    }

    fn attention_output(&self, name: &str) -> Result<Weights, ModelError> {
        let (hidden, heads) = (self.config.hidden_size, self.config.heads());
        let mut rows = self.tensors.read(&format!("{name}.weight"), &[hidden, hidden])?;
        for row in rows.chunks_exact_mut(hidden) {
            row.copy_from_slice(&heads_together(row, heads, 1));
        }
        let mut weights = self.arithmetic.weights(hidden, hidden);
        weights.set_columns(0, Rows::whole(&rows, hidden));
        if self.config.attention_bias {
            weights.set_bias(0, &self.tensors.read(&format!("{name}.bias"), &[hidden])?);
        }
        Ok(weights)
    }
}
