//! No input makes a parser panic, and what it accepts a store accepts.

use proptest::{collection::vec, prelude::*, sample::Index};

use super::super::detect;
use super::*;

fn try_all(bytes: &[u8]) {
    let _ = detect(bytes, "damaged");
    for format in Format::ALL {
        if let Ok(parsed) = read(format, bytes) {
            assert!(parsed.drafts.iter().all(|draft| draft.check().is_ok()));
        }
    }
}

/// Values that are valid where they stand in JSON, and wrong.
const STRANGERS: [&str; 12] = [
    "null",
    "true",
    "-0",
    "1e308",
    "1e999",
    "123456789012345678901234567890",
    "\"\"",
    "\"\\u0000\"",
    "[]",
    "[[]]",
    "{}",
    "{\"\":null}",
];

/// Replaces the value of one field, or one element, by a stranger.
fn estranged(text: &str, at: &Index, stranger: &str) -> String {
    let starts: Vec<usize> = text.match_indices(": ").map(|(start, _)| start + 2).collect();
    let start = if starts.is_empty() { 0 } else { starts[at.index(starts.len())] };
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
    let _ = values.next();
    let end = start + values.byte_offset();
    format!("{}{stranger}{}", &text[..start], &text[end..])
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn arbitrary_brackets(text in "[\\[\\]{}:,\"a0-9\\\\ \\n-]{0,200}") {
        try_all(text.as_bytes());
    }

    #[test]
    fn a_valid_file_with_flipped_bytes(
        which in 0..FIXTURES.len(),
        flips in vec((any::<Index>(), any::<u8>()), 1..5),
        cut in any::<Option<Index>>(),
    ) {
        let (format, fixture) = FIXTURES[which];
        let mut bytes = fixture.to_vec();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(fixture.len())));
        let _ = read(format, &bytes);
        let _ = detect(&bytes, "damaged");
    }

    #[test]
    fn a_valid_file_with_a_strange_value(
        which in 0..FIXTURES.len(),
        changes in vec((any::<Index>(), 0..STRANGERS.len()), 1..3),
    ) {
        let (format, fixture) = FIXTURES[which];
        let mut text = String::from_utf8(fixture.to_vec()).unwrap();
        for (at, stranger) in changes {
            text = estranged(&text, &at, STRANGERS[stranger]);
        }
        if let Ok(parsed) = read(format, text.as_bytes()) {
            prop_assert!(parsed.drafts.iter().all(|draft| draft.check().is_ok()));
        }
    }
}
