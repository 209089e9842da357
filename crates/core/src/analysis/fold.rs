//! Spellings that should match: case, width, Latin accents, apostrophes.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::decompose_canonical};

/// Lower-cases and folds `text`.
///
/// Accents go only from Latin letters: in other scripts a mark makes another letter.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    spelled(text, base)
}

/// The same with its accents, which tell stemmers the ending of a word.
pub(super) fn lowered(text: &str) -> Cow<'_, str> {
    spelled(text, |c| c)
}

fn spelled(text: &str, letter: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|b| b.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}' => folded.push('\''),
            c => folded.extend(letter(c).to_lowercase()),
        }
    }
    Cow::Owned(folded)
}

fn base(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let mut first = None;
    decompose_canonical(c, |part| {
        first.get_or_insert(part);
    });
    first.filter(char::is_ascii_alphabetic).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn folds_what_people_type_differently() {
        assert_eq!(fold("Ａｂｃ １２"), "abc 12");
        assert_eq!(fold("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(fold("e\u{301}te\u{301}"), "ete");
        assert_eq!(fold("がぎ Ёлка"), "がぎ ёлка");
    }
}
