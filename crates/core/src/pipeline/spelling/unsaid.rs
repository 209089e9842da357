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
/// Letters and digits from which a hexadecimal number is the hash of a commit, as Git shortens it.
const SHORTEST_HASH: usize = 7;

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
        let is_unknown = |term: &String| term.contains(|c: char| c.is_ascii_digit()) && !known.has(term);
        terms.iter().any(|term| is_unknown(term) && !is_part(term, index))
    };
    let is_corrected = |code: &str| corrections.iter().any(|correction| code.contains(&correction.written));
    let mut seen = HashSet::new();
    let unsaid = codes.filter(|code| is_unknown(code) && !is_corrected(code) && seen.insert(*code));
    unsaid.take(MOST).map(str::to_owned).collect()
}

/// Whether a term is a part of an identifier that some text has: `v2` of `ledger_rate_limit_v2`.
fn is_part(term: &str, index: &Index) -> bool {
    let is_in = |other: &str| other.len() > term.len() && other.split(['_', '-', '.']).any(|part| part == term);
    index.postings().counted_terms().any(|(other, _)| is_in(other))
}

/// Whether a word is letters and then digits, a long number, or the hash of a commit. Counts, amounts, times of day and dates are
/// none, nor are paths and addresses.
fn is_code(word: &str) -> bool {
    let Some(first_digit) = word.find(|c: char| c.is_ascii_digit()) else { return false };
    if !word.is_ascii() || word.len() > LONGEST || word.contains(['/', ':', '@', '\\', '=', ',']) {
        return false;
    }
    let (before, from) = word.split_at(first_digit);
    match before.contains(|c: char| c.is_ascii_alphabetic()) {
        true => !(is_year(from) && is_prefix(before)),
        false => {
            let is_number = word.len() >= SHORTEST_NUMBER && word.bytes().all(|byte| byte.is_ascii_digit());
            is_number || word.len() >= SHORTEST_HASH && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
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
        for code in
            ["OPS-9999", "E07", "v2.3.1", "err4711", "98765", "COVID-19", "Q3", "bz-4471-k", "9c04be2", "1a2b3c4d"]
        {
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
            "12abc",
            "1000meters",
        ] {
            assert!(!is_code(other), "{other}");
        }
    }
}
