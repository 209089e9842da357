//! How a text is read: which of its words and phrases the dictionary has.

use super::{Meaning, Side};
use crate::analysis::{
    dictionary::tokens::{Token, tokens},
    fold::{fold, lowered},
    languages::without_elision,
    stems::Stems,
};

/// Words of the longest phrase.
const LONGEST_PHRASE: usize = 4;

/// A part of a text.
pub(in crate::analysis::dictionary) enum Piece<'t> {
    /// A word or phrase that the dictionary has, by what it may mean, the likeliest first.
    Meant(&'t [Meaning]),
    /// A function word, by what it is in English.
    Function(&'static str),
    /// What the dictionary does not have, as it is written.
    Other(&'t str),
}

/// A word of a script with spaces.
struct Word<'t> {
    token: Token<'t>,
    /// In lower case, with its accents, without what is elided before it.
    lower: String,
    stem: String,
}

impl Side {
    /// Calls `found` with each part of a text in this language, in order.
    pub(in crate::analysis::dictionary) fn read(&self, text: &str, found: &mut dyn FnMut(Piece<'_>)) {
        let mut stems = Stems::default();
        let mut words: Vec<Word<'_>> = Vec::new();
        let tokens = self.joined(text, tokens(text));
        let is_name = self.names(&tokens);
        for (token, is_name) in tokens.into_iter().zip(is_name) {
            match token {
                Token::Unspaced(run) if self.is_unspaced => {
                    self.read_words(&mut words, &mut stems, found);
                    self.read_unspaced(run, found);
                }
                Token::Between(between) if between.chars().all(|c| c == ' ') => {
                    words.push(Word { token, lower: String::new(), stem: String::new() });
                }
                Token::Word(_) if is_name => {
                    words.push(Word { token, lower: String::new(), stem: String::new() });
                }
                Token::Word(word) | Token::Unspaced(word) => {
                    let lower = lowered(word);
                    let lower = without_elision(&lower, self.number).to_owned();
                    let stem = if self.is_unspaced { lower.clone() } else { self.stem_of(&mut stems, &lower) };
                    words.push(Word { token, lower, stem });
                }
                Token::Between(between) => {
                    self.read_words(&mut words, &mut stems, found);
                    found(Piece::Other(between));
                }
            }
        }
        self.read_words(&mut words, &mut stems, found);
    }

    /// Reads words with single tokens of spaces between them, and leaves none.
    fn read_words(&self, words: &mut Vec<Word<'_>>, stems: &mut Stems, found: &mut dyn FnMut(Piece<'_>)) {
        let mut rest = &words[..];
        while let Some(first) = rest.first() {
            let taken = match first.token {
                Token::Between(spaces) => {
                    found(Piece::Other(spaces));
                    1
                }
                Token::Word(written) | Token::Unspaced(written) => match self.phrase(rest) {
                    Some((piece, taken)) => {
                        found(piece);
                        taken
                    }
                    None => {
                        self.read_word(written, first, stems, found);
                        1
                    }
                },
            };
            rest = &rest[taken..];
        }
        words.clear();
    }

    /// The longest phrase that some words and the spaces between them begin with, and how many these are.
    fn phrase(&self, words: &[Word<'_>]) -> Option<(Piece<'_>, usize)> {
        // Words of two scripts stand side by side without a space.
        let is_spaced = |(place, word): (usize, &Word<'_>)| (place % 2 == 1) == matches!(word.token, Token::Between(_));
        let spaced = words.iter().take(2 * LONGEST_PHRASE - 1).enumerate().take_while(|word| is_spaced(*word)).count();
        (2..=spaced.div_ceil(2)).rev().find_map(|length| {
            let taken = 2 * length - 1;
            let parts = || words[..taken].iter().step_by(2);
            let joined = |of: &dyn Fn(&Word<'_>) -> String| parts().map(of).collect::<Vec<_>>().join(" ");
            let written = joined(&|word| word.lower.clone());
            let function = self.functions.get(written.as_str()).map(|gloss| Piece::Function(gloss));
            let by_stems = || self.meanings.get(&joined(&|word| word.stem.clone()));
            let meant = || self.written.get(&written).or_else(by_stems).map(|meanings| Piece::Meant(meanings));
            function.or_else(meant).map(|piece| (piece, taken))
        })
    }

    fn read_word(&self, written: &str, word: &Word<'_>, stems: &mut Stems, found: &mut dyn FnMut(Piece<'_>)) {
        let Word { lower, stem, .. } = word;
        if lower.is_empty() {
            return found(Piece::Other(written));
        }
        if let Some(gloss) = self.functions.get(lower.as_str()) {
            return found(Piece::Function(gloss));
        }
        // People leave accents out, and a stemmer goes by them.
        let plainly = |stems: &mut Stems| self.meanings.get(&self.stem_of(stems, &fold(lower)));
        let known = self.written.get(lower).or_else(|| self.meanings.get(stem));
        if let Some(meanings) = known.or_else(|| plainly(stems)) {
            return found(Piece::Meant(meanings));
        }
        if let Some(meanings) = self.inflected(lower, stems) {
            return found(Piece::Meant(meanings));
        }
        match self.compound(lower, stems) {
            Some([first, last]) => {
                found(Piece::Meant(first));
                found(Piece::Other(" "));
                found(Piece::Meant(last));
            }
            None => found(Piece::Other(written)),
        }
    }
}
