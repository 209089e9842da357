//! Words of a query that the namespace never saw are looked up among those that it has.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

use super::{
    codes::{Code, codes},
    variants::{one_edit_away, respellings},
};
use crate::{
    analysis::{LONGEST_WORD, Question, folded},
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
/// Letters up to which all words one edit away are made: what is longer is no word, and they are as many as fifty for each.
const LONGEST: usize = 40;
/// Letters from which two edits are allowed.
const LONG: usize = 8;
/// Unknown terms of one query that are looked up: each is compared with all terms, and a pasted log has thousands.
const MOST_LOOKED_UP: usize = 16;
/// Edits that are ever allowed.
pub(super) const MOST_EDITS: u8 = 2;

/// The question with terms that the index has, and what was changed; `None` where nothing is.
///
/// A number or code that the index writes with other separators, or none, is searched as it writes it (`codes.rs`). A word
/// whose umlauts and ß the index writes the other way is searched as it writes them (`variants.rs`). Another term is taken
/// apart where both parts are known (`err4711`). Else a word one edit away takes its place whose term is known: one that
/// `is_word` knows, or, where that cannot say, one with the ending that was written. Else it is the nearest known term, one
/// edit away, or two for a long term, and `most` bounds their number.
///
/// An edit is a letter too many, too few, another, or two swapped (optimal string alignment). The first letter stays. Of
/// equally near ones, the one in most texts is taken. A word that `is_word` knows is meant as it is written. Where it
/// cannot say, nothing is changed unless no other term of the query is known: too many correct words are near another.
pub fn corrected(
    question: &Question,
    index: &Index,
    most: u8,
    is_word: &dyn Fn(&str) -> Option<bool>,
) -> Option<(Question, Vec<Correction>)> {
    // The words of a part are not those of the namespace.
    if most == 0 || index.collection().is_some() {
        return None;
    }
    let known = Known { index, most: usize::from(most) };
    let mut codes = codes(question.text(), index);
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
        let is_known = known.has(term);
        unknown += usize::from(!is_known);
        let looked_up = !is_known && unknown <= MOST_LOOKED_UP && term.len() <= LONGEST_WORD;
        match if looked_up { known.correction(question, term, is_word) } else { None } {
            None => terms.push(term.clone()),
            Some(correction) => {
                terms.extend(correction.terms.iter().cloned());
                corrections.push(correction);
            }
        }
    }
    if corrections.is_empty() {
        return None;
    }
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    Some((question.with_terms(terms), corrections))
}

/// The word of the question that became a term.
fn written(question: &Question, index: &Index, term: &str) -> String {
    let analyzer = index.spec().analyzer;
    let is_it = |word: &&str| analyzer.query_terms(word).first().is_some_and(|found| found == term);
    question.text().unicode_words().find(is_it).unwrap_or(term).to_owned()
}

/// The terms of an index.
struct Known<'i> {
    index: &'i Index,
    most: usize,
}

