//! Where in a text its terms stand.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Analysis, Analyzer, Language, words};

impl Analysis {
    /// Calls `found` with each term of `text` and the bytes that it was made of, in order, repeats included.
    ///
    /// Terms are those of [`Analysis::terms`], word by word. Of a script without spaces, pairs of neighbours are told, and
    /// single characters where these can be words: Han, but neither Kana nor Thai.
    pub fn located_terms(&mut self, text: &str, found: &mut dyn FnMut(Range<usize>, &str)) {
        let mut previous: Option<usize> = None;
        let language = Language::of(text);
        for (start, segment) in text.split_word_bound_indices() {
            let unspaced = segment.chars().next().is_some_and(words::is_unspaced);
            if !unspaced || self.analyzer == Analyzer::FusionStudy {
                let end = start + without_possessive(segment).len();
                self.terms_in(segment, || language, &mut |term| found(start..end, term));
                continue;
            }
            for (offset, character) in segment.char_indices() {
                let (at, end) = (start + offset, start + offset + character.len_utf8());
                // The terms of a pair are both characters and the pair itself.
                if let Some(before) = previous.filter(|&before| text[before..at].chars().nth(1).is_none()) {
                    let pair = &text[before..end];
                    self.terms_in(pair, || language, &mut |term| {
                        if term.chars().nth(1).is_some() {
                            found(before..end, term);
                        }
                    });
                }
                if words::is_han(character) {
                    self.terms_in(&text[at..end], || language, &mut |term| found(at..end, term));
                }
                previous = Some(at);
            }
        }
    }
}

/// A word without the `'s` that folding takes off.
fn without_possessive(word: &str) -> &str {
    let end = ["'s", "'S", "\u{2019}s", "\u{2019}S"].into_iter().find_map(|end| word.strip_suffix(end));
    end.filter(|word| !word.is_empty()).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn located(text: &str) -> Vec<(String, String)> {
        let mut located = Vec::new();
        Analyzer::English
            .session()
            .located_terms(text, &mut |range, term| located.push((text[range].to_owned(), term.to_owned())));
        located
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(word, term)| ((*word).to_owned(), (*term).to_owned())).collect()
    }

    #[test]
    fn a_stem_stands_where_its_word_does() {
        assert_eq!(located("The runner\u{2019}s RUNNING"), pairs(&[("runner", "runner"), ("RUNNING", "run")]));
        assert_eq!(
            located("Caf\u{e9}, \u{ff21}\u{ff22}!"),
            pairs(&[("Caf\u{e9}", "cafe"), ("\u{ff21}\u{ff22}", "ab")])
        );
    }

    #[test]
    fn characters_without_spaces_stand_alone_where_they_are_words() {
        let (black, cat, no) = ("\u{9ed2}", "\u{732b}", "\u{306e}");
        let both = format!("{black}{cat}");
        let tail = format!("{cat}{no}");
        let expected = [(black, black), (&both, &both), (cat, cat), (&tail, &tail)];
        assert_eq!(located(&format!("{black}{cat}{no}")), pairs(&expected));
        assert_eq!(located(&format!("{black} {cat}")), pairs(&[(black, black), (cat, cat)]));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "[a-zé'’ 猫の黒ก\u{301}ﬁ🎉]{0,30}|\\PC{0,30}") {
            Analyzer::English.session().located_terms(&text, &mut |range, term| {
                assert!(text.get(range).is_some() && !term.is_empty());
            });
        }
    }
}
