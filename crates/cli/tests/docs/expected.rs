//! Output as a document shows it, where `...` stands for anything.

const ANYTHING: &str = "...";

/// Whether lines are those that are expected: a line of `...` stands for any number of lines, `...` within a line for any
/// text, and empty lines at the end do not count.
pub(crate) fn matches(expected: &[&str], actual: &[&str]) -> bool {
    let end = |lines: &[&str]| lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines(&expected[..end(expected)], &actual[..end(actual)])
}

fn lines(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&ANYTHING, rest)) => (0..=actual.len()).any(|skipped| lines(rest, &actual[skipped..])),
        Some((first, rest)) => {
            actual.split_first().is_some_and(|(line, others)| within(first, line) && lines(rest, others))
        }
    }
}

fn within(expected: &str, actual: &str) -> bool {
    let pieces: Vec<&str> = expected.split(ANYTHING).collect();
    let [first, middle @ .., last] = pieces.as_slice() else { return expected == actual };
    let Some(mut rest) = actual.strip_prefix(first) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn dots_stand_for_anything() {
    for (expected, actual, same) in [
        (&["a", "...", "d"][..], &["a", "b", "c", "d"][..], true),
        (&["a", "...", "d"], &["a", "b"], false),
        (&["a", ""], &["a"], true),
        (&["a"], &["a", "b"], false),
        (&["took ... ms, ... hits"], &["took 1.5 ms, 3 hits"], true),
        (&["took ... ms, ... hits"], &["took 1.5 ms, 3 hits of 4"], false),
        (&["a ..."], &["b"], false),
    ] {
        assert_eq!(matches(expected, actual), same, "{expected:?} {actual:?}");
    }
}
