//! Text to terms: what counts as a word, and which words are one term.

mod continuing;
mod dates;
mod dictionary;
mod fold;
mod form;
mod function_words;
mod language;
mod languages;
mod located;
mod paper;
mod phrases;
mod question;
mod requests;
mod spaced;
mod stems;
mod stopwords;
mod time_words;
mod wishes;
mod words;

use std::{collections::HashSet, fmt, str::FromStr};

pub use dates::{Days, MONTHS, NamedDate};
pub(crate) use dictionary::translated;
pub use dictionary::{GLOSSES, can_gloss, gloss, gloss_as};
pub(crate) use fold::fold as folded;
pub use form::Form;
pub use language::Language;
pub use question::{Question, SpeakerName};

use self::{fold::lowered, stems::Stems};
use crate::types::UnknownChoice;

/// A rule that turns text into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Analyzer {
    /// Unicode words, case and accents folded, without the function words of the text's language, and their Snowball stems in
    /// it; in English where it tells no language that is known by its words (`languages.rs`).
    #[default]
    English,
    /// Unicode words, case and accents folded; no stop words, no stems: for any language.
    Plain,
    /// The analyzer of the fusion study's published baseline; only to reproduce it.
    FusionStudy,
}

impl Analyzer {
    /// Starts a run over many texts; the run remembers what it has already stemmed.
    pub fn session(self) -> Analysis {
        Analysis { analyzer: self, stems: Stems::default() }
    }

    /// The distinct terms of a query, in order of first use.
    ///
    /// Of a query in another language than English its function words are left out, unless it has no other words.
    pub fn query_terms(self, query: &str) -> Vec<String> {
        let language = Language::of(query);
        distinct(self.query_words(query, language, &[]).into_iter().map(|mut forms| forms.swap_remove(0)))
    }

    /// The words of a query whose language is known, each with the terms that it may be in a text: one of the query's language
    /// first, then those of each of `languages`.
    fn query_words(self, query: &str, language: Option<Language>, languages: &[Option<Language>]) -> Vec<Vec<String>> {
        let words = match language {
            None | Some(Language::English) => Vec::new(),
            Some(of) => self.words_but(query, language, languages, &|word| function_words::is_function_word(of, word)),
        };
        if words.is_empty() { self.words_but(query, language, languages, &|_| false) } else { words }
    }

    fn words_but(
        self,
        text: &str,
        language: Option<Language>,
        languages: &[Option<Language>],
        left_out: &dyn Fn(&str) -> bool,
    ) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        let mut alone = |term: &str| found.push(vec![term.to_owned()]);
        match self {
            Analyzer::FusionStudy => paper::terms(text, &mut alone),
            Analyzer::Plain => words::words(&folded(text), &mut alone),
            Analyzer::English => {
                let of = |language: &Option<Language>| language.and_then(Language::number);
                let (number, numbers) = (of(&language), languages.iter().map(of).collect::<Vec<_>>());
                let mut stems = Stems::default();
                words::words(&lowered(text), &mut |word| {
                    let word = languages::without_elision(word, number);
                    let plain = folded(word);
                    let is_stopped = number.is_none() && stopwords::is_english(&plain);
                    if is_stopped || left_out(&plain) {
                        return;
                    }
                    let mut forms: Vec<String> = Vec::new();
                    for number in std::iter::once(&number).chain(&numbers) {
                        // People leave accents out, and a stemmer goes by them.
                        for word in [word, &plain] {
                            stems.of(word, *number, &mut |stem| {
                                if !forms.iter().any(|form| form == stem) {
                                    forms.push(stem.to_owned());
                                }
                            });
                        }
                    }
                    found.push(forms);
                });
            }
        }
        found
    }
}

fn distinct(terms: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    terms.filter(|term| seen.insert(term.clone())).collect()
}

/// An analyzer at work, with a memory of the stems it has made.
pub struct Analysis {
    analyzer: Analyzer,
    stems: Stems,
}

/// Bytes of the longest word that is taken for one of a language. Nobody types longer ones: they are keys, encoded files and
/// the like, which have no stem and no misspelling, and the stemmer takes time by the square of their length.
pub(crate) const LONGEST_WORD: usize = 500;

impl Analysis {
    /// Calls `found` with each term of `text`, in order, repeats included.
    pub fn terms(&mut self, text: &str, found: &mut dyn FnMut(&str)) {
        self.terms_in(text, || Language::of(text), found);
    }

