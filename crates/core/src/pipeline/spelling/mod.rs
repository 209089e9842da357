//! Words of a query that the namespace never saw are looked up among those that it has.

mod edits;
mod in_languages;
mod known_terms;
mod related;
mod translated;
mod unsaid;

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use self::known_terms::KnownTerms;
pub use self::unsaid::unsaid_codes;
use super::{
    codes::{Code, codes},
    variants::{one_edit_away, respellings},
};
use crate::{
    analysis::{Analyzer, LONGEST_WORD, Language, Question, folded},
    index::Index,
};

/// A word of a query that no text, title or cue question has, and what was searched instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The word as written.
    pub written: String,
    /// The terms that took its place.
    pub terms: Vec<String>,
    /// These as words, for people: a term may be a stem.
    pub words: Vec<String>,
}

/// Letters from which a term is looked up; shorter ones are like too many others.
const SHORTEST: usize = 4;
/// Letters from which a word of another language than English may have other mistakes than a letter too few. Nothing tells
/// there a word from a misspelt one, and of few letters, "fuhr" and "fur", "Juli" and "Juni" are both meant.
const SHORTEST_FOREIGN: usize = 6;
/// Letters up to which all words one edit away are made: what is longer is no word, and they are as many as fifty for each.
const LONGEST: usize = 40;
/// Unknown terms of one query that are looked up: each is compared with all terms, and a pasted log has thousands.
const MOST_LOOKED_UP: usize = 16;
/// Edits that are ever allowed.
pub(super) const MOST_EDITS: u8 = 2;

/// The question with terms that the index has, and what was changed; `None` where nothing is.
///
/// The stems of a word may differ between the languages that texts are in: those that the index has are taken
/// (`in_languages.rs`). A number or code that the index writes with other separators, or none, is searched as it writes it
/// (`codes.rs`). A word whose umlauts and ß the index writes the other way is searched as it writes them (`variants.rs`).
/// Another term is taken apart where both parts are known (`err4711`). Of another language than English, a word is searched
/// in an inflection that the stemmer does not know, as a part of a compound, or by its own parts (`related.rs`). Else a word
/// one edit away takes its place whose term is known: one that `is_word` knows, or, where that cannot say, one with the ending
/// that was written. Else it is the nearest known term, one edit away, or two for a long term, and `most` bounds their number.
///
/// What another language that texts are in has for a word is looked for beside it (`translated.rs`).
///
/// An edit is a letter too many, too few, another, or two swapped (optimal string alignment). The first letter stays. Of
/// equally near ones, the one in most texts is taken. A word that `is_word` knows is meant as it is written; it knows English
/// ones. Where it cannot say, nothing is changed unless no other term of the query is known: too many correct words are near
/// another.
pub fn corrected(
    question: &Question,
    index: &Index,
    most: u8,
    is_word: &dyn Fn(&str) -> Option<bool>,
) -> Option<(Question, Vec<Correction>)> {
    let known = KnownTerms::new(index, most);
    let found = known.corrected(question, is_word);
    // The words of a part are not those of the namespace.
    let is_whole = most > 0 && index.collection().is_none() && index.spec().analyzer == Analyzer::English;
    let translated = if is_whole { known.translated(question) } else { Vec::new() };
    if translated.is_empty() {
        return found;
    }
    let (question, corrections) = found.unwrap_or_else(|| (question.clone(), Vec::new()));
    let mut seen = HashSet::new();
    let terms = question.terms.iter().cloned().chain(translated).filter(|term| seen.insert(term.clone()));
    Some((question.with_terms(terms.collect()), corrections))
}

