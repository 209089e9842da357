//! What becomes of a message that was edited since it was stored.

use super::{
    Seen, add, add_with_vectors, derived, encoder, export, find, ns, set, texts, three_turns, turn, vectors_of,
};
use crate::{
    error::StoreError,
    store::{
        AppendOutcome, Audience, Batch, CueVectors, DeleteTarget, NewCues, NewVectors, OnConflict, SegmentKind, Store,
    },
    types::{CueSource, Draft, Importance, Scope, Sensitivity, Seq, Turn},
};

fn edited() -> [Draft; 2] {
    [Draft::Turn(turn(Some("t2"), "c", "s", "two, edited")), Draft::Turn(turn(Some("t4"), "c", "s", "four"))]
}

pub(super) fn an_edited_message_takes_the_place_of_the_old_one(store: &dyn Store) {
    let erased = store.erasure().unwrap();
    add_with_vectors(store, "a", &three_turns());
    let cues = NewCues { seq: Seq(2), questions: vec!["What is two?".to_owned()], vectors: CueVectors::default() };
    let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
    store.put_cues(&ns("a"), &source, None, &[cues]).unwrap();
    derived::keep(store, "english", &[derived::segment(SegmentKind::Memories, 0, 3, b"postings")]);
    store.stage(&ns("a"), &encoder(), &[([7; 16], &[1.0, 2.0])]).unwrap();
    let before = store.version(&ns("a")).unwrap().unwrap();
    let [drafts, batch] = [edited(), edited()];
    let refused = store.append_with(&ns("a"), Batch::of(&batch), OnConflict::Fail);
    assert!(matches!(refused, Err(StoreError::Conflict { field: "text", .. })));
    assert!(find(store, "a", "t4").is_empty(), "nothing of a refused batch is stored");

    let kept = store.append_with(&ns("a"), Batch::of(&drafts[..1]), OnConflict::Keep).unwrap();
    assert!(matches!(&kept[..], [AppendOutcome::Kept(id)] if id.as_str() == "t2"), "{kept:?}");
    assert_eq!(find(store, "a", "t2")[0].text, "two");
    assert_eq!(store.version(&ns("a")).unwrap().unwrap(), before, "nothing happened");

    let outcomes = store.append_with(&ns("a"), Batch::of(&drafts), OnConflict::Newest).unwrap();
    assert!(matches!(&outcomes[..], [AppendOutcome::Replaced(_), AppendOutcome::Added(_)]), "{outcomes:?}");
    let found = find(store, "a", "t2");
    assert_eq!((found[0].text.as_str(), found[0].seq), ("two, edited", Seq(2)), "it has the old one's position");
    assert_eq!(texts(&export(store, "a", &Scope::default())), ["one", "two, edited", "three", "four"]);
    assert_eq!(texts(&store.around(&ns("a"), Seq(2), 1, 1).unwrap()), ["one", "two, edited", "three"]);
    assert!(vectors_of(store, "a", &encoder(), &[2]).is_err(), "the old text's vector is gone");
    assert_eq!(store.cues(&ns("a"), &[Seq(2)]).unwrap(), [None]);
    assert!(derived::kept(store, "english").is_empty());
    assert_eq!(store.staged(&ns("a"), &encoder(), &[[7; 16]]).unwrap(), [false]);
    assert_eq!(store.erasure().unwrap(), erased);
    let waiting = store.unembedded(&ns("a"), &encoder(), Audience::AnyModel, Seq(0), 9).unwrap();
    assert_eq!(waiting.iter().map(|memory| memory.seq.0).collect::<Vec<_>>(), [2, 4]);
    assert_eq!((store.stats(&ns("a")).unwrap().turns, store.stats(&ns("a")).unwrap().sessions), (4, 1));

    // An index that held the old text is made anew.
    let mut seen = Seen::default();
    store.catch_up(&ns("a"), Some(&encoder()), Some(before), &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len()), (1, 4));
    assert_eq!(seen.rows[1], (2, "two, edited".to_owned(), None));

    // It may bring a vector.
    let again = [Draft::Turn(turn(Some("t2"), "c", "s", "two, edited again"))];
    let encoder = encoder();
    let vectors = NewVectors::Given { set: set(&encoder), vectors: &[Some(&[5.0, 6.0])] };
    store.append_with(&ns("a"), Batch { drafts: &again, vectors }, OnConflict::Newest).unwrap();
    assert_eq!(vectors_of(store, "a", &encoder, &[2]).unwrap().as_slice(), [5.0, 6.0]);
    let repeated = store.append_with(&ns("a"), Batch::of(&again), OnConflict::Newest).unwrap();
    assert!(matches!(&repeated[..], [AppendOutcome::Unchanged(_)]));
    let report = store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    assert_eq!((report.turns, report.vectors), (1, 1));
}

