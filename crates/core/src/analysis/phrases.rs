//! Models of the words of a text: how likely it is of a kind, by its words and pairs of words.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

/// The start of a sentence, before its first word.
const START: &str = "^";
/// The end of the text.
const END: &str = "$";
/// Any number.
const NUMBER: &str = "#";
/// A question mark.
const QUESTION: &str = "?";

/// A logistic model of the phrases of a text, each of which counts once.
///
/// A phrase is a word in lower case, a question mark, or two neighbours of these, of the start of a sentence (`^`), of the end of the
/// text (`$`) and of any number (`#`).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PhraseModel {
    /// Log odds of a text without any of the phrases.
    intercept: f64,
    /// Log odds that a phrase adds.
    weights: HashMap<String, f64>,
}

impl PhraseModel {
    /// Reads a table: a line a phrase, its log odds and a tab before it. The line without a phrase has those of a text without any.
    ///
    /// # Errors
    /// In one sentence, where a line has no number.
    pub(super) fn read(table: &str) -> Result<Self, String> {
        let mut model = Self { intercept: 0.0, weights: HashMap::new() };
        for (number, line) in table.lines().enumerate() {
            let (weight, phrase) = line.split_once('\t').unwrap_or((line, ""));
            let weight: f64 = weight
                .parse()
                .map_err(|_| format!("line {} starts with {weight:?}, expected a number and a tab", number + 1))?;
            match phrase {
                "" => model.intercept = weight,
                phrase => drop(model.weights.insert(phrase.to_owned(), weight)),
            }
        }
        Ok(model)
    }

    /// How likely a text is of the kind, in [0, 1].
    pub(super) fn probability(&self, text: &str) -> f64 {
        let mut found: Vec<(&str, f64)> = Vec::new();
        phrases(text, |phrase| {
            if let Some((phrase, &weight)) = self.weights.get_key_value(phrase)
                && !found.iter().any(|(known, _)| *known == phrase)
            {
                found.push((phrase, weight));
            }
        });
        let log_odds = self.intercept + found.iter().map(|(_, weight)| weight).sum::<f64>();
        1.0 / (1.0 + (-log_odds).exp())
    }
}

/// Visits the phrases of a text in order; one that is there twice is visited twice.
fn phrases(text: &str, mut visit: impl FnMut(&str)) {
    let mut last = String::new();
    let mut pair = String::new();
    marks(text, |mark| {
        if !last.is_empty() {
            pair.clear();
            pair.push_str(&last);
            pair.push(' ');
            pair.push_str(mark);
            visit(&pair);
        }
        if ![START, END, NUMBER].contains(&mark) {
            visit(mark);
        }
        last.clear();
        last.push_str(mark);
    });
}

/// Visits words, question marks, numbers and the bounds of sentences and of the text.
fn marks(text: &str, mut visit: impl FnMut(&str)) {
    let mut is_start = true;
    let mut tokens = text.split_word_bounds().peekable();
    while let Some(token) = tokens.next() {
        if token.chars().any(char::is_alphanumeric) {
            if std::mem::take(&mut is_start) {
                visit(START);
            }
            match token.starts_with(char::is_numeric) {
                true => visit(NUMBER),
                false => visit(&token.to_lowercase().replace('\u{2019}', "'")),
            }
        } else if token == QUESTION && !is_start {
            visit(QUESTION);
        }
        let ends = matches!(token, "." | "!" | "?" | ":" | ";")
            && tokens.peek().is_none_or(|next| next.starts_with(char::is_whitespace));
        is_start |= ends || token.contains('\n');
    }
    visit(END);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        phrases(text, |phrase| found.push(phrase.to_owned()));
        found
    }

    #[test]
    fn phrases_are_words_and_pairs_with_the_bounds_of_sentences() {
        assert_eq!(
            all("Don\u{2019}t go. 3 at 8.30?"),
            ["^ don't", "don't", "don't go", "go", "go ^", "^ #", "# at", "at", "at #", "# ?", "?", "? $"]
        );
        assert_eq!(all("one\ntwo"), ["^ one", "one", "one ^", "^ two", "two", "two $"]);
        assert_eq!(all("e.g. this"), ["^ e.g", "e.g", "e.g ^", "^ this", "this", "this $"]);
        assert_eq!([all(""), all("?! ...")], [Vec::<String>::new(), Vec::new()]);
    }

    #[test]
    fn a_phrase_counts_once() {
        let model = PhraseModel::read("-1\t\n2\tplan\n0.5\t^ plan").unwrap();
        let at = |log_odds: f64| 1.0 / (1.0 + (-log_odds).exp());
        assert_eq!(model.probability("a plan of a plan"), at(1.0));
        assert_eq!(model.probability("Plan it, plan"), at(1.5));
        assert_eq!(model.probability(""), at(-1.0));
    }

    #[test]
    fn a_table_without_a_number_is_named() {
        assert!(PhraseModel::read("1\ta\nplan\t2").unwrap_err().contains("line 2"));
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,60}") {
            let likely = PhraseModel::read("-1\t\n2\ta").unwrap().probability(&text);
            prop_assert!((0.0..=1.0).contains(&likely));
        }
    }
}
