//! One language of the dictionary: which words it has, and how a text is read by them.

use std::{collections::HashMap, sync::OnceLock};

use super::{
    LANGUAGES,
    endings::{Endings, endings},
    table::{ROWS, function_words, words},
    tokens::{Token, tokens},
};
use crate::analysis::{
    Language,
    fold::{fold, lowered},
    languages::{self, without_elision},
    stems::Stems,
    words::{is_han, is_unspaced},
};

/// Words of the longest phrase.
const LONGEST_PHRASE: usize = 4;
/// Characters of the longest word of a script without spaces.
const LONGEST_UNSPACED: usize = 10;
/// Letters of a part of a compound.
const PART: usize = 4;
/// Letters of the stem that is left of a word without its ending.
const STEM: usize = 3;
/// Last parts of names of streets, which are not taken apart.
const STREETS: [&str; 8] = ["straße", "strasse", "gasse", "allee", "straat", "gracht", "laan", "gatan"];
/// Bytes of the longest word that is taken apart or loses its ending: what is longer is no word.
const LONGEST_COMPOUND: usize = 60;
/// What stands between the parts of a compound.
const LINKS: [&str; 6] = ["", "s", "es", "n", "en", "e"];

/// What a word may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meaning {
    /// The place of the word among those of the row: the first is the usual one.
    place: u8,
    /// The row of the dictionary.
    pub(super) row: u16,
}