impl Known<'_> {
    fn has(&self, term: &str) -> bool {
        let Self { index, .. } = self;
        !index.postings().of(term).is_empty()
            || !index.titles().postings().of(term).is_empty()
            || index.cues().is_some_and(|cues| !cues.questions().postings().of(term).is_empty())
    }

    fn correction(
        &self,
        question: &Question,
        term: &str,
        is_word: &dyn Fn(&str) -> Option<bool>,
    ) -> Option<Correction> {
        let written = written(question, self.index, term);
        let word = written.to_lowercase();
        let length = word.chars().count();
        if length < SHORTEST {
            return None;
        }
        if let Some((word, term)) = self.most_held(respellings(&word), |_, term| term.chars().count() >= SHORTEST) {
            return Some(Correction { written, terms: vec![term], words: vec![word] });
        }
        // Of a plural, a vocabulary may have the stem alone.
        let is_meant = match is_word(&word) {
            Some(known) => known || is_word(term) == Some(true),
            None => question.terms.iter().any(|term| self.has(term)),
        };
        if is_meant {
            return None;
        }
        if let Some(terms) = self.parts(term) {
            return Some(Correction { written, words: terms.clone(), terms });
        }
        // The ending of a word that is misspelt may have been taken for one of grammar: its stem is no guide then.
        let nearest = || self.nearest(&word).or_else(|| self.nearest(term)).map(|term| (term.clone(), term));
        let word = folded(&word);
        // A letter may be wrong in what the stem keeps or in an ending. Of the words that nobody says, some have the stem of
        // one that somebody says, and an ending that nobody wrote: "pastlies" for "pastries" is "past".
        let is_likely = |other: &str, term: &str| {
            let has_ending = || word.ends_with(&other[common_start(other, term)..]);
            other == term || is_word(other).unwrap_or_else(has_ending)
        };
        let others = if length <= LONGEST { one_edit_away(&word) } else { BTreeSet::new() };
        let (word, term) = self.most_held(others, is_likely).or_else(nearest)?;
        Some(Correction { written, terms: vec![term], words: vec![word] })
    }

    /// Of some words that will do with their terms, the one whose term most texts have, and that term; `None` where no text
    /// has any. A number is never taken for another.
    fn most_held(&self, words: BTreeSet<String>, will_do: impl Fn(&str, &str) -> bool) -> Option<(String, String)> {
        let analyzer = self.index.spec().analyzer;
        let mut terms = analyzer.session();
        let held = words.into_iter().filter_map(|word| {
            let (mut found, mut count) = (None, 0);
            terms.terms(&word, &mut |term| {
                count += 1;
                found = Some(term.to_owned());
            });
            // A word that is cut into several is another matter.
            let term = found.filter(|_| count == 1)?;
            let holders = self.index.postings().of(&term).len();
            let fits = holders > 0 && !term.chars().any(char::is_numeric) && will_do(&word, &term);
            fits.then_some((holders, std::cmp::Reverse(word), term))
        });
        held.max().map(|(_, std::cmp::Reverse(word), term)| (word, term))
    }

    /// The term as two known ones, letters and digits.
    fn parts(&self, term: &str) -> Option<Vec<String>> {
        let bounds = term.char_indices().zip(term.chars().skip(1));
        let split = bounds.filter(|((_, before), after)| before.is_numeric() != after.is_numeric());
        let parts = split.map(|((at, before), _)| term.split_at(at + before.len_utf8()));
        let known = parts.map(|(first, second)| [first, second]).find(|parts| parts.iter().all(|part| self.has(part)));
        known.map(|parts| parts.map(str::to_owned).to_vec())
    }

    fn nearest(&self, word: &str) -> Option<String> {
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

/// How many bytes two words have in common at their beginning.
fn common_start(word: &str, other: &str) -> usize {
    let pairs = word.char_indices().zip(other.chars());
    pairs
        .take_while(|((_, letter), other)| letter == other)
        .last()
        .map_or(0, |((at, letter), _)| at + letter.len_utf8())
}

/// Three rows of the table of edits, kept between words.
#[derive(Default)]
struct Rows {
    other: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    this: Vec<usize>,
}

impl Rows {
    /// Edits from one word to another, at most `most`; `None` for more.
    fn edits(&mut self, word: &[char], other: &str, most: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(other.chars());
        let other = &self.other;
        if word.len().abs_diff(other.len()) > most {
            return None;
        }
        let width = other.len() + 1;
        self.last.clear();
        self.last.extend(0..width);
        self.before.clear();
        self.before.resize(width, 0);
        self.this.resize(width, 0);
        for (row, &letter) in (1..).zip(word) {
            self.this[0] = row;
            for column in 1..width {
                let same = usize::from(letter != other[column - 1]);
                let mut least =
                    (self.last[column - 1] + same).min(self.last[column] + 1).min(self.this[column - 1] + 1);
                let swapped =
                    row > 1 && column > 1 && letter == other[column - 2] && word[row - 2] == other[column - 1];
                if swapped {
                    least = least.min(self.before[column - 2] + 1);
                }
                self.this[column] = least;
            }
            if self.this.iter().take(width).all(|&edits| edits > most) {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.this);
            self.this.resize(width, 0);
        }
        Some(self.last[width - 1]).filter(|&edits| edits <= most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edits(word: &str, other: &str, most: usize) -> Option<usize> {
        Rows::default().edits(&word.chars().collect::<Vec<_>>(), other, most)
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("pasport", "passport", 1), Some(1));
        assert_eq!(edits("recieve", "receive", 1), Some(1), "swapped letters are one edit");
        assert_eq!(edits("kitten", "sitting", 3), Some(3));
        assert_eq!(edits("kitten", "sitting", 2), None);
        assert_eq!(edits("straße", "strasse", 2), Some(2));
        assert_eq!(edits("same", "same", 1), Some(0));
    }

    proptest! {
        #[test]
        fn edits_are_symmetric_and_bounded(a in "[abc]{0,6}", b in "[abc]{0,6}") {
            let found = edits(&a, &b, 6).unwrap();
            prop_assert_eq!(edits(&b, &a, 6), Some(found));
            prop_assert!(found <= a.len().max(b.len()) && found >= a.len().abs_diff(b.len()));
            prop_assert_eq!(edits(&a, &b, 2), Some(found).filter(|&found| found <= 2), "a bound changes nothing else");
        }
    }
}
