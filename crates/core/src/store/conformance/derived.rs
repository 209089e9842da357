//! What a store does for derived indexes: it tells them what went, keeps parts of them, and stands still for them.

use super::{Seen, add, add_with_vectors, encoder, ns, set, three_turns, turn};
use crate::{
    error::StoreError,
    store::{
        BLOCK, DeleteTarget, NewCues, Segment, SegmentKind, SnapshotName, SnapshotOutcome, Store, Version, WindowRef,
    },
    types::{CueId, CueSource, Draft, Scope, Seq},
};

fn version(store: &dyn Store) -> Version {
    store.version(&ns("a")).unwrap().unwrap()
}

fn name(index: &str) -> SnapshotName {
    SnapshotName { index: index.to_owned(), maker: "this".to_owned() }
}

pub(super) fn segment(rows: SegmentKind, block: u64, upto: u64, bytes: &[u8]) -> Segment {
    Segment { rows, block, upto, bytes: bytes.to_vec() }
}

/// Keeps segments of namespace `a`.
pub(super) fn keep(store: &dyn Store, index: &str, segments: &[Segment]) {
    assert_eq!(store.keep_snapshot(&ns("a"), &name(index), version(store), segments).unwrap(), SnapshotOutcome::Yes);
}

/// The segments that an index of namespace `a` is shown.
pub(super) fn kept(store: &dyn Store, index: &str) -> Vec<Segment> {
    kept_by(store, name(index))
}

fn kept_by(store: &dyn Store, name: SnapshotName) -> Vec<Segment> {
    let mut seen = Seen { name: Some(name), ..Seen::default() };
    store.catch_up(&ns("a"), Some(&encoder()), None, &mut seen).unwrap();
    seen.segments
}

fn cue(store: &dyn Store, seq: u64, questions: &[&str]) {
    let questions = questions.iter().map(|&question| question.to_owned()).collect();
    let new = NewCues { seq: Seq(seq), questions, vectors: Default::default() };
    let source = CueSource { model: "writer".to_owned(), prompt: "isolated/1".to_owned() };
    store.put_cues(&ns("a"), &source, None, &[new]).unwrap();
}

pub(super) fn a_vector_of_another_state_is_no_damage(store: &dyn Store) {
    // A search beside a forget was told to restore a backup.
    add_with_vectors(store, "a", &three_turns());
    let before = version(store);
    store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    let read = |positions: &[Seq], at| {
        let windows: Vec<WindowRef> = positions.iter().map(|&seq| WindowRef::first(seq)).collect();
        store.vectors(&ns("a"), &encoder(), &windows, at)
    };
    assert!(matches!(read(&[Seq(1), Seq(2)], before), Err(StoreError::Outdated { .. })));
    assert!(matches!(read(&[Seq(1), Seq(2)], version(store)), Err(StoreError::Damaged { .. })));
    assert_eq!(read(&[Seq(3), Seq(1)], before).unwrap().as_slice(), [2.0, 1.0, 0.0, 1.0], "these are there still");
}

pub(super) fn an_index_is_told_what_went(store: &dyn Store) {
    let turns = |from: u64, to: u64| -> Vec<Draft> {
        (from..to).map(|n| Draft::Turn(turn(Some(&format!("t{n}")), "c", "s", &format!("text {n}")))).collect()
    };
    add(store, "a", &turns(1, 10));
    cue(store, 2, &["Who?", "What?"]);
    cue(store, 3, &["When?"]);
    let mut seen = Seen::default();
    let first = store.catch_up(&ns("a"), None, None, &mut seen).unwrap();
    store.forget(&ns("a"), &DeleteTarget::One(Seq(4))).unwrap();
    store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    cue(store, 3, &["Where?"]);
    add(store, "a", &turns(10, 12));
    store.forget(&ns("a"), &DeleteTarget::One(Seq(10))).unwrap();
    let second = store.catch_up(&ns("a"), None, Some(first), &mut seen).unwrap();
    assert_eq!((seen.resets, second.epoch, second.removed), (1, first.epoch, first.removed + 4));
    let left: Vec<u64> = seen.rows.iter().map(|(seq, ..)| *seq).collect();
    assert_eq!(left, [1, 3, 5, 6, 7, 8, 9, 11]);
    let cues: Vec<u64> = seen.cues.iter().map(|(id, ..)| *id).collect();
    assert_eq!(cues, [4]);

    store.forget(&ns("a"), &DeleteTarget::One(Seq(99))).unwrap();
    assert_eq!(version(store), second, "nothing went");
    store.drop_cues(&ns("a"), &Scope::default()).unwrap();
    let third = store.catch_up(&ns("a"), None, Some(second), &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len(), seen.cues.len(), third.cues), (1, 8, 0, CueId(4)));
    let unheard_of = Version { removed: third.removed + 1, ..third };
    store.catch_up(&ns("a"), None, Some(unheard_of), &mut seen).unwrap();
    assert_eq!(seen.resets, 2, "what cannot be brought up to date is made anew");
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    add(store, "a", &turns(1, 2));
    assert_eq!(version(store).removed, 0);
    store.catch_up(&ns("a"), None, Some(third), &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len()), (3, 1));
}

