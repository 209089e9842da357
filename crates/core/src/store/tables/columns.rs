//! What is in a column, the same in every SQL store.

use serde::Serialize;

use crate::{
    store::{IdRanges, Removed, SegmentKind},
    types::Kind,
};

/// What a memory is, as a number.
pub fn number_of_kind(kind: Kind) -> i64 {
    match kind {
        Kind::Turn => 0,
        Kind::Note => 1,
    }
}

/// The kind of a number; a turn, where it is none of [`number_of_kind`].
pub fn kind_of_number(number: i64) -> Kind {
    if number == number_of_kind(Kind::Note) { Kind::Note } else { Kind::Turn }
}

/// What rows of a derived index are, as a number.
pub fn number_of_rows(rows: SegmentKind) -> i64 {
    match rows {
        SegmentKind::Memories => 0,
        SegmentKind::Cues => 1,
    }
}

/// The bytes of a vector: little-endian f32.
pub fn vector_to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Appends the components of [`vector_to_bytes`] to `vector`; bytes after the last whole one are left out.
pub fn components_into(bytes: &[u8], vector: &mut Vec<f32>) {
    vector.extend(bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)));
}

/// A list or object as JSON text; an empty one is NULL.
pub fn to_json<T: Serialize>(value: &T, is_empty: bool) -> Option<String> {
    // Strings, arrays and maps with string keys always serialize.
    if is_empty { None } else { serde_json::to_string(value).ok() }
}

/// Removals by their number, of spans in its order: number, [`number_of_rows`], first and last.
pub fn removals_of(spans: &[(u64, i64, (u64, u64))]) -> Vec<(u64, Removed)> {
    let removal = |spans: &[(u64, i64, (u64, u64))]| {
        let of = |rows| {
            let of_rows = spans.iter().filter(|(_, of, _)| *of == number_of_rows(rows));
            IdRanges::of_runs(of_rows.map(|(_, _, span)| *span))
        };
        Some((spans.first()?.0, Removed { memories: of(SegmentKind::Memories), cues: of(SegmentKind::Cues) }))
    };
    spans.chunk_by(|one, next| one.0 == next.0).filter_map(removal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        for kind in [Kind::Turn, Kind::Note] {
            assert_eq!(kind_of_number(number_of_kind(kind)), kind);
        }
        let mut back = vec![7.0];
        components_into(&vector_to_bytes(&[1.5, -0.25]), &mut back);
        components_into(&[1, 2, 3], &mut back);
        assert_eq!(back, [7.0, 1.5, -0.25]);
        assert_eq!((to_json(&["a"], false).as_deref(), to_json(&["a"], true)), (Some(r#"["a"]"#), None));
    }

    #[test]
    fn spans_of_a_removal_come_together() {
        let found = removals_of(&[(3, 0, (1, 2)), (3, 1, (9, 9)), (3, 0, (3, 4)), (5, 1, (2, 6))]);
        let of = |memories: &[(u64, u64)], cues: &[(u64, u64)]| Removed {
            memories: IdRanges::of_runs(memories.iter().copied()),
            cues: IdRanges::of_runs(cues.iter().copied()),
        };
        assert_eq!(found, [(3, of(&[(1, 4)], &[(9, 9)])), (5, of(&[], &[(2, 6)]))]);
    }
}