    /// The same of a part of a text whose language is known.
    fn terms_in(&mut self, text: &str, language: impl Fn() -> Option<Language>, found: &mut dyn FnMut(&str)) {
        match self.analyzer {
            Analyzer::FusionStudy => paper::terms(text, found),
            Analyzer::Plain => words::words(&folded(text), found),
            Analyzer::English => {
                let number = language().and_then(Language::number);
                words::words(&lowered(text), &mut |word| {
                    let word = languages::without_elision(word, number);
                    if !languages::says_little(&folded(word), number) {
                        self.stems.of(word, number, found);
                    }
                });
            }
        }
    }
}

impl fmt::Display for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Analyzer::English => "english",
            Analyzer::Plain => "plain",
            Analyzer::FusionStudy => "paper-2606",
        })
    }
}

impl FromStr for Analyzer {
    type Err = UnknownChoice;
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "english" => Ok(Analyzer::English),
            "plain" => Ok(Analyzer::Plain),
            "paper-2606" => Ok(Analyzer::FusionStudy),
            _ => Err(UnknownChoice { what: "analyzer", found: word.into(), expected: "english, plain or paper-2606" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(analyzer: Analyzer, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        analyzer.session().terms(text, &mut |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn english_folds_stops_and_stems() {
        assert_eq!(terms(Analyzer::English, "The runner's RUNNING shoes"), ["runner", "run", "shoe"]);
        assert_eq!(terms(Analyzer::English, "Café Zürich, naïve"), ["cafe", "zurich", "naiv"]);
        assert_eq!(terms(Analyzer::English, "what was it that I did?"), Vec::<String>::new());
    }

    #[test]
    fn an_apostrophe_of_either_kind_is_one() {
        assert_eq!(terms(Analyzer::English, "Leena’s dog"), terms(Analyzer::English, "Leena's dog"));
        assert_eq!(terms(Analyzer::English, "don’t"), Vec::<String>::new());
    }

    #[test]
    fn a_text_has_the_stems_of_its_language() {
        for (text, found) in [
            ("Wir haben die Wohnungen besichtigt", &["wohnung", "besichtigt"][..]),
            ("Nous avons visité l'appartement", &["visit", "appart"]),
            ("L'ho vista all'alba con un'amica", &["vist", "alba", "amic"]),
            ("cuando vimos la habitacion y las habitaciones", &["vim", "habit", "habit"]),
            ("Мы купили новую дачу", &["куп", "нов", "дач"]),
            ("Vi har sålt båtarna", &["salt", "bat"]),
            ("The Wohnungen were running late", &["wohnungen", "run", "late"]),
        ] {
            assert_eq!(terms(Analyzer::English, text), found, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_stemmer_takes_any_word(word in "[a-zäöüßéèñçãõåøæłışğőűțșăâîа-яё']{0,12}|\\PC{0,12}") {
            let mut stems = Stems::default();
            for number in 0..languages::LANGUAGES.len() {
                stems.of(&lowered(&word), Some(number), &mut |_| ());
            }
        }
    }

    #[test]
    fn other_scripts_give_terms() {
        for text in ["東京に行きました", "我喜欢猫", "한국어 공부", "Привет мир", "สวัสดี", "مرحبا بالعالم"]
        {
            assert!(!terms(Analyzer::English, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_query_has_each_term_once() {
        assert_eq!(Analyzer::English.query_terms("dogs and a dog, dogs"), ["dog"]);
    }

    /// The stemmer copied a word once for each `y` in it: a megabyte took a minute.
    #[test]
    fn an_endless_word_has_no_stem() {
        let endless = "y".repeat(1 << 20) + "ing";
        assert_eq!(Analyzer::English.query_terms(&endless), [endless]);
        let longest = "y".repeat(LONGEST_WORD - 3) + "ing";
        assert_eq!(Analyzer::English.query_terms(&longest), [&longest[..LONGEST_WORD - 3]]);
    }

    /// Each was compared with all others before it.
    #[test]
    fn a_pasted_log_has_all_its_terms() {
        let log: Vec<String> = (0..200_000).map(|n| format!("w{n}q")).collect();
        assert_eq!(Analyzer::English.query_terms(&log.join(" ")), log);
    }
}
