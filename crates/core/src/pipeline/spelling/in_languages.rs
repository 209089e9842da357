//! A question in the terms of the languages that texts are in.

use std::collections::HashSet;

use super::KnownTerms;
use crate::analysis::Question;

/// A form that so many times fewer texts have than another is left out: they are those too short to tell their language.
const RARER: usize = 4;

impl KnownTerms<'_> {
    /// The question in terms that the index has, of those that its words may be in the languages of its texts; `None` where
    /// nothing changes.
    ///
    /// A text that is too short to tell its language has other stems than a long one, and a question of two words tells none.
    /// Of the terms that a word may be, those stay that some text has, and one where none does.
    pub(super) fn in_languages(&self, question: &Question) -> Option<Question> {
        let forms = question.words_of(question.text(), self.index.spec().analyzer, &self.languages);
        if forms.iter().all(|forms| forms.len() == 1) {
            return None;
        }
        let of_word = |forms: &Vec<String>| {
            let most = forms.iter().map(|form| self.holders(form)).max().unwrap_or(0);
            let is_used = |form: &&String| self.has(form) && self.holders(form) * RARER >= most;
            let known: Vec<String> = forms.iter().filter(is_used).cloned().collect();
            if known.is_empty() { vec![forms[0].clone()] } else { known }
        };
        let words: Vec<Vec<String>> = forms.iter().map(of_word).collect();
        // Neighbouring words stay neighbours.
        let firsts = words.iter().map(|forms| &forms[0]);
        let others = words.iter().flat_map(|forms| &forms[1..]);
        let mut seen = HashSet::new();
        let terms: Vec<String> = firsts.chain(others).filter(|form| seen.insert(*form)).cloned().collect();
        Some(question.with_terms(terms).with_forms(forms))
    }
}
