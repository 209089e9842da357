//! Which vectors serve, and where those of an import wait.

use super::{Seen, add, add_with_vectors, derived, encoder, find, note, ns, set, three_turns, turn, vectors_of};
use crate::{
    error::StoreError,
    store::{AppendOutcome, Audience, Batch, DeleteTarget, NewVectors, SegmentKind, Store},
    types::{Draft, EncoderId, Scope, Seq, VectorSet},
};

fn other() -> EncoderId {
    EncoderId::new("other@2/int8").unwrap()
}

/// The set of an encoder whose vectors have three components.
fn three(encoder: &EncoderId) -> VectorSet<'_> {
    VectorSet { encoder, dim: 3 }
}

/// Gives the memories at these positions a vector by [`other`].
fn embed_other(store: &dyn Store, positions: &[u64]) {
    let vectors: Vec<(Seq, &[f32])> = positions.iter().map(|&seq| (Seq(seq), &[0.0, 1.0, 0.0][..])).collect();
    store.embed(&ns("a"), three(&other()), &vectors).unwrap();
}

fn epoch(store: &dyn Store) -> u64 {
    store.version(&ns("a")).unwrap().unwrap().epoch
}

/// How many vectors an index of an encoder gets.
fn indexed(store: &dyn Store, encoder: &EncoderId) -> usize {
    let mut seen = Seen::default();
    store.catch_up(&ns("a"), Some(encoder), None, &mut seen).unwrap();
    seen.rows.iter().filter(|(_, _, vector)| vector.is_some()).count()
}

pub(super) fn staged_vectors_wait_for_their_batch(store: &dyn Store) {
    let encoder = encoder();
    store.stage(&ns("a"), &encoder, &[([1; 16], &[1.0, 2.0]), ([2; 16], &[3.0, 4.0])]).unwrap();
    assert_eq!(store.stats(&ns("a")).unwrap().turns, 0, "no memory shows before the batch");
    assert_eq!(store.staged(&ns("a"), &encoder, &[[2; 16], [9; 16]]).unwrap(), [true, false]);
    assert_eq!(store.staged(&ns("a"), &other(), &[[2; 16]]).unwrap(), [false]);
    assert_eq!(store.staged(&ns("b"), &encoder, &[[2; 16]]).unwrap(), [false]);
    let drafts = three_turns();
    let vectors = NewVectors::Staged { set: set(&encoder), fingerprints: &[None, Some([2; 16]), None] };
    store.append(&ns("a"), Batch { drafts: &drafts, vectors }).unwrap();
    assert_eq!(vectors_of(store, "a", &encoder, &[2]).unwrap().as_slice(), [3.0, 4.0]);
    assert_eq!(indexed(store, &encoder), 1);
    let staged = store.staged(&ns("a"), &encoder, &[[1; 16], [2; 16]]).unwrap();
    assert_eq!(staged, [true, false], "another import may wait for the first");
}

pub(super) fn staged_vectors_serve_repeated_passages(store: &dyn Store) {
    let encoder = encoder();
    store.stage(&ns("a"), &encoder, &[([1; 16], &[1.0, 2.0]), ([2; 16], &[3.0, 4.0])]).unwrap();
    add(store, "a", &three_turns()[..1]);
    let drafts: Vec<Draft> =
        three_turns().into_iter().chain([Draft::Turn(turn(Some("t4"), "c", "s", "two"))]).collect();
    let fingerprints = [Some([2; 16]), Some([1; 16]), None, Some([1; 16])];
    let vectors = NewVectors::Staged { set: set(&encoder), fingerprints: &fingerprints };
    let outcomes = store.append(&ns("a"), Batch { drafts: &drafts, vectors }).unwrap();
    assert!(
        matches!(
            outcomes[..],
            [AppendOutcome::Unchanged(_), AppendOutcome::Added(_), AppendOutcome::Added(_), AppendOutcome::Added(_)]
        ),
        "{outcomes:?}"
    );
    let vectors = vectors_of(store, "a", &encoder, &[2, 4]).unwrap();
    assert_eq!(vectors.as_slice(), [1.0, 2.0, 1.0, 2.0]);
    let staged = store.staged(&ns("a"), &encoder, &[[1; 16], [2; 16]]).unwrap();
    assert_eq!(staged, [false, false], "that of a memory which was there already waits for nothing");
}

