//! Words of a text, folded, and where they stand.

use std::ops::Range;

use crate::analysis::folded;

/// A run of letters and digits, or one character of Chinese or Japanese, which put no spaces between words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Folded: small letters, no accents.
    pub(super) word: String,
    /// Its bytes in the text.
    pub(super) place: Range<usize>,
    /// What stands between it and the next, if that is one character.
    pub(super) joint: Option<char>,
    /// Whether a dot follows at once.
    pub(super) is_dotted: bool,
}

/// All words of a text, in order. An apostrophe ends a word, so that "week's" begins with "week".
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(skipped) = text[at..].find(char::is_alphanumeric) {
        if let Some(last) = tokens.last_mut() {
            let mut between = text[at..at + skipped].chars();
            last.joint = between.next().filter(|_| between.next().is_none());
        }
        let start = at + skipped;
        // A combining mark belongs to the letter before it.
        let is_inside = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || matches!(c, '\u{300}'..='\u{36f}');
        let first = text[start..].chars().next().map_or(0, char::len_utf8);
        let end = match text[start..].starts_with(is_unspaced) {
            true => start + first,
            false => {
                text[start + first..].find(|c: char| !is_inside(c)).map_or(text.len(), |length| start + first + length)
            }
        };
        let word = folded(&text[start..end]).into_owned();
        tokens.push(Token { word, place: start..end, joint: None, is_dotted: text[end..].starts_with('.') });
        at = end;
    }
    tokens
}

/// Whether a character is of a script without spaces between words: Han, kana, and the marks that repeat or lengthen these.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_keep_their_places() {
        let text = "Last week’s Mañana, 2023-05";
        let found = tokens(text);
        let words: Vec<&str> = found.iter().map(|token| token.word.as_str()).collect();
        assert_eq!(words, ["last", "week", "s", "manana", "2023", "05"]);
        assert_eq!(&text[found[3].place.clone()], "Mañana");
        assert_eq!(found[4].joint, Some('-'));
        let words: Vec<String> = tokens("在2024年5月，カバ ok").into_iter().map(|token| token.word).collect();
        assert_eq!(words, ["在", "2024", "年", "5", "月", "カ", "バ", "ok"]);
    }
}
