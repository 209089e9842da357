//! The tables of the dictionary, as they are written.

use std::sync::LazyLock;

use super::LANGUAGES;

/// The words of each language for one meaning, separated by `|`, the usual ones first.
pub(super) type Row = [&'static str; LANGUAGES.len()];

/// A row a line, a column a language: everyday words, those first that are used most.
pub(super) const WORDS: &str = include_str!("words.tsv");

/// A function word a line: the code of its language, the word, and what it is in English, which may be nothing.
pub(super) const FUNCTION_WORDS: &str = include_str!("function_words.tsv");

/// The codes of the languages in the second table.
pub(super) const CODES: [&str; LANGUAGES.len()] = ["en", "de", "es", "fr", "it", "pt", "nl", "sv", "ru", "zh", "ja"];

/// The rows of the first table.
pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut row: Row = Default::default();
        row.iter_mut().zip(line.split('\t')).for_each(|(cell, written)| *cell = written);
        row
    };
    WORDS.lines().map(read).collect()
});

/// The function words of a column's language, each with what it is in English.
pub(super) fn function_words(column: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
    FUNCTION_WORDS.lines().filter_map(move |line| {
        let (code, rest) = line.split_once('\t')?;
        rest.split_once('\t').filter(|_| code == CODES[column])
    })
}

/// The words of a cell.
pub(super) fn words(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('|').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_has_a_cell_a_language_and_its_english_word_once() {
        let mut heads = HashSet::new();
        for line in WORDS.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), LANGUAGES.len(), "{line}");
            assert!(heads.insert(cells[0].split('|').next()), "{line}");
            for cell in cells {
                let words: Vec<&str> = cell.split('|').collect();
                let is_bare = |word: &&str| word.trim() == *word && word.to_lowercase() == **word;
                assert!(words.iter().all(is_bare), "{line}");
                assert!(words.len() == 1 || words.iter().all(|word| !word.is_empty()), "{line}");
            }
        }
        assert!(u16::try_from(ROWS.len()).is_ok());
    }

    #[test]
    fn every_function_word_is_of_a_language_and_stands_once() {
        let mut seen = HashSet::new();
        for line in FUNCTION_WORDS.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            let [code, word, _] = parts[..] else { panic!("{line}") };
            assert!(CODES[1..].contains(&code) && !word.is_empty() && seen.insert((code, word)), "{line}");
        }
    }
}
