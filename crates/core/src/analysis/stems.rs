//! The stems of words, remembered.

use std::{borrow::Cow, collections::HashMap};

use rust_stemmers::{Algorithm, Stemmer};

use super::{
    LONGEST_WORD,
    fold::fold,
    languages::{KnownLanguage, LANGUAGES},
};

/// Distinct words of a language whose stems are remembered; a history has far fewer.
const REMEMBERED_STEMS: usize = 1 << 18;

/// Stemmers at work.
#[derive(Default)]
pub(super) struct Stems {
    english: Option<OfLanguage>,
    others: [Option<OfLanguage>; LANGUAGES.len()],
}

/// The stemmer of a language, with a memory of the stems it has made.
struct OfLanguage {
    stemmer: Stemmer,
    known: HashMap<String, String>,
}

impl OfLanguage {
    fn new(algorithm: Algorithm) -> Self {
        Self { stemmer: Stemmer::create(algorithm), known: HashMap::new() }
    }

    fn of(&mut self, word: &str, then: impl Fn(&str) -> String, found: &mut dyn FnMut(&str)) {
        if let Some(stem) = self.known.get(word) {
            return found(stem);
        }
        let stem = then(&self.stemmer.stem(word));
        found(&stem);
        if self.known.len() < REMEMBERED_STEMS {
            self.known.insert(word.to_owned(), stem);
        }
    }
}

impl Stems {
    /// Calls `found` with the stem of a word of a text in a language; the word has its accents.
    ///
    /// Where the language has no stemmer, or none is known, it is the English one, whose words are of ASCII letters alone.
    pub(super) fn of(&mut self, word: &str, number: Option<usize>, found: &mut dyn FnMut(&str)) {
        let known = number.map(|number| (number, &LANGUAGES[number]));
        let Some((number, algorithm)) = known.and_then(|(number, known)| Some((number, known.stemmer?))) else {
            return self.of_english(&fold(word), found);
        };
        let language = &LANGUAGES[number];
        if word.len() > LONGEST_WORD || !word.chars().all(char::is_alphabetic) {
            return found(&fold(word));
        }
        let stems = self.others[number].get_or_insert_with(|| OfLanguage::new(algorithm));
        stems.of(&with_accent(language, word), |stem| fold(stem).into_owned(), found);
    }

    fn of_english(&mut self, word: &str, found: &mut dyn FnMut(&str)) {
        if !word.is_ascii() || !(3..=LONGEST_WORD).contains(&word.len()) {
            return found(word);
        }
        let stems = self.english.get_or_insert_with(|| OfLanguage::new(Algorithm::English));
        stems.of(word, str::to_owned, found);
    }
}

/// A word with the accent that its ending has and that is often left out: the stemmer knows it by that.
fn with_accent<'w>(language: &KnownLanguage, word: &'w str) -> Cow<'w, str> {
    let accented = language.accented.iter().find_map(|(plain, accented)| Some((word.strip_suffix(plain)?, accented)));
    accented.map_or(Cow::Borrowed(word), |(beginning, accented)| Cow::Owned(format!("{beginning}{accented}")))
}
