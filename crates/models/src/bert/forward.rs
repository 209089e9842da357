//! The forward pass.

use super::{
    Bert, Workspace,
    attention::{Heads, attend},
    weights::Layer,
};
use crate::{
    ModelError,
    kernels::{Panels, Rows, RowsMut, Write, gelu, layer_norm, multiply},
};

impl Bert {
    /// Components of a token vector.
    pub(crate) fn hidden_size(&self) -> usize {
        self.config.hidden_size
    }

    /// Computes the token vectors of several texts, `[tokens of all texts, hidden]`, one text after the other.
    ///
    /// Each text has at least one token and at most `max_position_embeddings`, with ids below `vocab_size`.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(crate) fn forward<'w>(&self, texts: &[&[u32]], space: &'w mut Workspace) -> Result<&'w [f32], ModelError> {
        self.embed(texts, space)?;
        for layer in &self.layers {
            self.attention(layer, texts, space);
            feed_forward(layer, space);
        }
        Ok(&space.hidden)
    }

    fn embed(&self, texts: &[&[u32]], space: &mut Workspace) -> Result<(), ModelError> {
        let width = self.config.hidden_size;
        let tokens: usize = texts.iter().map(|text| text.len()).sum();
        space.hidden.resize(tokens * width, 0.0);
        let mut rows = space.hidden.chunks_exact_mut(width);
        for text in texts {
            for ((id, position), row) in text.iter().zip(self.positions.chunks_exact(width)).zip(&mut rows) {
                self.words.read(*id as usize, row, &mut space.bytes)?;
                row.iter_mut().zip(position).for_each(|(value, position)| *value += position);
            }
        }
        layer_norm(&mut space.hidden, &self.norm);
        Ok(())
    }

    fn attention(&self, layer: &Layer, texts: &[&[u32]], space: &mut Workspace) {
        let width = self.config.hidden_size;
        let heads = Heads { count: self.config.num_attention_heads, size: self.config.head_size() };
        let Workspace { hidden, query_key_value, context, attention, packed, .. } = space;
        linear(hidden, &layer.query_key_value, query_key_value, packed);
        context.resize(hidden.len(), 0.0);
        let mut start = 0;
        for text in texts {
            let rows = start..start + text.len();
            let from = &query_key_value[rows.start * 3 * width..rows.end * 3 * width];
            attend(from, &mut context[rows.start * width..rows.end * width], heads, attention, packed);
            start = rows.end;
        }
        add_linear(context, &layer.attention_output, hidden, packed);
        layer_norm(hidden, &layer.attention_norm);
    }
}

fn feed_forward(layer: &Layer, space: &mut Workspace) {
    let Workspace { hidden, inner, packed, .. } = space;
    linear(hidden, &layer.widen, inner, packed);
    gelu(inner);
    add_linear(inner, &layer.narrow, hidden, packed);
    layer_norm(hidden, &layer.output_norm);
}

fn linear(input: &[f32], weights: &Panels, output: &mut Vec<f32>, packed: &mut Vec<f32>) {
    let rows = Rows::whole(input, weights.depth());
    output.resize(rows.count() * weights.columns(), 0.0);
    multiply(rows, weights, RowsMut::whole(output, weights.columns()), Write::Set, packed);
}

/// The residual connection: the product lands on what it is added to.
fn add_linear(input: &[f32], weights: &Panels, output: &mut [f32], packed: &mut Vec<f32>) {
    let rows = Rows::whole(input, weights.depth());
    multiply(rows, weights, RowsMut::whole(output, weights.columns()), Write::Add, packed);
}
