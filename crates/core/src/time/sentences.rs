//! The sentences of a text: which of them ask, and whether they are about what was.
//!
//! "My back hurts today. What did the doctor say first?" tells of one time and asks for another. And "What should I do
//! first?" asks for a plan, not for the oldest turn.

use std::{cell::OnceCell, ops::Range};

use super::{
    language::{Language, PastForm, Tense},
    tokens::Token,
};

/// Letters of a word that ends in a dot without ending the sentence, at the most, as in "Dr. Chen".
const ABBREVIATION: usize = 2;

/// A sentence of a text.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// Its bytes, without the sign that ends it.
    pub(super) place: Range<usize>,
    /// Whether it ends in a question mark.
    pub(super) asks: bool,
    /// What [`Sentence::tense`] found: a text may hold many times, and each asks for it.
    tense: OnceCell<Option<Tense>>,
}

impl Sentence {
    /// All sentences of a text, in order; those without a word are left out.
    pub(super) fn all_in(text: &str) -> Vec<Self> {
        let mut start = 0;
        let mut found = Vec::new();
        for (at, sign) in text.char_indices() {
            let after = at + sign.len_utf8();
            if ends(text, at, sign) {
                found.push(Self::new(start..at, matches!(sign, '?' | '？')));
                start = after;
            }
        }
        found.push(Self::new(start..text.len(), false));
        found.retain(|sentence| text[sentence.place.clone()].contains(char::is_alphanumeric));
        found
    }

    fn new(place: Range<usize>, asks: bool) -> Self {
        Self { place, asks, tense: OnceCell::new() }
    }

    /// Whether a word stands in it.
    pub(super) fn holds(&self, token: &Token) -> bool {
        self.place.contains(&token.place.start)
    }

    /// Which time it is about, by its words; `None` where they do not tell.
    ///
    /// A sentence with words of both is about what was: "Where is the note that I wrote on Friday?" is about a Friday that was.
    pub(super) fn tense(&self, tokens: &[Token], languages: &[&Language]) -> Option<Tense> {
        *self.tense.get_or_init(|| self.find_tense(tokens, languages))
    }

    /// Whether one of its words looks like a verb of the past, though the sentence may be of another tense.
    pub(super) fn looks_past(&self, text: &str, tokens: &[Token], languages: &[&Language]) -> bool {
        let mut own = tokens.iter().filter(|token| self.holds(token));
        own.any(|token| languages.iter().any(|language| language.looks_past(token, text)))
    }

    fn find_tense(&self, tokens: &[Token], languages: &[&Language]) -> Option<Tense> {
        let first = tokens.partition_point(|token| token.place.start < self.place.start);
        let end = tokens.partition_point(|token| token.place.start < self.place.end);
        let (mut found, mut at) = (None, first);
        while at < end {
            let rest = &tokens[at..end];
            if at > first && languages.iter().any(|language| language.is_past(&tokens[at - 1].word, &rest[0].word)) {
                return Some(Tense::Was);
            }
            let all = languages.iter().flat_map(|language| {
                language.tenses.iter().filter_map(|(pattern, tense)| Some((language.find(pattern, rest)?.0, *tense)))
            });
            let longest = all.max_by_key(|(words, _)| *words);
            match longest {
                Some((_, Tense::Was)) => return Some(Tense::Was),
                Some((_, Tense::Is)) => found = Some(Tense::Is),
                Some((_, Tense::Untold)) | None => {}
            }
            at += longest.map_or(1, |(words, _)| words);
        }
        found
    }
}

impl Language {
    /// Whether a word is a verb of the past, by its ending and by the word before it ("we missed", "who joined").
    fn is_past(&self, before: &str, word: &str) -> bool {
        self.past.is_some_and(|form| form.behind.contains(&before) && form.ends(word))
    }

    /// Whether a word looks like a verb of the past, as it is written.
    fn looks_past(&self, token: &Token, text: &str) -> bool {
        let is_long = |ending: &str| token.word.chars().count() > ending.chars().count() + 1;
        let written = text[token.place.clone()].to_lowercase();
        self.past.is_some_and(|form| {
            let ends = form
                .endings
                .iter()
                .any(|ending| is_long(ending) && (token.word.ends_with(ending) || written.ends_with(ending)));
            ends && !form.never.iter().any(|never| token.word.ends_with(never))
        })
    }
}

impl PastForm {
    fn ends(&self, word: &str) -> bool {
        let has = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
        has(self.endings) && !has(self.never)
    }
}

/// Whether a sign ends a sentence: a dot within a number, behind a title or before a small letter does not.
fn ends(text: &str, at: usize, sign: char) -> bool {
    match sign {
        '?' | '？' | '!' | '！' | '。' | '\n' => true,
        '.' => dot_ends_sentence(&text[..at], &text[at + 1..]),
        _ => false,
    }
}

/// Whether a dot between two parts of a text ends a sentence.
pub(crate) fn dot_ends_sentence(before: &str, after: &str) -> bool {
    let is_apart = after.chars().next().is_none_or(char::is_whitespace);
    let goes_on = after.trim_start().chars().next().is_some_and(char::is_lowercase);
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_title = word.chars().count() <= ABBREVIATION && word.starts_with(char::is_uppercase);
    is_apart && !goes_on && !is_title
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{languages::ALL, tokens::tokens};

    fn sentences(text: &str) -> Vec<(&str, bool)> {
        Sentence::all_in(text).into_iter().map(|of| (text[of.place].trim(), of.asks)).collect()
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(
            sentences("It hurts today. What did Dr. Chen say?\nThanks!"),
            [("It hurts today", false), ("What did Dr. Chen say", true), ("Thanks", false)]
        );
        assert_eq!(sentences("Is it 1.2 or v1.3. of May?"), [("Is it 1.2 or v1.3. of May", true)]);
        assert_eq!(sentences("我病了。现在怎么办？"), [("我病了", false), ("现在怎么办", true)]);
        assert_eq!(sentences("the rent now"), [("the rent now", false)]);
        assert_eq!(sentences(" ...?! "), []);
    }

    #[test]
    fn what_was_comes_before_what_is() {
        let tense = |text: &str| {
            let (tokens, languages) = (tokens(text), ALL.to_vec());
            Sentence::all_in(text)[0].tense(&tokens, &languages)
        };
        for text in [
            "What did I do first?",
            "Where is the note that was on the door?",
            "Have we settled it?",
            "What are the calls I missed?",
        ] {
            assert_eq!(tense(text), Some(Tense::Was), "{text}");
        }
        for text in ["What's the first step?", "What should I do?", "What do I have to do first?", "Am I free?"] {
            assert_eq!(tense(text), Some(Tense::Is), "{text}");
        }
        for text in ["the rent in May", "Can you list Monday's calls?", ""] {
            let sentence = Sentence::new(0..text.len(), true);
            assert_eq!(sentence.tense(&tokens(text), &ALL), None, "{text}");
        }
    }
}