/// Staged vectors of a namespace without a memory were in no listing, and no forget took them.
pub(super) fn staged_vectors_belong_to_their_namespace(store: &dyn Store) {
    store.stage(&ns("a"), &encoder(), &[([1; 16], &[1.0, 2.0]), ([2; 16], &[1.0, 2.0])]).unwrap();
    store.stage(&ns("b"), &encoder(), &[([1; 16], &[1.0, 2.0])]).unwrap();
    assert_eq!(store.namespaces().unwrap(), [ns("a"), ns("b")]);
    assert_eq!((store.stats(&ns("a")).unwrap().staged, store.stats(&ns("a")).unwrap().turns), (2, 0));
    let report = store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    assert_eq!((report.staged, report.turns), (2, 0));
    assert_eq!(store.namespaces().unwrap(), [ns("b")]);
    assert_eq!(store.staged(&ns("a"), &encoder(), &[[1; 16]]).unwrap(), [false]);
    assert_eq!(store.staged(&ns("b"), &encoder(), &[[1; 16]]).unwrap(), [true]);
}

pub(super) fn a_lost_staged_vector_adds_nothing(store: &dyn Store) {
    let encoder = encoder();
    store.stage(&ns("a"), &encoder, &[([1; 16], &[1.0, 2.0])]).unwrap();
    let drafts = three_turns();
    let vectors = NewVectors::Staged { set: set(&encoder), fingerprints: &[Some([1; 16]), None, Some([3; 16])] };
    let error = store.append(&ns("a"), Batch { drafts: &drafts, vectors }).unwrap_err();
    assert!(matches!(error, StoreError::Unstaged { .. }), "{error}");
    assert!(find(store, "a", "t1").is_empty());
    assert_eq!(store.staged(&ns("a"), &encoder, &[[1; 16]]).unwrap(), [true], "it waits for the next attempt");

    store.stage(&ns("a"), &encoder, &[([3; 16], &[1.0, 2.0, 3.0])]).unwrap();
    let error = store.append(&ns("a"), Batch { drafts: &drafts, vectors }).unwrap_err();
    assert!(matches!(error, StoreError::Dimension { expected: 2, found: 3, .. }), "{error}");
    assert!(find(store, "a", "t1").is_empty());
}

pub(super) fn the_first_vector_decides_what_serves(store: &dyn Store) {
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), None);
    add(store, "a", &three_turns()[..1]);
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), None);
    add_with_vectors(store, "a", &three_turns());
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), Some(encoder()));
    assert_eq!(store.stats(&ns("a")).unwrap().active_encoder, Some(encoder()));
    assert_eq!(store.active_encoder(&ns("b")).unwrap(), None);
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), None, "a namespace made again may choose again");
}

pub(super) fn vectors_that_do_not_serve_are_not_added_to(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    let drafts = [Draft::Turn(turn(Some("t4"), "c", "s", "four"))];
    store.stage(&ns("a"), &other(), &[([4; 16], &[1.0, 0.0, 0.0])]).unwrap();
    for vectors in [
        NewVectors::Given { set: three(&other()), vectors: &[Some(&[1.0, 0.0, 0.0])] },
        NewVectors::Staged { set: three(&other()), fingerprints: &[Some([4; 16])] },
    ] {
        let error = store.append(&ns("a"), Batch { drafts: &drafts, vectors }).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("test@1/f32") && message.contains("other@2/int8"), "{message}");
        assert!(message.contains("re-embed"), "{message}");
        assert!(find(store, "a", "t4").is_empty());
    }
    let other = other();
    let repeated = NewVectors::Given { set: three(&other), vectors: &[Some(&[1.0, 0.0, 0.0])] };
    let outcomes = store.append(&ns("a"), Batch { drafts: &three_turns()[..1], vectors: repeated }).unwrap();
    assert!(matches!(outcomes[..], [AppendOutcome::Unchanged(_)]), "a repeat brings no vector, and so no wrong one");
}

pub(super) fn a_set_serves_when_nothing_is_missing(store: &dyn Store) {
    let serve = |encoder: &EncoderId| store.activate(&ns("a"), encoder, Audience::LocalModels).unwrap();
    assert!(matches!(
        store.activate(&ns("a"), &encoder(), Audience::LocalModels),
        Err(StoreError::UnknownNamespace { .. })
    ));
    add_with_vectors(store, "a", &three_turns());
    let before = store.version(&ns("a")).unwrap().unwrap();
    embed_other(store, &[1, 2]);
    assert_eq!(epoch(store), before.epoch, "what does not serve is not searched");
    assert_eq!(serve(&other()), 1);
    assert_eq!((store.active_encoder(&ns("a")).unwrap(), epoch(store)), (Some(encoder()), before.epoch));

    embed_other(store, &[3]);
    derived::keep(store, "english", &[derived::segment(SegmentKind::Memories, 0, 3, b"postings")]);
    assert_eq!(serve(&other()), 0);
    let switched = epoch(store);
    assert!(store.active_encoder(&ns("a")).unwrap() == Some(other()) && switched > before.epoch);
    assert!(derived::kept(store, "english").is_empty());
    assert_eq!((serve(&other()), epoch(store)), (0, switched), "it serves already");

    add(store, "a", &[Draft::Turn(turn(Some("t4"), "c", "s", "four"))]);
    embed_other(store, &[4]);
    assert!(epoch(store) > switched, "an index that read memory 4 lacks its vector");
    assert_eq!(serve(&encoder()), 1, "the kept set lacks what came since");
    store.embed(&ns("a"), set(&encoder()), &[(Seq(4), &[1.0, 0.0])]).unwrap();
    assert_eq!(serve(&encoder()), 0);
    assert_eq!((indexed(store, &encoder()), indexed(store, &other())), (4, 4));
}

