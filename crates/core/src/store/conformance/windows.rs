//! Vectors of the windows of long texts.

use super::{Seen, add, encoder, find, ns, set, turn};
use crate::{
    error::StoreError,
    store::{Batch, DeleteTarget, NewVectors, Store, WindowRef},
    types::{Draft, Seq},
};

fn drafts() -> Vec<Draft> {
    ["long", "short", "late"].map(|text| Draft::Turn(turn(Some(text), "c", "s", text))).into()
}

/// Vectors of windows by memory and number, as of now.
fn read(store: &dyn Store, windows: &[(u64, u32)]) -> Result<Vec<f32>, StoreError> {
    let windows: Vec<WindowRef> = windows.iter().map(|&(seq, number)| WindowRef { seq: Seq(seq), number }).collect();
    let now = store.version(&ns("a")).unwrap().unwrap();
    Ok(store.vectors(&ns("a"), &encoder(), &windows, now)?.as_slice().to_vec())
}

/// However its vectors come.
pub(super) fn a_long_text_has_a_vector_for_each_window(store: &dyn Store) {
    let (drafts, encoder) = (drafts(), encoder());
    let given = [Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..])];
    let vectors = NewVectors::Given { set: set(&encoder), vectors: &given };
    store.append(&ns("a"), Batch { drafts: &drafts[..1], vectors }).unwrap();
    store.stage(&ns("a"), &encoder, &[([1; 16], &[7.0, 8.0])]).unwrap();
    let vectors = NewVectors::Staged { set: set(&encoder), fingerprints: &[Some([1; 16])] };
    store.append(&ns("a"), Batch { drafts: &drafts[1..2], vectors }).unwrap();
    add(store, "a", &drafts[2..]);
    store.embed(&ns("a"), set(&encoder), &[(Seq(3), &[0.0, 1.0, 1.0, 0.0])]).unwrap();

    assert_eq!(read(store, &[(1, 2), (3, 1), (1, 0), (2, 0)]).unwrap(), [5.0, 6.0, 1.0, 0.0, 1.0, 2.0, 7.0, 8.0]);
    assert!(read(store, &[(2, 1)]).is_err(), "the text has one window");
    let mut seen = Seen::default();
    store.catch_up(&ns("a"), Some(&encoder), None, &mut seen).unwrap();
    let vectors: Vec<usize> = seen.rows.iter().map(|(_, _, vectors)| vectors.as_ref().map_or(0, Vec::len)).collect();
    assert_eq!(vectors, [6, 2, 4]);
    assert_eq!(store.stats(&ns("a")).unwrap().vectors.into_values().collect::<Vec<_>>(), [3], "memories are counted");

    assert_eq!(store.forget(&ns("a"), &DeleteTarget::One(Seq(1))).unwrap().vectors, 1);
    assert!(read(store, &[(1, 0)]).is_err() && read(store, &[(1, 2)]).is_err());
}

/// A vector that is cut short would shift all that come after it.
pub(super) fn windows_are_whole(store: &dyn Store) {
    let (drafts, encoder) = (drafts(), encoder());
    add(store, "a", &drafts[1..2]);
    store.stage(&ns("a"), &encoder, &[([1; 16], &[1.0, 2.0, 3.0]), ([2; 16], &[1.0, 2.0, 3.0, 4.0])]).unwrap();
    for vectors in [
        NewVectors::Given { set: set(&encoder), vectors: &[Some(&[1.0, 2.0, 3.0])] },
        NewVectors::Staged { set: set(&encoder), fingerprints: &[Some([1; 16])] },
    ] {
        let refused = store.append(&ns("a"), Batch { drafts: &drafts[..1], vectors });
        assert!(matches!(refused, Err(StoreError::Dimension { expected: 2, found: 3, .. })), "{refused:?}");
        assert!(find(store, "a", "long").is_empty());
    }
    let refused = store.embed(&ns("a"), set(&encoder), &[(Seq(1), &[1.0, 2.0, 3.0])]);
    assert!(matches!(refused, Err(StoreError::Dimension { expected: 2, found: 3, .. })), "{refused:?}");
    let refused = store.embed(&ns("a"), set(&encoder), &[(Seq(1), &[])]);
    assert!(matches!(refused, Err(StoreError::Dimension { expected: 2, found: 0, .. })), "{refused:?}");
    let vectors = NewVectors::Staged { set: set(&encoder), fingerprints: &[Some([2; 16])] };
    store.append(&ns("a"), Batch { drafts: &drafts[..1], vectors }).unwrap();
    assert_eq!(read(store, &[(2, 1)]).unwrap(), [3.0, 4.0]);
}
