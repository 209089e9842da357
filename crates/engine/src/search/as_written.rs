//! What was searched instead of a word, as the hits write it: a term may be a stem, which nobody wrote.

use aforesaid_core::{analysis::Analyzer, snippet::Highlighter};

use crate::answer::{Hit, Warning};

/// Puts the words of hits in the place of terms that are told to people. A term that no hit has stays, and so does one that is a
/// word of a hit.
pub(super) fn as_written(warnings: &mut [Warning], hits: &[Hit], analyzer: Analyzer) {
    for warning in warnings {
        let Warning::Corrected { terms, words, .. } = warning else { continue };
        for (word, term) in words.iter_mut().zip(terms).filter(|(word, term)| word == term) {
            if let Some(written) = written(term, hits, analyzer) {
                *word = written;
            }
        }
    }
}

/// The first word of hits that became a term; `None` where one of them is the term itself.
fn written(term: &str, hits: &[Hit], analyzer: Analyzer) -> Option<String> {
    let mut highlighter = Highlighter::new(analyzer, [(term.to_owned(), 1.0)]);
    let mut found: Option<String> = None;
    for text in hits.iter().flat_map(texts) {
        for mark in highlighter.marks(text) {
            let word = &text[mark.bytes];
            if word.to_lowercase() == term {
                return None;
            }
            found.get_or_insert_with(|| word.to_owned());
        }
    }
    found
}

/// What is shown of a hit.
fn texts(hit: &Hit) -> impl Iterator<Item = &str> {
    let own = [Some(hit.text.as_str()), hit.title.as_deref()];
    own.into_iter().flatten().chain(hit.turns.iter().map(|turn| turn.text.as_str()))
}
