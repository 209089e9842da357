//! Where the marks of a text stand closest.

use std::ops::Range;

use super::{Mark, REPEAT};

/// The characters from the first to the last of those marks that weigh most within so many characters, and their weight.
/// `spans` are the characters of each mark.
pub(super) fn heaviest(
    marks: &[Mark],
    spans: &[Range<usize>],
    weights: &[f64],
    chars: usize,
) -> Option<(f64, Range<usize>)> {
    let mut counts = vec![0usize; weights.len()];
    let (mut weight, mut from) = (0.0, 0);
    let mut best: Option<(f64, Range<usize>)> = None;
    let worth = |term: usize, count: usize| weights[term] * if count == 0 { 1.0 } else { REPEAT };
    for (to, (span, mark)) in spans.iter().zip(marks).enumerate() {
        weight += worth(mark.term, counts[mark.term]);
        counts[mark.term] += 1;
        while from < to && span.end - spans[from].start > chars {
            let gone = marks[from].term;
            counts[gone] -= 1;
            weight -= worth(gone, counts[gone]);
            from += 1;
        }
        // Sums differ in the last digit by their order; what comes first is better.
        if best.as_ref().is_none_or(|(most, _)| weight > most + 1e-9) {
            best = Some((weight, spans[from].start..span.end));
        }
    }
    best
}
