//! Text to token ids.

use std::path::Path;

use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationParams};

use crate::{ModelError, bert::Sequence};

/// A tokenizer that truncates to a model's length and never pads.
pub(crate) struct TextTokenizer {
    inner: Tokenizer,
    vocabulary: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`, be it WordPiece, BPE or Unigram; its own truncation and padding are replaced.
    ///
    /// `max_tokens` counts the special tokens; `vocabulary` is how many ids the weights know.
    ///
    /// # Errors
    /// When the file cannot be read, is not a tokenizer, knows more tokens than the weights, or adds so many
    /// special ones that nothing of a text would be left.
    pub(crate) fn load(path: &Path, max_tokens: usize, vocabulary: usize) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(ModelError::io("read the tokenizer", path))?;
        let unfit = |found: String, expected: String| ModelError::Tokenizer { path: path.to_owned(), found, expected };
        let broken = |found: String| unfit(found, "the JSON of a Hugging Face tokenizer".to_owned());
        let mut inner = Tokenizer::from_bytes(&bytes).map_err(|error| broken(error.to_string()))?;
        let special = inner.get_post_processor().map_or(0, |processor| processor.added_tokens(true));
        if special >= max_tokens {
            let expected = format!("fewer than the {max_tokens} tokens that the model reads");
            return Err(unfit(format!("{special} special tokens"), expected));
        }
        // Of a pair, the longer side is cut: tokens are taken off it until both sides are of one length, then in turn.
        let truncation = TruncationParams { max_length: max_tokens, ..TruncationParams::default() };
        inner.with_truncation(Some(truncation)).map_err(|error| broken(error.to_string()))?;
        inner.with_padding(None);
        let tokens = inner.get_vocab_size(true);
        if tokens > vocabulary {
            let expected = format!("at most the {vocabulary} that config.json states as vocab_size");
            return Err(unfit(format!("{tokens} tokens"), expected));
        }
        Ok(Self { inner, vocabulary })
    }

    /// The ids of a text between its special tokens, at least one.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn text(&self, text: &str) -> Result<Sequence, String> {
        let encoding = self.inner.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(Sequence::single(self.checked(&encoding)?))
    }

    /// The ids of a question and a passage, and where the tokenizer begins the second segment.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn pair(&self, query: &str, passage: &str) -> Result<Sequence, String> {
        let encoding = self.inner.encode_fast((query, passage), true).map_err(|error| error.to_string())?;
        let ids = self.checked(&encoding)?;
        let segments = encoding.get_type_ids();
        let first = segments.iter().take_while(|segment| **segment == 0).count();
        match segments[first..].iter().all(|segment| *segment == 1) {
            true => Ok(Sequence::pair(ids, first)),
            false => Err(format!("the tokenizer gave segments {segments:?}; expected zeros, then ones")),
        }
    }

    fn checked(&self, encoding: &Encoding) -> Result<Vec<u32>, String> {
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