/// A part of a text.
pub(super) enum Piece<'t> {
    /// A word or phrase that the dictionary has, by what it may mean, the likeliest first.
    Meant(&'t [Meaning]),
    /// A function word, by what it is in English.
    Function(&'static str),
    /// What the dictionary does not have, as it is written.
    Other(&'t str),
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

/// A word of a script with spaces.
struct Word<'t> {
    token: Token<'t>,
    /// In lower case, with its accents, without what is elided before it.
    lower: String,
    stem: String,
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

    /// Calls `found` with each part of a text in this language, in order.
    pub(super) fn read(&self, text: &str, found: &mut dyn FnMut(Piece<'_>)) {
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

    /// The parts of a text with words that are joined by a hyphen as one, where the dictionary has them so.
    fn joined<'t>(&self, text: &'t str, tokens: Vec<Token<'t>>) -> Vec<Token<'t>> {
        let (mut start, mut joined) = (0, Vec::with_capacity(tokens.len()));
        let mut rest = &tokens[..];
        while let [first, after @ ..] = rest {
            let mut end = start + first.written().len();
            rest = after;
            let mut token = *first;
            if let (Token::Word(_), [Token::Between("-"), Token::Word(last), after @ ..]) = (first, rest) {
                let word = &text[start..end + 1 + last.len()];
                if self.functions.contains_key(lowered(word).as_ref()) {
                    (token, rest, end) = (Token::Word(word), after, start + word.len());
                }
            }
            joined.push(token);
            start = end;
        }
        joined
    }

    /// Which words are names: those in capitals within a sentence, where nouns are not, and who speaks.
    fn names(&self, tokens: &[Token<'_>]) -> Vec<bool> {
        let mut begins = true;
        let name = |(place, token): (usize, &Token<'_>)| match token {
            Token::Word(word) => {
                let speaks = || matches!(tokens.get(place + 1), Some(Token::Between(":")));
                let mut letters = word.chars();
                let is_capital = letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase);
                let is_name = is_capital && (if begins { place == 0 && speaks() } else { !self.nouns_have_capitals });
                begins = false;
                is_name
            }
            Token::Between(between) => {
                begins |= between.chars().any(|c| !matches!(c, ' ' | ',' | '-' | '\'' | '\u{2019}' | '/' | '&'));
                false
            }
            Token::Unspaced(_) => false,
        };
        tokens.iter().enumerate().map(name).collect()
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

    /// What a word means whose ending the stemmer leaves.
    fn inflected(&self, word: &str, stems: &mut Stems) -> Option<&[Meaning]> {
        let Endings { inflected, participle, .. } = self.endings.filter(|_| word.len() <= LONGEST_COMPOUND)?;
        let bare = participle.and_then(|start| word.strip_prefix(start));
        [Some(word), bare].into_iter().flatten().find_map(|word| {
            let stems_left = inflected.iter().filter_map(|ending| without(word, &[ending]));
            let mut known = stems_left.filter_map(|left| {
                self.meanings.get(&self.stem_of(stems, left)).or_else(|| self.roots.get(fold(left).as_ref()))
            });
            known.next().map(Vec::as_slice)
        })
    }

    /// What the two parts of a word mean, where both are known: the longest last part that is.
    fn compound(&self, word: &str, stems: &mut Stems) -> Option<[&[Meaning]; 2]> {
        let is_street = || STREETS.iter().any(|street| word.ends_with(street));
        if !self.has_compounds || word.len() > LONGEST_COMPOUND || is_street() {
            return None;
        }
        let letters = |part: &str| part.chars().count();
        word.char_indices().skip(PART - 1).find_map(|(at, _)| {
            let (first, last) = word.split_at(at);
            if letters(last) < PART {
                return None;
            }
            let last = self.meanings.get(&self.stem_of(stems, last))?;
            let firsts =
                LINKS.iter().filter_map(|link| first.strip_suffix(link)).filter(|first| letters(first) + 1 >= PART);
            let mut known = firsts.filter_map(|first| self.meanings.get(&self.stem_of(stems, first)));
            known.next().map(|first| [&first[..], &last[..]])
        })
    }

    /// The longest word that a run begins with, and where it ends.
    fn longest(&self, run: &str) -> Option<(Piece<'_>, usize)> {
        let ends = run.char_indices().take(LONGEST_UNSPACED).map(|(at, c)| at + c.len_utf8());
        ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
            let word = &run[..end];
            let function = self.functions.get(word).map(|gloss| Piece::Function(gloss));
            let piece = function.or_else(|| self.meanings.get(word).map(|meanings| Piece::Meant(meanings)));
            piece.map(|piece| (piece, end))
        })
    }

    /// Whether a run is words of the dictionary and nothing else. In Katakana, what is not is a name.
    fn is_of_words(&self, mut run: &str) -> bool {
        while let Some((_, end)) = self.longest(run) {
            run = &run[end..];
        }
        run.is_empty()
    }

    /// Reads a run of a script without spaces: of the words that it may begin with, the longest.
    fn read_unspaced(&self, run: &str, found: &mut dyn FnMut(Piece<'_>)) {
        let (mut rest, mut unread) = (run, run);
        // What is left of the run behind the Katakana that is known to be words.
        let mut behind_words = run.len();
        while let Some(first) = rest.chars().next() {
            if is_katakana(first) && rest.len() <= behind_words {
                let after = rest.trim_start_matches(is_katakana);
                if !self.is_of_words(&rest[..rest.len() - after.len()]) {
                    rest = after;
                    continue;
                }
                behind_words = after.len();
            }
            let Some((piece, end)) = self.longest(rest) else {
                rest = &rest[first.len_utf8()..];
                continue;
            };
            found(Piece::Other(&unread[..unread.len() - rest.len()]));
            found(Piece::Other(" "));
            found(piece);
            found(Piece::Other(" "));
            (rest, unread) = (&rest[end..], &rest[end..]);
        }
        found(Piece::Other(unread));
    }
}

/// Whether a character is of Katakana, in which names and words from other languages are written.
fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30A1}'..='\u{30FA}' | '\u{30FC}')
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

/// A word without the first of some endings that it has and that leaves a stem.
fn without<'w>(word: &'w str, endings: &[&str]) -> Option<&'w str> {
    endings.iter().filter_map(|ending| word.strip_suffix(ending)).find(|stem| stem.chars().count() >= STEM)
}

/// What all forms of a Japanese verb or adjective have in common: the word without its last kana, where a Han character is left.
fn without_ending(word: &str) -> Option<&str> {
    let last = word.chars().next_back().filter(|last| matches!(last, '\u{3041}'..='\u{3096}'))?;
    let stem = &word[..word.len() - last.len_utf8()];
    stem.chars().any(is_han).then_some(stem)
}
