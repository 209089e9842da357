//! How much a store remembers of what was removed.

use super::{note, ns};
use crate::{
    store::{
        backend::{Backend, Change, ChangeKind, Extent, MissingNamespace, View},
        batch::Batch,
        contract::Store,
        deletion::DeleteTarget,
        policy::{note_removed, removed_since},
        removed::{IdRanges, REMEMBERED_SPANS, Removed},
        version::Version,
    },
    types::{Draft, Scope, Seq},
};

/// What is derived from a namespace and kept elsewhere is sealed: nobody opens it after a forget. A backend without a
/// secret has none before either, so that nothing is kept.
pub(super) fn a_secret_goes_with_what_it_sealed(store: &dyn Store) {
    let notes: Vec<Draft> =
        ["n1", "n2", "n3"].into_iter().map(|id| Draft::Note(note(id, &format!("note {id}")))).collect();
    store.append(&ns("a"), Batch::of(&notes)).unwrap();
    store.append(&ns("b"), Batch::of(&notes)).unwrap();
    let secret = |namespace: &str| store.secret(&ns(namespace)).unwrap();
    let (first, other) = (secret("a"), secret("b"));
    assert_eq!(first, secret("a"), "it stays while nothing is forgotten");
    assert!(first.is_none() == other.is_none() && (first.is_none() || first != other));
    store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    let second = secret("a");
    assert!(second.is_none() == first.is_none() && (second.is_none() || second != first), "a forget replaces it");
    assert_eq!(secret("b"), other, "of that namespace alone");
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    store.append(&ns("a"), Batch::of(&notes[..1])).unwrap();
    let third = secret("a");
    assert!(third.is_none() || third != second, "a namespace made again has another");
}

/// What a store remembers of removals is bounded, and never a part of a removal.
///
/// # Panics
/// When it is not.
pub fn removals_are_bounded<B: Backend>(store: &B) {
    store.append(&ns("a"), Batch::of(&[Draft::Note(note("n1", "a note"))])).unwrap();
    let remove = |memories: IdRanges| {
        let removed = Removed { memories, cues: IdRanges::of([7]) };
        let (action, kind) = ("remove rows", ChangeKind::Lasting);
        let change = Change { namespace: &ns("a"), action, missing: MissingNamespace::Report, kind };
        store.write(change, |tables| note_removed(tables, &removed, &removed.cues)).unwrap();
    };
    let since = |number: u64| {
        let view = View { namespace: &ns("a"), action: "read removals", extent: Extent::Rows };
        let read = store.read(view, |tables| {
            let now = tables.state()?.version;
            removed_since(tables, now, Version { removed: number, ..now })
        });
        read.unwrap().unwrap()
    };
    let half = REMEMBERED_SPANS as u64 / 2;
    let apart = |from: u64, count: u64| IdRanges::of((0..count).map(|number| from + 2 * number));
    remove(IdRanges::of([1, 2, 3, 9]));
    remove(IdRanges::of([5]));
    remove(apart(100, half));
    assert_eq!(since(0).unwrap().memories.runs()[..3], [(1, 3), (5, 5), (9, 9)]);
    assert_eq!(since(3), Some(Removed::default()));
    assert_eq!(since(4), None, "of another history");
    remove(apart(100_000, half));
    assert!(since(2).is_none() && since(3).is_some(), "the oldest had to go, whole");
    remove(apart(200_000, 2 * half));
    assert!(since(4).is_none() && since(5).is_some(), "too many to remember at all");
    remove(IdRanges::of([6]));
    assert_eq!(since(5).unwrap().memories.runs(), [(6, 6)]);
}
