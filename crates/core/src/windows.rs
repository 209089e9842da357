//! Windows of a long text: parts at the bounds of sentences, each short enough for a model to read whole.

use std::{convert::Infallible, ops::Range};

use unicode_segmentation::UnicodeSegmentation;

/// Letters after which a word is taken for another token.
const PIECE_LETTERS: usize = 6;

/// Where scripts begin whose characters are a token each.
const IDEOGRAPHS: char = '\u{2e80}';

/// Splits a text of more than `limit` tokens at the bounds of sentences into as few windows of at most `limit` tokens as it
/// takes, of about equal lengths; a shorter text is one window. A sentence of more than `limit` tokens is split at
/// whitespace, or between characters where it has none.
///
/// `count` says how many tokens a part of the text has; more than `limit` need not be counted exactly. The windows are bytes of
/// the text, follow each other, and hold all of it.
///
/// # Errors
/// The first that `count` gives.
pub fn windows<E>(
    text: &str,
    limit: usize,
    mut count: impl FnMut(&str) -> Result<usize, E>,
) -> Result<Vec<Range<usize>>, E> {
    let parts = parts(text, limit, &mut count)?;
    let total: usize = parts.iter().map(|(_, tokens)| tokens).sum();
    if total <= limit {
        return Ok(std::iter::once(0..text.len()).collect());
    }
    Ok(joined(parts, total.div_ceil(total.div_ceil(limit.max(1))), limit))
}

/// Windows of parts: each takes parts until it has `enough` tokens, or would have more than `limit`.
fn joined(parts: Vec<(Range<usize>, usize)>, enough: usize, limit: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut held = usize::MAX;
    for (bytes, tokens) in parts {
        match windows.last_mut() {
            Some(window) if held < enough && held + tokens <= limit => {
                window.end = bytes.end;
                held += tokens;
            }
            _ => {
                windows.push(bytes);
                held = tokens;
            }
        }
    }
    windows
}

/// A window of a text that has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedWindow {
    /// Its number, from 0.
    pub number: u32,
    /// How many the text has.
    pub of: u32,
}

impl NumberedWindow {
    /// About where the window stands in the text, as bytes at the bounds of characters.
    ///
    /// A model's tokenizer takes more than a second to count the tokens of a mebibyte. Words, their length and signs are
    /// counted instead, and split into as many windows.
    pub fn about(self, text: &str) -> Range<usize> {
        let enough = pieces(text).div_ceil(self.of.max(1) as usize).max(1);
        let Ok(parts) = parts(text, enough, &mut |part| Ok::<_, Infallible>(pieces(part)));
        let mut windows = joined(parts, enough, usize::MAX);
        windows.truncate((self.number as usize).saturating_add(1));
        windows.pop().unwrap_or(0..text.len())
    }
}

/// About how many tokens a text has.
fn pieces(text: &str) -> usize {
    let (mut pieces, mut letters) = (0, 0);
    for char in text.chars() {
        if char.is_alphanumeric() && char < IDEOGRAPHS {
            pieces += usize::from(letters % PIECE_LETTERS == 0);
            letters += 1;
        } else {
            pieces += usize::from(!char.is_whitespace());
            letters = 0;
        }
    }
    pieces
}

/// The sentences of a text with their tokens; one that has more than `limit` in parts.
fn parts<E>(
    text: &str,
    limit: usize,
    count: &mut impl FnMut(&str) -> Result<usize, E>,
) -> Result<Vec<(Range<usize>, usize)>, E> {
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        take_parts(text, start..start + sentence.len(), limit, count, &mut parts)?;
    }
    Ok(parts)
}

/// Appends a part of the text with its tokens, or its halves where it has too many.
fn take_parts<E>(
    text: &str,
    bytes: Range<usize>,
    limit: usize,
    count: &mut impl FnMut(&str) -> Result<usize, E>,
    parts: &mut Vec<(Range<usize>, usize)>,
) -> Result<(), E> {
    let mut waiting = vec![bytes];
    while let Some(bytes) = waiting.pop() {
        let tokens = count(&text[bytes.clone()])?;
        match middle(&text[bytes.clone()]).filter(|_| tokens > limit) {
            Some(middle) => {
                let middle = bytes.start + middle;
                waiting.extend([middle..bytes.end, bytes.start..middle]);
            }
            // A single character may have too many; it is cut.
            None => parts.push((bytes, tokens.min(limit))),
        }
    }
    Ok(())
}

