//! Text to token ids.

mod guard;
mod permitted;

use std::{ops::Range, path::Path};

use aforesaid_core::windows::windows;
use tokenizers::{EncodeInput, Encoding, PostProcessor, Tokenizer, TruncationParams};

use self::guard::guarded;
use crate::{
    ModelError,
    bert::Sequence,
    files::{MOST_TOKENIZER, read_regular},
};

/// Bytes of a text that are read at least, and for each token that a model reads; a token has five on average.
const LEAST_BYTES: usize = 64 << 10;
const TOKEN_BYTES: usize = 16;
/// Bytes that a text may become by the rules of a tokenizer at most.
const MOST_BYTES: usize = 8 << 20;

/// A tokenizer that truncates to a model's length and never pads.
pub(crate) struct TextTokenizer {
    inner: Tokenizer,
    vocabulary: usize,
    max_tokens: usize,
    /// Special tokens around a single text.
    special: usize,
    /// Bytes of a text that are read.
    max_bytes: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`, be it WordPiece, BPE or Unigram; its own truncation and padding are replaced.
    ///
    /// `max_tokens` counts the special tokens; `vocabulary` is how many ids the weights know.
    ///
    /// # Errors
    /// When the file cannot be read, is not a tokenizer or one that takes more time or memory than a tokenizer of these
    /// models can, knows more tokens than the weights, or adds so many special ones that nothing of a text would be
    /// left.
    pub(crate) fn load(path: &Path, max_tokens: usize, vocabulary: usize) -> Result<Self, ModelError> {
        let bytes = read_regular(path, MOST_TOKENIZER).map_err(ModelError::io("read the tokenizer", path))?;
        Self::parse(&bytes, path, max_tokens, vocabulary)
    }

    /// As [`TextTokenizer::load`], from what was read at `path`.
    pub(crate) fn parse(bytes: &[u8], path: &Path, max_tokens: usize, vocabulary: usize) -> Result<Self, ModelError> {
        let unfit = |found: String, expected: String| ModelError::Tokenizer { path: path.to_owned(), found, expected };
        let broken = |found: String| unfit(found, "the JSON of a Hugging Face tokenizer".to_owned());
        let growth = permitted::check(bytes).map_err(|(found, expected)| unfit(found, expected))?;
        let parsed =
            guarded(|| Tokenizer::from_bytes(bytes)).map_err(|_| broken("what the library fails on".to_owned()))?;
        let mut inner = parsed.map_err(|error| broken(error.to_string()))?;
        let added = |is_pair| inner.get_post_processor().map_or(0, |processor| processor.added_tokens(is_pair));
        let (special, of_pair) = (added(false), added(true));
        if of_pair >= max_tokens {
            let expected = format!("fewer than the {max_tokens} tokens that the model reads");
            return Err(unfit(format!("{of_pair} special tokens"), expected));
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
        let wanted = max_tokens.saturating_mul(TOKEN_BYTES).clamp(LEAST_BYTES, MOST_BYTES);
        Ok(Self { inner, vocabulary, max_tokens, special, max_bytes: wanted.min(MOST_BYTES / growth.max(1)) })
    }

    /// The ids of a text between its special tokens, at least one.
    ///
    /// Of a very long text only the beginning is read, which has more tokens than the model reads.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn text(&self, text: &str) -> Result<Sequence, String> {
        let encoding = self.encode(self.beginning(text))?;
        Ok(Sequence::single(self.checked(&encoding)?))
    }

    /// The windows of a text that is read after `prefix`; see [`aforesaid_core::windows`].
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn windows(&self, prefix: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        // Each token stands for a byte at least, but where a tokenizer writes rare characters as several, or begins a text
        // with a mark of its own.
        let is_short = text.is_ascii() && prefix.len() + text.len() + self.special < self.max_tokens;
        // What was cut has as many tokens as are read.
        if is_short || self.text(&format!("{prefix}{text}"))?.len() < self.max_tokens {
            return Ok(std::iter::once(0..text.len()).collect());
        }
        let room = self.max_tokens.saturating_sub(self.text(prefix)?.len()).max(1);
        windows(text, room, |part| match self.text(part)?.len() {
            tokens if tokens == self.max_tokens => Ok(usize::MAX),
            tokens => Ok(tokens.saturating_sub(self.special)),
        })
    }

    /// Whether a word is one token.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        // Pieces at the beginning of a word are marked by some tokenizers.
        let unmarked = |token: &str| token.trim_start_matches(['\u{120}', '\u{2581}']) == word;
        let encoding = guarded(|| self.inner.encode_fast(self.beginning(word), false));
        let tokens = encoding.ok().and_then(Result::ok).map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default();
        matches!(tokens[..], [id] if self.inner.id_to_token(id).is_some_and(|token| unmarked(&token)))
    }

    /// The ids of a question and a passage, and where the tokenizer begins the second segment.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn pair(&self, query: &str, passage: &str) -> Result<Sequence, String> {
        self.sequence(&self.encode((self.beginning(query), self.beginning(passage)))?)
    }

    /// The same, and how many bytes of the passage are among the tokens, from its beginning.
    ///
    /// # Errors
    /// A sentence on what went wrong.
    pub(crate) fn pair_and_read(&self, query: &str, passage: &str) -> Result<(Sequence, usize), String> {
        let input: EncodeInput<'_> = (self.beginning(query), self.beginning(passage)).into();
        let encoding = guarded_encoding(|| self.inner.encode(input, true))?;
        let offsets = encoding.get_sequence_ids().into_iter().zip(encoding.get_offsets());
        let ends = offsets.filter(|(text, _)| *text == Some(1)).map(|(_, (_, end))| *end);
        let end = passage.floor_char_boundary(ends.max().unwrap_or_default());
        let read = if passage[end..].trim().is_empty() { passage.len() } else { end };
        Ok((self.sequence(&encoding)?, read))
    }

    /// The ids of an encoded pair.
    fn sequence(&self, encoding: &Encoding) -> Result<Sequence, String> {
        let ids = self.checked(encoding)?;
        let segments = encoding.get_type_ids();
        let first = segments.iter().take_while(|segment| **segment == 0).count();
        match segments[first..].iter().all(|segment| *segment == 1) {
            true => Ok(Sequence::pair(ids, first)),
            false => Err(format!("the tokenizer gave segments {segments:?}; expected zeros, then ones")),
        }
    }

    fn beginning<'t>(&self, text: &'t str) -> &'t str {
        &text[..text.floor_char_boundary(self.max_bytes)]
    }

    fn encode<'t>(&self, input: impl Into<EncodeInput<'t>>) -> Result<Encoding, String> {
        let input = input.into();
        guarded_encoding(|| self.inner.encode_fast(input, true))
    }

    fn checked(&self, encoding: &Encoding) -> Result<Vec<u32>, String> {
        let ids = encoding.get_ids();
        if ids.is_empty() {
            return Err("the tokenizer gave no token; expected special tokens at least".to_owned());
        }
        if ids.len() > self.max_tokens {
            let (found, most) = (ids.len(), self.max_tokens);
            return Err(format!("the tokenizer gave {found} tokens; expected at most {most}"));
        }
        match ids.iter().find(|id| **id as usize >= self.vocabulary) {
            Some(id) => Err(format!("the tokenizer gave token {id}; expected ids below {}", self.vocabulary)),
            None => Ok(ids.to_vec()),
        }
    }
}

/// Runs the library; an error or a panic of the library becomes a sentence.
fn guarded_encoding(encode: impl FnOnce() -> tokenizers::Result<Encoding>) -> Result<Encoding, String> {
    match guarded(encode) {
        Ok(encoded) => encoded.map_err(|error| error.to_string()),
        Err(_) => Err("the tokenizer failed on it; copy tokenizer.json again, or use another model".to_owned()),
    }
}
