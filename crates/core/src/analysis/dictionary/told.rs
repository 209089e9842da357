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

/// A bit for each column of the dictionary that has a word: of English all its words, of others their function words.
fn columns(word: &str) -> u16 {
    let has = |column: &usize| LINES[*column].binary_search_by_key(&word, |line| word_of(line)).is_ok();
    let others = (1..LANGUAGES.len()).filter(has).map(|column| 1 << column).sum::<u16>();
    others | u16::from(ENGLISH.contains(word))
}

/// The language of some distinct words in lower case: the one that has two function words of them or more that are not English,
/// and more than there are English words that it lacks. Of several with as many, it is the one that `other` says.
pub(in crate::analysis) fn told_by(
    words: &[&str],
    is_english: impl Fn(&str) -> bool,
    other: impl Fn(Language) -> usize,
) -> Option<Language> {
    let columns = |word: &str| columns(word) | u16::from(is_english(word));
    let of: Vec<u16> = words.iter().map(|word| columns(word)).filter(|columns| *columns != 0).collect();
    let own = |column: usize| of.iter().filter(|columns| **columns & (1 | 1 << column) == 1 << column).count();
    let english = |column: usize| of.iter().filter(|columns| **columns & (1 | 1 << column) == 1).count();
    let best = (1..LANGUAGES.len()).rev().max_by_key(|&column| (own(column), other(LANGUAGES[column])))?;
    // A long text of a language that is not here has some by chance.
    (own(best) > 1 && own(best) > english(best) && own(best) * ONE_IN >= words.len()).then_some(LANGUAGES[best])
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
        let has = columns;
        assert_eq!(has("wann"), 1 << 1);
        assert_eq!((has("kettle") & 1, has("für") >> 1 & 1, has("zwickau")), (1, 1, 0));
    }
}