pub(super) fn what_a_remote_model_may_not_see_is_not_missing(store: &dyn Store) {
    add(store, "a", &[Draft::Note(note("n1", "a secret"))]);
    assert_eq!(store.activate(&ns("a"), &encoder(), Audience::LocalModels).unwrap(), 1);
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), None);
    assert_eq!(store.activate(&ns("a"), &other(), Audience::AnyModel).unwrap(), 0);
    assert_eq!(store.active_encoder(&ns("a")).unwrap(), Some(other()));
}

pub(super) fn idle_vectors_are_dropped(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    add_with_vectors(store, "b", &three_turns());
    embed_other(store, &[1, 3]);
    store.stage(&ns("a"), &other(), &[([1; 16], &[1.0, 0.0, 0.0])]).unwrap();
    store.stage(&ns("a"), &encoder(), &[([1; 16], &[1.0, 0.0])]).unwrap();
    assert_eq!(store.drop_idle_vectors(&ns("a")).unwrap(), 2);
    assert_eq!(store.drop_idle_vectors(&ns("a")).unwrap(), 0);
    let stats = store.stats(&ns("a")).unwrap();
    assert_eq!(stats.vectors.into_iter().collect::<Vec<_>>(), [(encoder().to_string(), 3)]);
    assert_eq!(store.staged(&ns("a"), &other(), &[[1; 16]]).unwrap(), [false]);
    assert_eq!(store.staged(&ns("a"), &encoder(), &[[1; 16]]).unwrap(), [true]);
    assert_eq!((indexed(store, &encoder()), indexed(store, &other())), (3, 0));
    assert_eq!(store.stats(&ns("b")).unwrap().vectors.into_values().collect::<Vec<_>>(), [3]);
    // An encoder of the same name and other dimensions may come back.
    store.embed(&ns("a"), VectorSet { encoder: &other(), dim: 1 }, &[(Seq(1), &[1.0])]).unwrap();
    assert!(matches!(store.drop_idle_vectors(&ns("zzz")), Err(StoreError::UnknownNamespace { .. })));
}

pub(super) fn forgetting_takes_the_vectors_of_every_set(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    embed_other(store, &[1, 2, 3]);
    assert_eq!(store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap().vectors, 2);
    for encoder in [encoder(), other()] {
        assert!(vectors_of(store, "a", &encoder, &[2]).is_err(), "{encoder}");
        assert_eq!(vectors_of(store, "a", &encoder, &[1, 3]).unwrap().len(), 2, "{encoder}");
    }
}

/// Stores disagreed on what an encoder may bring after its last vector was forgotten.
pub(super) fn an_encoder_keeps_its_components(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns()[..1]);
    add(store, "a", &three_turns());
    store.forget(&ns("a"), &DeleteTarget::One(Seq(1))).unwrap();
    assert!(store.stats(&ns("a")).unwrap().vectors.is_empty());
    let long = store.embed(&ns("a"), three(&encoder()), &[(Seq(2), &[1.0, 0.0, 0.0])]);
    assert!(matches!(long, Err(StoreError::Dimension { expected: 2, found: 3, .. })));
    let gone = store.embed(&ns("a"), set(&encoder()), &[(Seq(1), &[1.0, 0.0]), (Seq(2), &[1.0])]);
    assert!(matches!(gone, Err(StoreError::Dimension { expected: 2, found: 1, .. })));
    store.embed(&ns("a"), set(&encoder()), &[(Seq(1), &[1.0, 0.0]), (Seq(2), &[0.0, 1.0])]).unwrap();
    assert_eq!(vectors_of(store, "a", &encoder(), &[2]).unwrap().as_slice(), [0.0, 1.0]);
    assert!(vectors_of(store, "a", &encoder(), &[1]).is_err(), "what is gone gets none");
}