impl KnownTerms<'_> {
    /// The question with terms that the index has of its own words.
    fn corrected(
        &self,
        question: &Question,
        is_word: &dyn Fn(&str) -> Option<bool>,
    ) -> Option<(Question, Vec<Correction>)> {
        let in_languages = self.in_languages(question);
        let unchanged = |in_languages: Option<Question>| in_languages.map(|question| (question, Vec::new()));
        // The words of a part are not those of the namespace.
        if self.most == 0 || self.index.collection().is_some() {
            return unchanged(in_languages);
        }
        let question = in_languages.as_ref().unwrap_or(question);
        let mut codes = codes(question.text(), self.index);
        let mut corrections = Vec::new();
        let mut terms: Vec<String> = Vec::with_capacity(question.terms.len());
        let mut unknown = 0;
        for term in &question.terms {
            if let Some(code) = codes.iter_mut().find(|code| code.pieces.contains(term)) {
                // The code takes the place of its pieces, which stand together nowhere.
                let Code { written, terms: others, .. } = code;
                if !others.is_empty() {
                    terms.extend(others.iter().cloned());
                    let terms = std::mem::take(others);
                    corrections.push(Correction { written: std::mem::take(written), words: terms.clone(), terms });
                }
                continue;
            }
            let is_known = self.has(term);
            unknown += usize::from(!is_known);
            let looked_up = !is_known && unknown <= MOST_LOOKED_UP && term.len() <= LONGEST_WORD;
            match if looked_up { self.correction(question, term, is_word) } else { None } {
                None => terms.push(term.clone()),
                Some(correction) => {
                    terms.extend(correction.terms.iter().cloned());
                    corrections.push(correction);
                }
            }
        }
        if corrections.is_empty() {
            return unchanged(in_languages);
        }
        let mut seen = HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        Some((question.with_terms(terms), corrections))
    }

    fn correction(
        &self,
        question: &Question,
        term: &str,
        is_word: &dyn Fn(&str) -> Option<bool>,
    ) -> Option<Correction> {
        let written = self.written(question, term);
        let word = written.to_lowercase();
        let length = word.chars().count();
        if length < SHORTEST {
            return None;
        }
        let by_other_word =
            |(word, term)| Correction { written: written.clone(), terms: vec![term], words: vec![word] };
        let by_terms = |terms: Vec<String>| Correction { written: written.clone(), words: terms.clone(), terms };
        let is_long = |_: &str, term: &str| term.chars().count() >= SHORTEST;
        if let Some(found) = self.most_held(question, respellings(&word), is_long) {
            return Some(by_other_word(found));
        }
        let is_foreign = self.is_foreign(question);
        // Of a plural, a vocabulary may have the stem alone.
        let is_meant = match is_word(&word) {
            Some(known) => known || is_word(term) == Some(true),
            None => question.terms.iter().any(|term| self.has(term)),
        };
        if is_meant && !is_foreign {
            return None;
        }
        let related = if is_foreign { self.related(question, term, &word) } else { None };
        if let Some(terms) = self.parts(term).or(related) {
            return Some(by_terms(terms));
        }
        if is_meant {
            return None;
        }
        // The ending of a word that is misspelt may have been taken for one of grammar: its stem is no guide then.
        let nearest = || self.nearest(&word).or_else(|| self.nearest(term)).map(|term| (term.clone(), term));
        let word = folded(&word);
        // A letter may be wrong in what the stem keeps or in an ending. Of the words that nobody says, some have the stem of
        // one that somebody says, and an ending that nobody wrote: "pastlies" for "pastries" is "past".
        let is_likely = |other: &str, term: &str| {
            let has_ending = || word.ends_with(&other[common_start(other, term)..]);
            let is_word = if is_foreign { None } else { is_word(other) };
            other == term || is_word.unwrap_or_else(has_ending)
        };
        let mut others = if length <= LONGEST { one_edit_away(&word) } else { Default::default() };
        if is_foreign && length < SHORTEST_FOREIGN {
            others.retain(|other| other.chars().count() > length);
            return self.most_held(question, others, is_likely).map(by_other_word);
        }
        self.most_held(question, others, is_likely).or_else(nearest).map(by_other_word)
    }

    /// The word of a question that became a term.
    fn written(&self, question: &Question, term: &str) -> String {
        let is_it = |word: &&str| self.forms(question, word).is_some_and(|forms| forms.iter().any(|form| form == term));
        question.text().unicode_words().find(is_it).unwrap_or(term).to_owned()
    }

    /// Whether a question is in another language than English, by its own words or by those of the texts.
    fn is_foreign(&self, question: &Question) -> bool {
        match question.language() {
            Some(language) => language != Language::English,
            None => !self.main_languages.is_empty(),
        }
    }
}

/// How many bytes two words have in common at their beginning.
fn common_start(word: &str, other: &str) -> usize {
    let pairs = word.char_indices().zip(other.chars());
    pairs
        .take_while(|((_, letter), other)| letter == other)
        .last()
        .map_or(0, |((at, letter), _)| at + letter.len_utf8())
}