/// Where to split a text in two: after the whitespace nearest its middle, else between the characters there; `None` where it
/// is a single character.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let ends = text.char_indices().filter(|(_, char)| char.is_whitespace()).map(|(at, char)| at + char.len_utf8());
    let at_space = ends.filter(|&end| end < text.len()).min_by_key(|end| end.abs_diff(half));
    let between = || {
        let after = text.char_indices().map(|(at, _)| at).find(|&at| at >= half.max(1));
        after.or_else(|| text.char_indices().next_back().map(|(at, _)| at))
    };
    at_space.or_else(between).filter(|&at| at > 0 && at < text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Windows by words, each a token.
    fn by_words(text: &str, limit: usize) -> Vec<&str> {
        let count = |part: &str| Ok::<_, Infallible>(part.split_whitespace().count());
        let Ok(windows) = windows(text, limit, count);
        windows.into_iter().map(|bytes| &text[bytes]).collect()
    }

    #[test]
    fn a_short_text_is_one_window() {
        assert_eq!(by_words("One two. Three four.", 4), ["One two. Three four."]);
        assert_eq!(by_words("", 4), [""]);
    }

    #[test]
    fn a_long_text_is_split_at_sentences_into_equal_parts() {
        let text = "One two three. Four five. Six seven eight. Nine ten.";
        assert_eq!(by_words(text, 8), ["One two three. Four five. ", "Six seven eight. Nine ten."]);
        assert_eq!(by_words("a b\nc d\ne f\n", 4), ["a b\nc d\n", "e f\n"], "the end of a line ends a sentence");
    }

    #[test]
    fn a_long_sentence_is_split_at_spaces_and_a_long_word_between_characters() {
        assert_eq!(by_words("a b c d e f", 3), ["a b c ", "d e f"]);
        let count = |part: &str| Ok::<_, Infallible>(part.chars().count());
        let Ok(found) = windows("äöüßé", 2, count);
        assert_eq!(found, [0..4, 4..6, 6..10], "bytes");
    }

    #[test]
    fn what_the_count_fails_on_is_an_error() {
        assert_eq!(windows("a b", 1, |_| Err("broken")), Err("broken"));
    }

    #[test]
    fn a_window_is_found_again_without_its_encoder() {
        // Plain sentences, then lines of signs, which have more tokens a byte.
        let prose = "The ferry to the island leaves at nine. It is late as always. ".repeat(80);
        let text = format!("{prose}{}", "x = [1, 2, 3]; y = {};\n".repeat(80));
        let tokens = |part: &str| {
            let signs = part.chars().filter(|char| !char.is_alphanumeric() && !char.is_whitespace()).count();
            let words = part.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).count();
            Ok::<_, Infallible>(words + signs)
        };
        let Ok(found) = windows(&text, 200, tokens);
        assert!(found.len() > 8);
        for (number, window) in found.iter().enumerate() {
            let about = NumberedWindow { number: number as u32, of: found.len() as u32 }.about(&text);
            let shared = about.end.min(window.end).saturating_sub(about.start.max(window.start));
            assert!(shared * 2 > window.len(), "window {number} is at {window:?}, about {about:?}");
        }
    }

    #[test]
    fn a_text_without_tokens_has_its_windows_somewhere() {
        for text in ["", "  \n", "a", "猫"] {
            for number in [0, 3, u32::MAX] {
                for of in [0, 1, 4] {
                    let about = NumberedWindow { number, of }.about(text);
                    assert!(text.get(about.clone()).is_some(), "{about:?} of {text:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn windows_hold_everything_in_order_and_fit(text in "[a-c .!?\n猫é]{0,200}", limit in 1..12usize) {
            let count = |part: &str| Ok::<_, Infallible>(part.chars().filter(|char| !char.is_whitespace()).count());
            let Ok(found) = windows(&text, limit, count);
            prop_assert_eq!(found.iter().map(|bytes| &text[bytes.clone()]).collect::<String>(), text.clone());
            for bytes in found {
                prop_assert!(count(&text[bytes]).unwrap() <= limit);
            }
        }
    }
}
