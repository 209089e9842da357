//! One language of the dictionary: which words it has, and how a text is read by them.

mod inflected;
mod names;
mod reading;
mod unspaced;

use std::{collections::HashMap, sync::OnceLock};

pub(super) use self::reading::Piece;
use self::{inflected::without, unspaced::without_ending};
use super::{
    LANGUAGES,
    endings::{Endings, endings},
    table::{ROWS, function_words, words},
};
use crate::analysis::{
    Language,
    fold::{fold, lowered},
    languages,
    stems::Stems,
    words::is_unspaced,
};

/// Letters of a part of a compound.
const PART: usize = 4;

/// What a word may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meaning {
    /// The place of the word among those of the row: the first is the usual one.
    place: u8,
    /// The row of the dictionary.
    pub(super) row: u16,
}

/// One language of the dictionary.
pub(super) struct Side {
    /// Its number among the languages that are known by their words.
    number: Option<usize>,
    is_unspaced: bool,
    has_compounds: bool,
    nouns_have_capitals: bool,
    endings: Option<Endings>,
    /// What a word or phrase may mean, by its form in the dictionary: words that differ by an accent or an ending have one stem.
    written: HashMap<String, Vec<Meaning>>,
    /// What a word or phrase may mean, by its stems; in a script without spaces as it is written.
    meanings: HashMap<String, Vec<Meaning>>,
    /// What words of the dictionary mean, by what is left of them without an ending that the stemmer leaves.
    roots: HashMap<String, Vec<Meaning>>,
    /// By the word or phrase as it is written, in lower case.
    functions: HashMap<&'static str, &'static str>,
    /// The terms that texts have of the words of each row.
    terms: Vec<Vec<String>>,
}

impl Side {
    /// The language of a column, read when it is first asked for.
    pub(super) fn of(column: usize) -> &'static Self {
        static SIDES: [OnceLock<Side>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];
        SIDES[column].get_or_init(|| Self::read_column(column))
    }

    fn read_column(column: usize) -> Self {
        let language = LANGUAGES[column];
        let number = language.number();
        let mut side = Self {
            number,
            is_unspaced: language != Language::English && number.is_none(),
            has_compounds: number.is_some_and(|number| languages::LANGUAGES[number].compounds),
            nouns_have_capitals: language == Language::Named("German"),
            endings: endings(language),
            written: HashMap::new(),
            meanings: HashMap::new(),
            roots: HashMap::new(),
            functions: function_words(column).collect(),
            terms: Vec::with_capacity(ROWS.len()),
        };
        let mut stems = Stems::default();
        for (row, cells) in (0..).zip(ROWS.iter()) {
            let mut terms = Vec::new();
            for (place, word) in (0..).zip(words(cells[column])).filter(|(_, word)| !is_number(word)) {
                let meaning = Meaning { place, row };
                match side.is_unspaced {
                    true => side.add_unspaced(word, meaning, &mut terms),
                    false => side.add_spaced(word, meaning, &mut stems, &mut terms),
                }
            }
            side.terms.push(terms);
        }
        let tables = [&mut side.written, &mut side.meanings, &mut side.roots];
        tables.into_iter().flat_map(HashMap::values_mut).for_each(|meanings| meanings.sort_unstable());
        side
    }

    fn add_spaced(&mut self, word: &str, meaning: Meaning, stems: &mut Stems, terms: &mut Vec<String>) {
        let parts: Vec<String> = lowered(word).split(' ').map(|part| self.stem_of(stems, part)).collect();
        // A phrase is no term: what it has besides its one word of weight is said everywhere.
        if let [term] = &parts[..]
            && !terms.contains(term)
        {
            terms.push(term.clone());
        }
        add(&mut self.written, lowered(word).into_owned(), meaning);
        // Stems of a few letters have lost what tells a phrase: "à mão" is not "a mãe".
        if parts.len() == 1 || parts.iter().any(|part| part.chars().count() >= PART) {
            add(&mut self.meanings, parts.join(" "), meaning);
        }
        if let Some(root) = self.endings.and_then(|endings| without(word, endings.listed)) {
            add(&mut self.roots, fold(root).into_owned(), meaning);
        }
    }

    fn add_unspaced(&mut self, word: &str, meaning: Meaning, terms: &mut Vec<String>) {
        add(&mut self.meanings, word.to_owned(), meaning);
        if let Some(stem) = without_ending(word) {
            add(&mut self.meanings, stem.to_owned(), Meaning { place: meaning.place + 1, ..meaning });
        }
        let word = fold(word);
        let letters: Vec<char> = word.chars().filter(|c| is_unspaced(*c)).collect();
        // Texts have the characters of a word and their pairs as terms: the pairs tell more.
        let found: Vec<String> = match letters[..] {
            [one] => vec![one.to_string()],
            _ => letters.windows(2).map(|pair| pair.iter().collect()).collect(),
        };
        for term in found {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }

    fn stem_of(&self, stems: &mut Stems, word: &str) -> String {
        let mut stem = None;
        stems.of(word, self.number, &mut |found| {
            stem.get_or_insert_with(|| found.to_owned());
        });
        stem.unwrap_or_else(|| word.to_owned())
    }

    /// The terms that texts have of the words of a row.
    pub(super) fn terms_of(&self, row: u16) -> &[String] {
        &self.terms[usize::from(row)]
    }
}

/// Whether a word is a number in figures, which are the same everywhere.
fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

fn add(to: &mut HashMap<String, Vec<Meaning>>, key: String, meaning: Meaning) {
    let meanings = to.entry(key).or_default();
    if !meanings.iter().any(|known| known.row == meaning.row) {
        meanings.push(meaning);
    }
}
