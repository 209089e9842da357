//! Windows of a long text: parts at the bounds of sentences, each short enough for a model to read whole.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

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
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    for (start, sentence) in text.split_sentence_bound_indices() {
        take_parts(text, start..start + sentence.len(), limit, &mut count, &mut parts)?;
    }
    let total: usize = parts.iter().map(|(_, tokens)| tokens).sum();
    if total <= limit {
        return Ok(std::iter::once(0..text.len()).collect());
    }
    let enough = total.div_ceil(total.div_ceil(limit.max(1)));
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
    Ok(windows)
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
    use std::convert::Infallible;

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
