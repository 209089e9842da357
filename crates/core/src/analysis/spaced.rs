//! A text in which phrases are looked for as they are written.

/// The words of a text in lower case, each with a space before and after it.
pub(super) struct Spaced(String);

impl Spaced {
    /// The words of a text; an apostrophe is a part of its word.
    pub(super) fn new(text: &str) -> Self {
        let mut spaced = String::with_capacity(text.len() + 2);
        spaced.push(' ');
        let is_word = |char: char| char.is_alphanumeric() || matches!(char, '\'' | '\u{2019}');
        for word in text.split(|char| !is_word(char)).filter(|word| !word.is_empty()) {
            let lower =
                |char: char| if char == '\u{2019}' { '\''.to_string() } else { char.to_lowercase().to_string() };
            spaced.extend(word.chars().map(lower));
            spaced.push(' ');
        }
        Self(spaced)
    }

    /// Whether it has one of the phrases, in lower case, word by word.
    pub(super) fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| {
            let is_whole = |at: usize| self.0[..at].ends_with(' ') && self.0[at + phrase.len()..].starts_with(' ');
            self.0.match_indices(phrase).any(|(at, _)| is_whole(at))
        })
    }
}
