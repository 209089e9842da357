//! A question in the words of other languages that texts are in.

use super::{KnownTerms, known_terms::OF_NAMESPACE};
use crate::analysis::{Language, Question, translated};

/// Languages that a text does not tell by its words, each with a term that hardly a longer text of it lacks.
const TOLD_BY: [(Language, &str); 2] = [(Language::Named("Chinese"), "的"), (Language::Named("Japanese"), "の")];

impl KnownTerms<'_> {
    /// Terms that stand for words of a question in other languages that texts are in. Each is in a text of another language than
    /// the question's: words of two languages are often written alike.
    pub(super) fn translated(&self, question: &Question) -> Vec<String> {
        let spoken = self.spoken();
        let asked_in = question.language();
        if spoken.is_empty() && asked_in.is_none_or(|language| language == Language::English) {
            return Vec::new();
        }
        let from = match asked_in {
            Some(language) => vec![language],
            None => [Language::English].into_iter().chain(self.main_languages.iter().copied()).collect(),
        };
        let mut found = Vec::new();
        for from in from {
            for to in spoken.iter().copied().chain([Language::English]).filter(|to| *to != from) {
                let terms = translated(question.text(), from, to);
                found.extend(terms.into_iter().filter(|term| self.is_said_in_another(term, from)));
            }
        }
        found
    }

    /// The languages other than English that texts are in.
    fn spoken(&self) -> Vec<Language> {
        let texts = self.index.postings().lengths().len();
        let is_spoken = |(_, term): &(Language, &str)| match self.holders(term) {
            0 => false,
            holders => holders as f64 >= OF_NAMESPACE * texts as f64,
        };
        let by_script = TOLD_BY.into_iter().filter(is_spoken).map(|(language, _)| language);
        self.languages.iter().copied().chain(by_script).collect()
    }

    /// Whether a text has a term that is not in this language, as far as it tells one.
    fn is_said_in_another(&self, term: &str, language: Language) -> bool {
        let form = |text: u32| self.index.documents().form(text).language_number();
        // Of an English text and of one in a script without spaces, no language is kept.
        let is_other = |text: u32| match language.number() {
            Some(number) => form(text) != Some(number),
            None => language != Language::English || !term.is_ascii() || form(text).is_some(),
        };
        self.index.postings().of(term).iter().any(|posting| is_other(posting.text))
    }
}
