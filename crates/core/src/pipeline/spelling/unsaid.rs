//! Codes of a query that the namespace has nowhere: whoever asks for one should know that what is found is of another.

use std::collections::HashSet;

use super::{
    super::codes::{LONGEST, SHORTEST_NUMBER},
    Correction,
    known_terms::KnownTerms,
};
use crate::{analysis::Question, index::Index};

/// Codes of one query that are named at most: a pasted log may have thousands.
const MOST: usize = 4;

/// The codes of a query, such as `OPS-9999`, of which a part with a digit is in no text, title or cue question, and for which
/// nothing else was searched; the first four.
pub fn unsaid_codes(question: &Question, index: &Index, corrections: &[Correction]) -> Vec<String> {
    let words = question.text().split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut codes = words.filter(|word| is_code(word)).peekable();
    // Most queries have none, and what is known of the terms takes a look at all texts.
    if codes.peek().is_none() {
        return Vec::new();
    }
    let known = KnownTerms::new(index, 0);
    let is_unknown = |code: &str| {
        let terms = index.spec().analyzer.query_terms(code);
        terms.iter().any(|term| term.contains(|c: char| c.is_ascii_digit()) && !known.has(term))
    };
    let is_corrected = |code: &str| corrections.iter().any(|correction| code.contains(&correction.written));
    let mut seen = HashSet::new();
    let unsaid = codes.filter(|code| is_unknown(code) && !is_corrected(code) && seen.insert(*code));
    unsaid.take(MOST).map(str::to_owned).collect()
}

/// Whether a word is letters and then digits, or a long number. Counts, amounts, times of day and dates are none, nor are paths and
/// addresses.
fn is_code(word: &str) -> bool {
    let Some(first_digit) = word.find(|c: char| c.is_ascii_digit()) else { return false };
    if !word.is_ascii() || word.len() > LONGEST || word.contains(['/', ':', '@', '\\', '=', ',']) {
        return false;
    }
    let (before, from) = word.split_at(first_digit);
    match before.contains(|c: char| c.is_ascii_alphabetic()) {
        true => !(is_year(from) && is_prefix(before)),
        false => word.len() >= SHORTEST_NUMBER && word.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && (text.starts_with("19") || text.starts_with("20"))
        && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether what stands before a year is a part of a word: `mid-2024`.
fn is_prefix(before: &str) -> bool {
    before.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::is_code;

    #[test]
    fn codes_are_told_from_times_amounts_and_places() {
        for code in ["OPS-9999", "E07", "v2.3.1", "err4711", "98765", "COVID-19", "Q3", "bz-4471-k"] {
            assert!(is_code(code), "{code}");
        }
        for other in [
            "2024",
            "2024-05-01",
            "10am",
            "2nd",
            "30min",
            "10:30",
            "mid-2024",
            "9.30",
            "src/v2",
            "a@b1.org",
            "x=5",
            "1,200,000",
            "ECONNREFUSED",
            "",
            "№12345",
            "5kg",
        ] {
            assert!(!is_code(other), "{other}");
        }
    }
}
