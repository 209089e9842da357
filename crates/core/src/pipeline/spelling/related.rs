//! Words of other languages than English that are written otherwise and are no mistakes: inflections that a stemmer does not
//! know, and compounds.

use std::cmp::Reverse;

use super::KnownTerms;
use crate::analysis::Question;

/// Letters that two inflections of a word have in common at the beginning.
const STEM: usize = 5;
/// Letters at the most by which each is longer.
const ENDING: usize = 2;
/// Letters of a part of a compound.
const PART: usize = 4;
/// Letters of a term that is looked for in compounds.
const IN_COMPOUNDS: usize = 5;
/// Compounds that take its place, at the most.
const MOST_COMPOUNDS: usize = 4;
/// What stands between the parts of a compound.
const LINKS: [&str; 6] = ["", "s", "es", "n", "en", "e"];

impl KnownTerms<'_> {
    /// The terms that stand for one that no text has: another inflection, compounds that it is part of, or its own parts.
    pub(super) fn related(&self, question: &Question, term: &str, word: &str) -> Option<Vec<String>> {
        let inflected = || self.inflected(term).map(|term| vec![term]);
        let has_compounds = question.has_compounds(&self.main_languages);
        let compound =
            || if has_compounds { self.compounds_of(term).or_else(|| self.compounded(question, word)) } else { None };
        inflected().or_else(compound)
    }

    /// The known term that differs in its last letters alone; of several, the one that has most in common.
    fn inflected(&self, term: &str) -> Option<String> {
        let letters: Vec<char> = term.chars().collect();
        let beginning: String = letters.iter().take(STEM - 1).collect();
        let mut best: Option<(usize, Reverse<usize>, usize, Reverse<&str>)> = None;
        for (other, holders) in self.index.postings().counted_terms() {
            if !other.starts_with(&beginning) || other.chars().any(char::is_numeric) {
                continue;
            }
            let common = letters.iter().zip(other.chars()).take_while(|(letter, other)| **letter == *other).count();
            let rests = (letters.len() - common, other.chars().count() - common);
            let is_near = match common {
                ..STEM => common + 1 == STEM && rests.0.min(rests.1) == 0 && rests.0.max(rests.1) == 1,
                _ => rests.0 <= ENDING && rests.1 <= ENDING,
            };
            let found = (common, Reverse(rests.0 + rests.1), holders, Reverse(other));
            if is_near && best.is_none_or(|best| found > best) {
                best = Some(found);
            }
        }
        best.map(|(.., Reverse(other))| other.to_owned())
    }

    /// The known compounds that begin or end with a term, those first that most texts have.
    fn compounds_of(&self, term: &str) -> Option<Vec<String>> {
        if term.chars().count() < IN_COMPOUNDS {
            return None;
        }
        let has_it = |other: &str| {
            let rest = other.strip_prefix(term).or_else(|| other.strip_suffix(term));
            rest.is_some_and(|rest| rest.chars().count() >= PART - 1)
        };
        let terms = self.index.postings().counted_terms();
        let mut found: Vec<(Reverse<usize>, &str)> =
            terms.filter(|(other, _)| has_it(other)).map(|(other, holders)| (Reverse(holders), other)).collect();
        found.sort_unstable();
        found.truncate(MOST_COMPOUNDS);
        let terms: Vec<String> = found.into_iter().map(|(_, other)| other.to_owned()).collect();
        (!terms.is_empty()).then_some(terms)
    }

    /// The known parts of a word: both, or the longer one that is known.
    fn compounded(&self, question: &Question, word: &str) -> Option<Vec<String>> {
        let known = |part: &str| {
            let is_part = part.chars().count() >= PART;
            self.forms(question, part).filter(|_| is_part)?.into_iter().find(|term| self.has(term))
        };
        let mut best: Option<(usize, usize, Vec<String>)> = None;
        for (at, _) in word.char_indices().skip(1) {
            let (first, last) = word.split_at(at);
            let first = LINKS.iter().filter_map(|link| first.strip_suffix(link)).find_map(known);
            let last = known(last);
            let letters = [&first, &last].map(|part| part.as_ref().map_or(0, |part| part.chars().count()));
            let count = usize::from(first.is_some()) + usize::from(last.is_some());
            let longest = letters.into_iter().max().unwrap_or(0);
            let is_enough = count == 2 || longest > PART;
            if is_enough && best.as_ref().is_none_or(|(parts, length, _)| (count, longest) > (*parts, *length)) {
                best = Some((count, longest, first.into_iter().chain(last).collect()));
            }
        }
        best.map(|(_, _, parts)| parts)
    }
}
