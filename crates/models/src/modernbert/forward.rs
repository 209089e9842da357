//! The forward pass.

use super::{ModernBert, config::Reach, weights::Layer};
use crate::{
    ModelError,
    bert::{Sequence, Workspace},
    kernels::{Attending, Finish, LayerNorm, MARGIN, Rows, RowsMut},
    registry::Pooling,
};

impl ModernBert {
    /// Multiply-adds that the products with weights cost a token.
    pub(crate) fn multiply_adds_per_token(&self) -> usize {
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        self.layers.len() * (4 * hidden * hidden + 3 * hidden * inner)
    }

    /// Computes the token vectors that the pooling reads of several texts, `[tokens, hidden]`, one text after the other.
    /// The last layer computes no others.
    ///
    /// Each text has at least one token and at most the `max_tokens` it was loaded for, with ids below `vocab_size`.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(crate) fn forward<'w>(
        &self,
        texts: &[&Sequence],
        pooling: Pooling,
        space: &'w mut Workspace,
    ) -> Result<&'w [f32], ModelError> {
        self.embed(texts, space)?;
        for (layer, to_come) in self.layers.iter().zip((0..self.layers.len()).rev()) {
            self.attention(layer, texts, if to_come == 0 { pooling } else { Pooling::Mean }, space);
            self.feed_forward(layer, space);
        }
        self.arithmetic.normalise(&mut space.hidden, &self.final_norm, &mut space.input);
        Ok(&space.hidden)
    }

    fn embed(&self, texts: &[&Sequence], space: &mut Workspace) -> Result<(), ModelError> {
        let width = self.config.hidden_size;
        let tokens: usize = texts.iter().map(|text| text.len()).sum();
        space.hidden.resize(tokens * width);
        let ids = texts.iter().flat_map(|text| text.ids());
        for (row, id) in space.hidden.chunks_exact_mut(width).zip(ids) {
            row.copy_from_slice(self.words.row(*id as usize)?);
        }
        self.arithmetic.normalise(&mut space.hidden, &self.norm, &mut space.input);
        Ok(())
    }

    /// Takes the normalised token vectors as the input of the next product; they themselves stay as they are.
    fn take(&self, norm: Option<&LayerNorm>, space: &mut Workspace) {
        let Workspace { hidden, normalised, input, .. } = space;
        match norm {
            None => self.arithmetic.take(Rows::whole(hidden, self.config.hidden_size), input),
            Some(norm) => {
                normalised.resize(hidden.len());
                normalised.copy_from_slice(hidden);
                self.arithmetic.normalise(normalised, norm, input);
            }
        }
    }

    fn attention(&self, layer: &Layer, texts: &[&Sequence], read: Pooling, space: &mut Workspace) {
        let (width, heads) = (self.config.hidden_size, self.config.heads());
        self.take(layer.attention_norm.as_ref(), space);
        let Workspace { hidden, input, query_key_value, context, attention, sums, .. } = space;
        let tokens = input.rows();
        query_key_value.resize(tokens * 3 * width + MARGIN);
        context.resize(tokens * width + MARGIN);
        let out = RowsMut::whole(&mut query_key_value[..tokens * 3 * width], 3 * width);
        self.arithmetic.multiply(input, &layer.query_key_value, out, Finish::Set, sums);
        let (rotation, half) = match layer.reach {
            Reach::Text => (&self.of_text, None),
            Reach::Window => (&self.of_window, Some(self.config.half_window())),
        };
        let (mut start, mut kept) = (0, 0);
        for text in texts {
            let from = &mut query_key_value[start * 3 * width..];
            rotation.turn(&mut from[..text.len() * 3 * width], heads);
            let bias = half.and_then(|half| self.window.as_ref()?.of(text.len(), half));
            let attending = Attending { tokens: text.len(), queries: read.reads(text.len()) };
            let to = &mut context[kept * width..];
            self.arithmetic.attend(from, to, attending, heads, bias, attention);
            if kept < start {
                hidden.copy_within(start * width..(start + attending.queries) * width, kept * width);
            }
            start += attending.tokens;
            kept += attending.queries;
        }
        hidden.resize(kept * width);
        self.arithmetic.take(Rows::whole(&context[..kept * width], width), input);
        self.arithmetic.multiply(input, &layer.attention_output, RowsMut::whole(hidden, width), Finish::Add, sums);
    }

    /// The gated feed-forward part (GeGLU; Shazeer 2020).
    fn feed_forward(&self, layer: &Layer, space: &mut Workspace) {
        let (width, inner_width) = (self.config.hidden_size, self.config.intermediate_size);
        self.take(Some(&layer.feed_forward_norm), space);
        let Workspace { hidden, input, inner, gate, sums, .. } = space;
        inner.resize(input.rows() * inner_width);
        gate.resize(input.rows() * inner_width);
        self.arithmetic.multiply(input, &layer.widen, RowsMut::whole(inner, inner_width), Finish::Gelu, sums);
        self.arithmetic.multiply(input, &layer.gate, RowsMut::whole(gate, inner_width), Finish::Set, sums);
        inner.iter_mut().zip(gate.iter()).for_each(|(value, gate)| *value *= gate);
        self.arithmetic.take(Rows::whole(inner, inner_width), input);
        self.arithmetic.multiply(input, &layer.narrow, RowsMut::whole(hidden, width), Finish::Add, sums);
    }
}