/// What was marked here is not lost because its source knows nothing of it.
pub(super) fn marks_outlive_an_import(store: &dyn Store) {
    let marked = Turn {
        importance: Importance::new(0.9).unwrap(),
        tags: vec!["health".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        ..turn(Some("t1"), "c", "s", "one")
    };
    add(store, "a", &[Draft::Turn(marked.clone())]);
    let plain = |text| [Draft::Turn(turn(Some("t1"), "c", "s", text))];
    let marks = || {
        let found = find(store, "a", "t1").remove(0);
        (found.text, found.importance, found.tags, found.sensitivity)
    };
    let expected = |text: &str| (text.to_owned(), marked.importance, marked.tags.clone(), Sensitivity::Sensitive);
    for on_conflict in [OnConflict::Newest, OnConflict::Keep, OnConflict::Fail] {
        let again = store.append_with(&ns("a"), Batch::of(&plain("one")), on_conflict).unwrap();
        assert!(matches!(&again[..], [AppendOutcome::Unchanged(_)]), "{on_conflict:?}: {again:?}");
        assert_eq!(marks(), expected("one"));
    }
    store.append_with(&ns("a"), Batch::of(&plain("one, edited")), OnConflict::Newest).unwrap();
    assert_eq!(marks(), expected("one, edited"));
    let waiting = store.unembedded(&ns("a"), &encoder(), Audience::AnyModel, Seq(0), 9).unwrap();
    assert!(waiting.is_empty(), "no model elsewhere may see the new text either");

    // A mark that an import states counts.
    let other = [Draft::Turn(Turn { tags: vec!["work".to_owned()], ..turn(Some("t1"), "c", "s", "one, edited") })];
    assert!(store.append_with(&ns("a"), Batch::of(&other), OnConflict::Fail).is_err());
    store.append_with(&ns("a"), Batch::of(&other), OnConflict::Newest).unwrap();
    assert_eq!((marks().2, marks().3), (vec!["work".to_owned()], Sensitivity::Sensitive));
}

pub(super) fn a_replaced_memory_may_change_its_session(store: &dyn Store) {
    add(store, "a", &three_turns());
    let alone = Draft::Turn(turn(Some("u1"), "c", "t", "alone in its session"));
    add(store, "a", &[alone]);
    assert_eq!(store.stats(&ns("a")).unwrap().sessions, 2);
    let moved = [Draft::Turn(turn(Some("u1"), "c", "s", "now with the others"))];
    store.append_with(&ns("a"), Batch::of(&moved), OnConflict::Newest).unwrap();
    assert_eq!(store.stats(&ns("a")).unwrap().sessions, 1, "an empty session goes");
    assert_eq!(texts(&store.around(&ns("a"), Seq(4), 1, 1).unwrap()), ["three", "now with the others"]);
    let given = add(store, "a", &[Draft::Turn(turn(None, "c", "s", "five"))]);
    assert_eq!(given[0].id().as_str(), "s:5", "ids go on from there");
}
