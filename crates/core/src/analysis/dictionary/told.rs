//! Which language a few words are in, by the function words of the dictionary.

use std::{collections::HashSet, sync::LazyLock};

use super::{
    LANGUAGES,
    table::{CODES, FUNCTION_WORDS, WORDS, words},
};
use crate::analysis::Language;

/// Of so many words one at least is a function word of its language.
const ONE_IN: usize = 5;

/// The lines of the function words of each column, in the order of their words.
///
/// They are searched as they are written: a table by word takes as long to make as a search does.
static LINES: LazyLock<[Vec<&'static str>; LANGUAGES.len()]> = LazyLock::new(|| {
    let mut lines = [const { Vec::new() }; LANGUAGES.len()];
    let mut column = 0;
    for line in FUNCTION_WORDS.lines() {
        if !line.starts_with(CODES[column]) {
            column = CODES.iter().position(|code| line.starts_with(code)).unwrap_or_default();
        }
        lines[column].push(line);
    }
    lines
});

/// All English words of the dictionary.
static ENGLISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let english = WORDS.lines().filter_map(|line| line.split('\t').next());
    english.flat_map(words).collect()
});

/// The word of a line.
fn word_of(line: &str) -> &str {
    line.split('\t').nth(1).unwrap_or_default()
}

/// Whether a column has a word among its function words.
fn has(column: usize, word: &str) -> bool {
    LINES[column].binary_search_by_key(&word, |line| word_of(line)).is_ok()
}

/// The language of some distinct words in lower case: the one that has two function words of them or more that are not English,
/// and more than there are English words that it lacks. Of several with as many, it is the one that `other` says.
pub(in crate::analysis) fn told_by(
    words: &[&str],
    is_english: impl Fn(&str) -> bool,
    other: impl Fn(Language) -> usize,
) -> Option<Language> {
    let (english, foreign): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| ENGLISH.contains(*word) || is_english(word));
    // Most texts that come here are English, and end here.
    if foreign.len() < 2 {
        return None;
    }
    let own = |column: usize| foreign.iter().filter(|word| has(column, word)).count();
    let found = (1..LANGUAGES.len()).rev().map(|column| (own(column), other(LANGUAGES[column]), column));
    let (own, _, best) = found.max_by_key(|&(own, other, _)| (own, other))?;
    // A long text of a language that is not here has some by chance.
    let is_told =
        own > 1 && own * ONE_IN >= words.len() && own > english.iter().filter(|word| !has(best, word)).count();
    is_told.then_some(LANGUAGES[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_order() {
        for lines in &*LINES {
            assert!(lines.is_sorted_by_key(|line| word_of(line)), "{:?}", lines.first());
        }
    }

    #[test]
    fn a_word_is_found_in_each_language_that_has_it() {
        let german = |word: &str| (has(1, word), ENGLISH.contains(word));
        assert_eq!(
            ["wann", "f\u{fc}r", "kettle", "zwickau"].map(german),
            [(true, false), (true, false), (false, true), (false, false)]
        );
    }

    #[test]
    fn two_words_tell_a_language_and_english_ones_speak_against_it() {
        let told = |words: &[&str]| told_by(words, |_| false, |_| 0);
        assert_eq!(told(&["wann", "wohin", "zwickau"]), Some(Language::Named("German")));
        assert_eq!(told(&["wann", "zwickau"]), None);
        assert_eq!(told(&["kettle", "garden", "wann", "wohin"]), None);
        assert_eq!(told(&["wann", "wohin", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]), None);
    }
}
