//! Text to terms: what counts as a word, and which words are one term.

mod dates;
mod fold;
mod form;
mod function_words;
mod language;
mod located;
mod paper;
mod question;
mod stopwords;
mod time_words;
mod words;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    str::FromStr,
};

use rust_stemmers::{Algorithm, Stemmer};

pub use dates::{Days, MONTHS, NamedDate};
pub(crate) use fold::fold as folded;
pub use form::Form;
pub use language::Language;
pub use question::{Question, SpeakerName};

use crate::types::UnknownChoice;

/// A rule that turns text into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Analyzer {
    /// Unicode words, case and accents folded, English stop words, Snowball English stems.
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
        Analysis { analyzer: self, stems: HashMap::new(), stemmer: Stemmer::create(Algorithm::English) }
    }

    /// The distinct terms of a query, in order of first use.
    ///
    /// Of a query in another language than English its function words are left out, unless it has no other words.
    pub fn query_terms(self, query: &str) -> Vec<String> {
        self.terms_in(query, Language::of(query))
    }

    /// The same of a part of a query whose language is known.
    fn terms_in(self, query: &str, language: Option<Language>) -> Vec<String> {
        let of_language =
            |language: Language| self.distinct_terms(query, &|word| function_words::is_function_word(language, word));
        let terms = match language {
            None | Some(Language::English) => Vec::new(),
            Some(language) => of_language(language),
        };
        if terms.is_empty() { self.distinct_terms(query, &|_| false) } else { terms }
    }

    fn distinct_terms(self, text: &str, left_out: &dyn Fn(&str) -> bool) -> Vec<String> {
        let (mut terms, mut seen) = (Vec::new(), HashSet::new());
        self.session().terms_but(text, left_out, &mut |term| {
            if !seen.contains(term) {
                seen.insert(term.to_owned());
                terms.push(term.to_owned());
            }
        });
        terms
    }
}

/// An analyzer at work, with a memory of the stems it has made.
pub struct Analysis {
    analyzer: Analyzer,
    stems: HashMap<String, String>,
    stemmer: Stemmer,
}

/// Distinct words whose stems are remembered; a history has far fewer.
const REMEMBERED_STEMS: usize = 1 << 18;

/// Bytes of the longest word that is taken for one of a language. Nobody types longer ones: they are keys, encoded files and
/// the like, which have no stem and no misspelling, and the stemmer takes time by the square of their length.
pub(crate) const LONGEST_WORD: usize = 500;

impl Analysis {
    /// Calls `found` with each term of `text`, in order, repeats included.
    pub fn terms(&mut self, text: &str, found: &mut dyn FnMut(&str)) {
        self.terms_but(text, &|_| false, found);
    }

    /// The same without some words.
    fn terms_but(&mut self, text: &str, left_out: &dyn Fn(&str) -> bool, found: &mut dyn FnMut(&str)) {
        match self.analyzer {
            Analyzer::FusionStudy => paper::terms(text, found),
            Analyzer::Plain => words::words(text, found),
            Analyzer::English => words::words(text, &mut |word| {
                if !stopwords::is_english(word) && !left_out(word) {
                    self.with_stem(word, found);
                }
            }),
        }
    }

    fn with_stem(&mut self, word: &str, found: &mut dyn FnMut(&str)) {
        if !word.is_ascii() || !(3..=LONGEST_WORD).contains(&word.len()) {
            return found(word);
        }
        if let Some(stem) = self.stems.get(word) {
            return found(stem);
        }
        let stem = self.stemmer.stem(word).into_owned();
        found(&stem);
        if self.stems.len() < REMEMBERED_STEMS {
            self.stems.insert(word.to_owned(), stem);
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