pub(super) fn segments_stand_for_rows(store: &dyn Store) {
    let turns: Vec<Draft> =
        (1..3 * BLOCK).map(|n| Draft::Turn(turn(Some(&format!("t{n}")), "c", "s", &format!("text {n}")))).collect();
    add(store, "a", &turns);
    (1..=3).for_each(|seq| cue(store, seq, &["Who?"]));
    let large = vec![7; 100_000];
    let kept = [
        segment(SegmentKind::Memories, 0, BLOCK - 1, &large),
        segment(SegmentKind::Memories, 1, 2 * BLOCK - 1, b"damaged"),
        segment(SegmentKind::Memories, 2, 2 * BLOCK + 10, b"half of it"),
        segment(SegmentKind::Cues, 0, 2, b"two questions"),
    ];
    keep(store, "english", &kept);
    let mut seen = Seen { name: Some(name("english")), ..Seen::default() };
    store.catch_up(&ns("a"), None, None, &mut seen).unwrap();
    assert_eq!(seen.segments, kept);
    let expected: Vec<u64> = (BLOCK..2 * BLOCK).chain(2 * BLOCK + 11..3 * BLOCK).collect();
    assert_eq!(seen.rows.iter().map(|(seq, ..)| *seq).collect::<Vec<_>>(), expected);
    assert_eq!(seen.cues.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), [3]);

    // What went takes along what held it, and no more.
    store.forget(&ns("a"), &DeleteTarget::One(Seq(2 * BLOCK + 500))).unwrap();
    assert_eq!(super::derived::kept(store, "english"), [&kept[..2], &kept[3..]].concat());
    store.forget(&ns("a"), &DeleteTarget::One(Seq(1))).unwrap();
    assert_eq!(super::derived::kept(store, "english"), kept[1..2]);
}

pub(super) fn segments_are_of_a_state_and_a_maker(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    let one = [segment(SegmentKind::Memories, 0, 3, b"one")];
    let before = version(store);
    keep(store, "english", &one);
    keep(store, "plain", &[segment(SegmentKind::Memories, 0, 3, b"another")]);
    assert_eq!(kept(store, "english"), one);
    assert!(kept(store, "paper").is_empty());

    // A snapshot outlived the analyzer that had made it.
    let newer = SnapshotName { maker: "newer".to_owned(), ..name("english") };
    assert!(kept_by(store, newer.clone()).is_empty());
    assert_eq!(store.keep_snapshot(&ns("a"), &newer, before, &one).unwrap(), SnapshotOutcome::Yes);
    assert_eq!(kept_by(store, newer), one);
    assert!(kept(store, "english").is_empty() && kept(store, "plain").is_empty(), "the older maker's are gone");

    store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    let stale =
        store.keep_snapshot(&ns("a"), &name("english"), before, &[segment(SegmentKind::Memories, 0, 3, b"forgotten")]);
    assert_eq!((stale.unwrap(), kept(store, "english").len()), (SnapshotOutcome::Outdated, 0));
    keep(store, "english", &one);
    store.embed(&ns("a"), set(&encoder()), &[(Seq(3), &[0.0, 1.0])]).unwrap();
    assert!(kept(store, "english").is_empty(), "it lacks a vector");
    let elsewhere = store.keep_snapshot(&ns("b"), &name("english"), before, &one).unwrap();
    assert_eq!(elsewhere, SnapshotOutcome::Outdated);
}

pub(super) fn a_steady_view_stands_still(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    cue(store, 2, &["Who?"]);
    let before = version(store);
    let view = store.steady().unwrap();
    cue(store, 2, &["When?"]);
    add(store, "a", &[Draft::Turn(turn(Some("t4"), "c", "s", "four"))]);
    assert_eq!(view.version(&ns("a")).unwrap(), Some(before));
    let asked = |store: &dyn Store| store.questions(&ns("a"), &[CueId(1), CueId(2)]).unwrap();
    assert_eq!(asked(&*view), [(CueId(1), "Who?".to_owned())]);
    assert_eq!(view.vectors(&ns("a"), &encoder(), &[WindowRef::first(Seq(2))], before).unwrap().as_slice(), [1.0, 1.0]);
    let mut seen = Seen::default();
    assert_eq!(view.catch_up(&ns("a"), Some(&encoder()), None, &mut seen).unwrap(), before);
    assert_eq!((seen.rows.len(), seen.cues.len()), (3, 1));
    drop(view);
    assert_eq!(asked(store), [(CueId(2), "When?".to_owned())]);
}
