//! A text as the dictionary reads it: words, runs of scripts without spaces, and what stands between.

use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::words::is_unspaced;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A word of a script with spaces.
    Word(&'t str),
    /// Neighbouring characters of a script without spaces.
    Unspaced(&'t str),
    /// Spaces and punctuation.
    Between(&'t str),
}

impl<'t> Token<'t> {
    /// The part as it is written.
    pub(super) fn written(self) -> &'t str {
        match self {
            Token::Word(part) | Token::Unspaced(part) | Token::Between(part) => part,
        }
    }
}

/// All parts of a text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut start = 0;
    for segment in text.split_word_bounds() {
        let end = start + segment.len();
        // The segments of such a script are characters, not words.
        let is_run = segment.chars().all(is_unspaced);
        let token = match found.last().copied() {
            Some(Token::Unspaced(run)) if is_run => {
                found.pop();
                Token::Unspaced(&text[start - run.len()..end])
            }
            _ if is_run => Token::Unspaced(segment),
            _ if segment.chars().any(char::is_alphanumeric) => Token::Word(segment),
            _ => Token::Between(segment),
        };
        found.push(token);
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_of_characters_is_one_part() {
        let parts = [
            Token::Word("Ann"),
            Token::Between(":"),
            Token::Between(" "),
            Token::Unspaced("猫はどこ"),
            Token::Between("？"),
        ];
        assert_eq!(tokens("Ann: 猫はどこ？"), parts);
    }

    proptest! {
        #[test]
        fn all_parts_are_the_text(text in "\\PC{0,60}") {
            prop_assert_eq!(tokens(&text).into_iter().map(Token::written).collect::<String>(), text);
        }
    }
}
