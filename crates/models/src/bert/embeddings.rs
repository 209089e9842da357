//! What a model makes of token ids before its layers.

use super::{BertConfig, Sequence, tensors::Tensors, word_rows::WordRows};
use crate::ModelError;

/// Words, positions and segments.
pub(crate) struct Embeddings {
    /// `[vocabulary, hidden]`
    words: WordRows,
    /// `[positions, hidden]`, with the vector of segment 0 added.
    positions: Vec<f32>,
    /// `[hidden]`: what the second segment adds to the first; empty where there is none.
    second_segment: Vec<f32>,
    /// Components of a vector.
    hidden: usize,
    /// The padding's id, from which positions are counted.
    padding: Option<u32>,
}

impl Embeddings {
    /// Reads positions and segments; words are read as they occur.
    ///
    /// # Errors
    /// When a tensor is missing, of another type or shape, or the file cannot be read.
    pub(crate) fn load(config: &BertConfig, tensors: &Tensors) -> Result<Self, ModelError> {
        let hidden = config.hidden_size;
        let words = tensors.rows_on_disk("embeddings.word_embeddings.weight", [config.vocab_size, hidden])?;
        let (positions, second_segment) = positions(config, tensors)?;
        Ok(Self { words, positions, second_segment, hidden, padding: config.padding() })
    }

    /// Writes the sum of each token's vectors, `[tokens of all texts, hidden]`, one text after the other.
    ///
    /// # Errors
    /// When the word embeddings cannot be read any more.
    pub(crate) fn write(&self, texts: &[&Sequence], out: &mut [f32]) -> Result<(), ModelError> {
        let mut rows = out.chunks_exact_mut(self.hidden);
        for text in texts {
            let positions = text.positions(self.padding);
            for (((i, id), position), row) in text.ids().iter().enumerate().zip(positions).zip(&mut rows) {
                let position = &self.positions[position * self.hidden..][..self.hidden];
                for ((value, word), position) in row.iter_mut().zip(self.words.row(*id as usize)?).zip(position) {
                    *value = word + position;
                }
                if text.is_second(i) {
                    row.iter_mut().zip(&self.second_segment).for_each(|(value, segment)| *value += segment);
                }
            }
        }
        Ok(())
    }
}

/// Positions, and what the second segment adds.
///
/// The segment of nearly every token is the first, so its vector is added once and for all.
fn positions(config: &BertConfig, tensors: &Tensors) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
    let hidden = config.hidden_size;
    let mut positions =
        tensors.read("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
    if !config.family.has_segments() {
        return Ok((positions, Vec::new()));
    }
    let segments = tensors.read("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
    for row in positions.chunks_exact_mut(hidden) {
        row.iter_mut().zip(&segments).for_each(|(value, segment)| *value += segment);
    }
    if !config.family.tells_segments_apart() {
        return Ok((positions, Vec::new()));
    }
    let second = segments[hidden..].iter().take(hidden).zip(&segments).map(|(second, first)| second - first);
    Ok((positions, second.collect()))
}
