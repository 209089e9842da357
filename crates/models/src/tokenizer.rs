//! Text to token ids.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use crate::ModelError;

/// A tokenizer that truncates to a model's length and never pads.
pub(crate) struct TextTokenizer {
    inner: Tokenizer,
    vocabulary: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`; its own truncation and padding are replaced.
    ///
    /// `max_tokens` counts the special tokens; `vocabulary` is how many ids the weights know.
    ///
    /// # Errors
    /// When the file cannot be read, is not a tokenizer, or knows more tokens than the weights.
    pub(crate) fn load(path: &Path, max_tokens: usize, vocabulary: usize) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(ModelError::io("read the tokenizer", path))?;
        let broken = |found: String| ModelError::Tokenizer {
            path: path.to_owned(),
            found,
            expected: "the JSON of a Hugging Face tokenizer".to_owned(),
        };
        let mut inner = Tokenizer::from_bytes(&bytes).map_err(|error| broken(error.to_string()))?;
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        inner.with_truncation(Some(truncation)).map_err(|error| broken(error.to_string()))?;
        inner.with_padding(None);
        let tokens = inner.get_vocab_size(true);
        if tokens > vocabulary {
            return Err(ModelError::Tokenizer {
                path: path.to_owned(),
                found: format!("{tokens} tokens"),
                expected: format!("at most the {vocabulary} that config.json states as vocab_size"),
            });
        }
        Ok(Self { inner, vocabulary })
    }

    /// The ids of a text between its special tokens, at least one.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.inner.encode_fast(text, true).map_err(|error| error.to_string())?;
        let ids = encoding.get_ids();
        if ids.is_empty() {
            return Err("the tokenizer gave no token; expected special tokens at least".to_owned());
        }
        match ids.iter().find(|id| **id as usize >= self.vocabulary) {
            Some(id) => Err(format!("the tokenizer gave token {id}; expected ids below {}", self.vocabulary)),
            None => Ok(ids.to_vec()),
        }
    }
}
