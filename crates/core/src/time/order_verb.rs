//! Words of order that are verbs: "how long did the outage last?" asks for no newest turn.

use std::ops::Range;

use super::{
    language::{Language, OrderVerb},
    query_text::QueryText,
    sentences::Sentence,
};

impl QueryText<'_> {
    /// Whether the words of order of a sentence are a verb there.
    pub(super) fn is_verb(&self, words: &Range<usize>, sentence: &Sentence) -> bool {
        words.len() == 1
            && self.languages.iter().any(|language| {
                let verb = language.order_verb.filter(|verb| self.tokens[words.start].word == verb.word);
                verb.is_some_and(|verb| self.is_used_as(&verb, language, words.start, sentence))
            })
    }

    fn is_used_as(&self, verb: &OrderVerb, language: &Language, at: usize, sentence: &Sentence) -> bool {
        let first = self.tokens.partition_point(|token| token.place.start < sentence.place.start);
        let before = &self.tokens[first..at];
        let Some(previous) = before.last().map(|token| token.word.as_str()) else { return false };
        let is_number = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit()) || language.numbers.iter().any(|(number, _)| *number == word)
        };
        let next = self.tokens.get(at + 1).filter(|token| sentence.holds(token)).map(|token| token.word.as_str());
        let is_apart = next.is_none_or(|word| verb.before.contains(&word) || is_number(word));
        if !is_apart || verb.never_behind.contains(&previous) {
            return false;
        }
        let finds = |patterns: &[&str], from: usize| {
            patterns.iter().filter_map(|pattern| Some(language.find(pattern, &before[from..])?.0)).max()
        };
        let (openings, most) = verb.openings;
        let opens = || finds(openings, 0).is_some_and(|words| (1..=most).contains(&(before.len() - words)));
        verb.auxiliaries.contains(&previous)
            || (0..before.len()).any(|from| finds(verb.behind, from).is_some())
            || opens()
    }
}
