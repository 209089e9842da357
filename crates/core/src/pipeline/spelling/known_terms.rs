//! The terms of an index, and which of them is nearest to another.

use std::collections::BTreeSet;

use super::{SHORTEST, edits::Rows};
use crate::{
    analysis::{Language, Question},
    index::Index,
};

/// Letters from which two edits are allowed.
const LONG: usize = 8;

/// The terms of an index.
pub(super) struct KnownTerms<'i> {
    pub(super) index: &'i Index,
    /// Edits that are allowed.
    pub(super) most: usize,
    /// The languages that texts are in.
    pub(super) languages: Vec<Language>,
    /// Those of them that most texts are in.
    pub(super) main_languages: Vec<Language>,
}

/// A language is one of a namespace where this share of its texts is in it.
pub(super) const OF_NAMESPACE: f64 = 0.05;
/// A question that tells no language is in one that this share of the texts is in.
const MOSTLY: f64 = 0.5;

impl<'i> KnownTerms<'i> {
    pub(super) fn new(index: &'i Index, most: u8) -> Self {
        let shares = index.documents().languages();
        let from =
            |least: f64| shares.iter().filter(|(_, share)| *share >= least).map(|(language, _)| *language).collect();
        Self { index, most: usize::from(most), languages: from(OF_NAMESPACE), main_languages: from(MOSTLY) }
    }

    /// The terms that a word may be; `None` for a stop word, and for what is several words.
    pub(super) fn forms(&self, question: &Question, word: &str) -> Option<Vec<String>> {
        let mut words = question.words_of(word, self.index.spec().analyzer, &self.languages).into_iter();
        words.next().filter(|_| words.next().is_none())
    }

    /// Whether a text has a term, or a title or cue question; of an index of candidates, whether a text of the namespace has it.
    pub(super) fn has(&self, term: &str) -> bool {
        let Self { index, .. } = self;
        if index.collection().is_some() {
            return self.holders(term) > 0;
        }
        self.holders(term) > 0
            || !index.titles().postings().of(term).is_empty()
            || index.cues().is_some_and(|cues| !cues.questions().postings().of(term).is_empty())
    }

    /// How many texts have a term.
    pub(super) fn holders(&self, term: &str) -> usize {
        match self.index.collection() {
            Some(collection) => collection.terms.get(term).map_or(0, |holders| holders.texts),
            None => self.index.postings().of(term).len(),
        }
    }

    /// Of some words that will do with their terms, the one whose term most texts have, and that term; `None` where no text
    /// has any. A number is never taken for another.
    pub(super) fn most_held(
        &self,
        question: &Question,
        words: BTreeSet<String>,
        will_do: impl Fn(&str, &str) -> bool,
    ) -> Option<(String, String)> {
        let held = words.into_iter().filter_map(|word| {
            // A word that is cut into several is another matter.
            let terms = self.forms(question, &word)?;
            let counted = terms.into_iter().map(|term| (self.holders(&term), term));
            let fits = |(holders, term): &(usize, String)| {
                *holders > 0 && !term.chars().any(char::is_numeric) && will_do(&word, term)
            };
            let (holders, term) = counted.filter(fits).max_by_key(|(holders, _)| *holders)?;
            Some((holders, std::cmp::Reverse(word), term))
        });
        held.max().map(|(_, std::cmp::Reverse(word), term)| (word, term))
    }

    /// The term as two known ones, letters and digits.
    pub(super) fn parts(&self, term: &str) -> Option<Vec<String>> {
        let bounds = term.char_indices().zip(term.chars().skip(1));
        let split = bounds.filter(|((_, before), after)| before.is_numeric() != after.is_numeric());
        let parts = split.map(|((at, before), _)| term.split_at(at + before.len_utf8()));
        let known = parts.map(|(first, second)| [first, second]).find(|parts| parts.iter().all(|part| self.has(part)));
        known.map(|parts| parts.map(str::to_owned).to_vec())
    }

    /// The term that is fewest edits away.
    pub(super) fn nearest(&self, word: &str) -> Option<String> {
        let letters: Vec<char> = word.chars().collect();
        if letters.len() < SHORTEST {
            return None;
        }
        let most = self.most.min(if letters.len() < LONG { 1 } else { 2 });
        let mut best: Option<(usize, std::cmp::Reverse<usize>, &str)> = None;
        let mut rows = Rows::default();
        for (term, holders) in self.index.postings().counted_terms() {
            // Cheap reasons against most terms come first.
            if term.len().abs_diff(letters.len()) > most + 3 || !term.starts_with(letters[0]) {
                continue;
            }
            if term.chars().any(char::is_numeric) {
                continue;
            }
            let Some(edits) = rows.edits(&letters, term, most) else { continue };
            let found = (edits, std::cmp::Reverse(holders), term);
            if best.is_none_or(|best| found < best) {
                best = Some(found);
            }
        }
        best.map(|(_, _, term)| term.to_owned())
    }
}
