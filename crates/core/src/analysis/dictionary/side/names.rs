//! Which parts of a text are looked up, and which are names.

use super::Side;
use crate::analysis::{dictionary::tokens::Token, fold::lowered};

impl Side {
    /// The parts of a text with words that are joined by a hyphen as one, where the dictionary has them so.
    pub(super) fn joined<'t>(&self, text: &'t str, tokens: Vec<Token<'t>>) -> Vec<Token<'t>> {
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
    pub(super) fn names(&self, tokens: &[Token<'_>]) -> Vec<bool> {
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
}
