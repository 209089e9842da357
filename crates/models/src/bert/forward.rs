//! The forward pass.

use super::{Bert, Sequence, Workspace, relative_bias::RelativeBias, weights::Layer};
use crate::{
    ModelError,
    kernels::{Attending, Finish, MARGIN, Rows, RowsMut},
    registry::Pooling,
};

impl Bert {
    /// Multiply-adds that the products with weights cost a token.
    pub(crate) fn multiply_adds_per_token(&self) -> usize {
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        self.layers.len() * (4 * hidden * hidden + 2 * hidden * inner)
    }

    /// Computes the token vectors that the pooling reads of several texts, `[tokens, hidden]`, one text after the other.
    /// The last layer computes no others.
    ///
    /// Each text has at least one token and at most `max_tokens`, with ids below `vocab_size`.
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
        Ok(&space.hidden)
    }

    fn embed(&self, texts: &[&Sequence], space: &mut Workspace) -> Result<(), ModelError> {
        let width = self.config.hidden_size;
        let tokens: usize = texts.iter().map(|text| text.len()).sum();
        space.hidden.resize(tokens * width);
        self.embeddings.write(texts, &mut space.hidden)?;
        self.arithmetic.normalise(&mut space.hidden, &self.norm, &mut space.input);
        Ok(())
    }

    fn attention(&self, layer: &Layer, texts: &[&Sequence], read: Pooling, space: &mut Workspace) {
        let (width, heads) = (self.config.hidden_size, self.config.heads());
        let Workspace { hidden, input, query_key_value, context, attention, sums, .. } = space;
        let tokens = input.rows();
        query_key_value.resize(tokens * 3 * width + MARGIN);
        context.resize(tokens * width + MARGIN);
        let out = RowsMut::whole(&mut query_key_value[..tokens * 3 * width], 3 * width);
        self.arithmetic.multiply(input, &layer.query_key_value, out, Finish::Set, sums);
        let (mut start, mut kept) = (0, 0);
        for text in texts {
            let attending = Attending { tokens: text.len(), queries: read.reads(text.len()) };
            let (from, to) = (&query_key_value[start * 3 * width..], &mut context[kept * width..]);
            let bias = self.bias.as_ref().map(RelativeBias::of_scores);
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
        self.arithmetic.normalise(hidden, &layer.attention_norm, input);
    }

    fn feed_forward(&self, layer: &Layer, space: &mut Workspace) {
        let width = self.config.hidden_size;
        let Workspace { hidden, input, inner, sums, .. } = space;
        inner.resize(input.rows() * self.config.intermediate_size);
        let out = RowsMut::whole(inner, self.config.intermediate_size);
        self.arithmetic.multiply(input, &layer.widen, out, Finish::Gelu, sums);
        self.arithmetic.take(Rows::whole(inner, self.config.intermediate_size), input);
        self.arithmetic.multiply(input, &layer.narrow, RowsMut::whole(hidden, width), Finish::Add, sums);
        self.arithmetic.normalise(hidden, &layer.output_norm, input);
    }
}
