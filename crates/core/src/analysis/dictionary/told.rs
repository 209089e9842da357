//! Which language a few words are in, by the function words of the dictionary.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    LANGUAGES,
    table::{ROWS, function_words, words},
};
use crate::analysis::{Language, fold::fold};

/// Of so many words one at least is a function word of its language.
const ONE_IN: usize = 5;

/// A bit for each column of the dictionary that has a word: of English all its words, of others their function words.
static COLUMNS: LazyLock<HashMap<String, u16>> = LazyLock::new(|| {
    let mut columns: HashMap<String, u16> = HashMap::new();
    let mut add = |word: &str, column: usize| *columns.entry(fold(word).into_owned()).or_default() |= 1 << column;
    ROWS.iter().flat_map(|row| words(row[0])).for_each(|word| add(word, 0));
    for column in 1..LANGUAGES.len() {
        function_words(column).for_each(|(word, _)| add(word, column));
    }
    columns
});

/// The language of some distinct words, folded: the one that has two function words of them or more that are not English, and more
/// than there are English words that it lacks. Of several with as many, it is the one that `other` says.
pub(in crate::analysis) fn told_by(
    words: &[&str],
    is_english: impl Fn(&str) -> bool,
    other: impl Fn(Language) -> usize,
) -> Option<Language> {
    let columns = |word: &str| COLUMNS.get(word).copied().unwrap_or_default() | u16::from(is_english(word));
    let of: Vec<u16> = words.iter().map(|word| columns(word)).filter(|columns| *columns != 0).collect();
    let own = |column: usize| of.iter().filter(|columns| **columns & (1 | 1 << column) == 1 << column).count();
    let english = |column: usize| of.iter().filter(|columns| **columns & (1 | 1 << column) == 1).count();
    let best = (1..LANGUAGES.len()).rev().max_by_key(|&column| (own(column), other(LANGUAGES[column])))?;
    // A long text of a language that is not here has some by chance.
    (own(best) > 1 && own(best) > english(best) && own(best) * ONE_IN >= words.len()).then_some(LANGUAGES[best])
}
