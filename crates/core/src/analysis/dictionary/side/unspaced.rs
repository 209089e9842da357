//! Runs of a script without spaces.

use super::{Piece, Side};
use crate::analysis::words::is_han;

/// Characters of the longest word of a script without spaces.
const LONGEST_UNSPACED: usize = 10;

impl Side {
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
    pub(super) fn read_unspaced(&self, run: &str, found: &mut dyn FnMut(Piece<'_>)) {
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

/// What all forms of a Japanese verb or adjective have in common: the word without its last kana, where a Han character is left.
pub(super) fn without_ending(word: &str) -> Option<&str> {
    let last = word.chars().next_back().filter(|last| matches!(last, '\u{3041}'..='\u{3096}'))?;
    let stem = &word[..word.len() - last.len_utf8()];
    stem.chars().any(is_han).then_some(stem)
}
