//! A dictionary of everyday words: what is asked in one language is found in another, and read in English.
//!
//! `words.tsv` and `function_words.tsv` are written for it and free (CC0): docs/decisions/0029.

mod endings;
mod gloss;
mod side;
mod table;
mod tokens;
mod told;

pub use gloss::{can_gloss, gloss, gloss_as};
pub(super) use told::told_by;

use self::side::{Piece, Side};
use super::{
    Language,
    language::{CHINESE, JAPANESE},
};

/// The languages of the dictionary, in the order of its columns.
const LANGUAGES: [Language; 11] = [
    Language::English,
    Language::Named("German"),
    Language::Named("Spanish"),
    Language::Named("French"),
    Language::Named("Italian"),
    Language::Named("Portuguese"),
    Language::Named("Dutch"),
    Language::Named("Swedish"),
    Language::Named("Russian"),
    CHINESE,
    JAPANESE,
];

/// Which glosses [`gloss`] gives: another number where a text may have another.
///
/// It is a part of what names the vectors of glossed texts.
pub const GLOSSES: u32 = 2;

/// The place of a language among the columns; `None` where the dictionary lacks it.
fn column(language: Language) -> Option<usize> {
    LANGUAGES.iter().position(|known| *known == language)
}

/// Terms of another language that stand for a word, at the most.
const MOST_TERMS: usize = 6;

/// The terms of another language that stand for the words of a text, the usual ones of each word first. A word that means
/// several things has terms for each of them.
pub(crate) fn translated(text: &str, from: Language, to: Language) -> Vec<String> {
    let (Some(from), Some(to)) = (column(from), column(to)) else { return Vec::new() };
    let (source, target) = (Side::of(from), Side::of(to));
    let mut found: Vec<String> = Vec::new();
    source.read(text, &mut |piece| {
        if let Piece::Meant(meanings) = piece {
            let terms = meanings.iter().flat_map(|meaning| target.terms_of(meaning.row));
            found.extend(terms.take(MOST_TERMS).cloned());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_terms_in_another_language() {
        let has = |text: &str, from: Language, to: Language, term: &str| {
            let terms = translated(text, from, to);
            assert!(terms.iter().any(|found| found == term), "{text}: {terms:?}");
        };
        let [german, spanish] = [Language::Named("German"), Language::Named("Spanish")];
        has("Where is the apartment?", Language::English, german, "wohnung");
        has("Wann ziehen wir in die Wohnung?", german, Language::English, "apart");
        has("Wann ziehen wir in die Wohnung?", german, spanish, "pis");
        has("Which room has the cat?", Language::English, CHINESE, "房间");
        has("猫在哪个房间？", CHINESE, Language::English, "room");
        assert_eq!(translated("Wo ist Zwickau?", german, Language::English), Vec::<String>::new());
        assert_eq!(translated("kissa", Language::Named("Finnish"), Language::English), Vec::<String>::new());
    }

    /// Vectors are named by the number of the glosses they were made of.
    #[test]
    fn other_tables_have_another_number() {
        let sums = [table::WORDS, table::FUNCTION_WORDS].map(|table| crc32fast::hash(table.as_bytes()));
        assert_eq!((GLOSSES, sums), (2, [3_444_305_079, 1_201_620_447]), "the tables have changed: raise GLOSSES");
    }
}
