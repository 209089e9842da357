//! What of a memory changes, and what goes when it does.

use serde_json::{Value, json};

use super::{Seen, add_with_vectors, derived, encoder, find, note, ns, set, turn, vectors_of};
use crate::{
    error::{InvalidMemory, StoreError},
    store::{CueVectors, MemoryUpdate, NewCues, SegmentKind, Store, UpdateReport},
    types::{CueSource, Draft, Importance, Note, Sensitivity, Seq, Turn},
};

fn stored(store: &dyn Store) {
    let labelled = Turn {
        tags: vec!["old".to_owned()],
        meta: json!({"k": "v", "n": 1}).as_object().cloned(),
        ..turn(Some("t1"), "c", "s", "one")
    };
    let drafts = [
        Draft::Turn(labelled),
        Draft::Note(note("n1", "the old text")),
        Draft::Turn(turn(Some("t2"), "c", "s", "two")),
    ];
    add_with_vectors(store, "a", &drafts);
}

fn text(text: &str) -> MemoryUpdate {
    MemoryUpdate { text: Some(text.to_owned()), ..MemoryUpdate::default() }
}

fn update(store: &dyn Store, seq: u64, update: &MemoryUpdate) -> Option<UpdateReport> {
    store.update(&ns("a"), Seq(seq), update, None).unwrap()
}

pub(super) fn labels_change_in_place(store: &dyn Store) {
    let erased = store.erasure().unwrap();
    stored(store);
    let mut seen = Seen::default();
    let before = store.catch_up(&ns("a"), None, None, &mut seen).unwrap();
    let labels = MemoryUpdate {
        tags: Some(vec!["it's".to_owned(), "new".to_owned()]),
        sensitivity: Some(Sensitivity::Sensitive),
        meta: vec![("k".to_owned(), None), ("m".to_owned(), Some(Value::from("\"w\"")))],
        ..MemoryUpdate::default()
    };
    let report = update(store, 1, &labels).unwrap();
    assert_eq!((report.changed, report.vectors), (vec!["tags", "sensitive", "meta"], 0));
    let changed = find(store, "a", "t1").pop().unwrap();
    assert_eq!((changed.seq, changed.text.as_str(), changed.tags.len()), (Seq(1), "one", 2));
    assert_eq!(changed.meta, json!({"n": 1, "m": "\"w\""}).as_object().cloned());
    assert_eq!(changed.sensitivity, Sensitivity::Sensitive);
    assert_eq!(store.version(&ns("a")).unwrap(), Some(before), "no index holds these");
    assert_eq!(vectors_of(store, "a", &encoder(), &[1]).unwrap().as_slice(), [0.0, 1.0]);
    let without =
        MemoryUpdate { meta: vec![("n".to_owned(), None), ("m".to_owned(), None)], ..MemoryUpdate::default() };
    update(store, 1, &without).unwrap();
    assert_eq!(find(store, "a", "t1")[0].meta, None);
    let nothing = UpdateReport { erasure: erased, ..UpdateReport::default() };
    assert_eq!(update(store, 1, &without).unwrap(), nothing, "a repeat changes nothing");
    let important = MemoryUpdate { importance: Some(Importance::new(1.0).unwrap()), ..MemoryUpdate::default() };
    assert_eq!(update(store, 1, &important).unwrap().changed, ["importance"]);
    store.catch_up(&ns("a"), None, Some(before), &mut seen).unwrap();
    assert_eq!(seen.resets, 2, "an index holds importance, and is made anew");
}

pub(super) fn a_new_text_takes_the_old_one_along(store: &dyn Store) {
    stored(store);
    let source = CueSource { model: "m".to_owned(), prompt: "p".to_owned() };
    let vectors = CueVectors { questions: vec![vec![1.0, 0.0]], passage: None };
    let cues = NewCues { seq: Seq(2), questions: vec!["What was old?".to_owned()], vectors };
    store.put_cues(&ns("a"), &source, Some(&encoder()), &[cues]).unwrap();
    store.stage(&ns("a"), &encoder(), &[([7; 16], &[1.0, 2.0])]).unwrap();
    derived::keep(store, "english", &[derived::segment(SegmentKind::Memories, 0, 3, b"postings")]);
    let mut seen = Seen::default();
    let before = store.catch_up(&ns("a"), Some(&encoder()), None, &mut seen).unwrap();
    let secret = store.secret(&ns("a")).unwrap();
    let vector: &[f32] = &[9.0, 9.0];
    let report =
        store.update(&ns("a"), Seq(2), &text("the new text"), Some((set(&encoder()), vector))).unwrap().unwrap();
    assert_eq!((report.changed, report.vectors, report.cues), (vec!["text"], 2, 1));
    let changed = find(store, "a", "n1").pop().unwrap();
    assert_eq!((changed.seq, changed.text.as_str()), (Seq(4), "the new text"));
    assert_eq!(changed.tags, note("n1", "x").tags, "the rest stays");
    assert!(store.fetch(&ns("a"), &[Seq(2)]).unwrap().is_empty() && vectors_of(store, "a", &encoder(), &[2]).is_err());
    assert_eq!(vectors_of(store, "a", &encoder(), &[4]).unwrap().as_slice(), vector);
    assert_eq!(store.cue_stats(&ns("a")).unwrap().questions, 0);
    assert_eq!(store.staged(&ns("a"), &encoder(), &[[7; 16]]).unwrap(), [false]);
    assert!(derived::kept(store, "english").is_empty());
    assert!(secret.is_none() || store.secret(&ns("a")).unwrap() != secret);
    store.catch_up(&ns("a"), Some(&encoder()), Some(before), &mut seen).unwrap();
    let rows: Vec<(u64, &str)> = seen.rows.iter().map(|(seq, text, _)| (*seq, text.as_str())).collect();
    assert_eq!((seen.resets, rows, seen.cues.len()), (1, vec![(1, "one"), (3, "two"), (4, "the new text")], 0));
    assert_eq!(store.stats(&ns("a")).unwrap().notes, 1);
    let later = MemoryUpdate { said_at: Some("2024-01-01".parse().unwrap()), ..MemoryUpdate::default() };
    assert_eq!(update(store, 4, &later).unwrap().changed, ["said_at"]);
    assert_eq!(find(store, "a", "n1")[0].seq, Seq(5));
    assert_eq!(update(store, 4, &later), None, "it is there no more");
    // Numbers of ids that the store gives are as before.
    let unnamed = Draft::Note(Note { id: None, ..note("x", "another") });
    super::add(store, "a", &[unnamed]);
    assert_eq!(find(store, "a", "note:2").len(), 1);
}

pub(super) fn what_was_said_does_not_change(store: &dyn Store) {
    stored(store);
    let refused = |seq: u64, update: &MemoryUpdate| match store.update(&ns("a"), Seq(seq), update, None) {
        Err(StoreError::Invalid(why)) => why,
        other => panic!("{other:?}"),
    };
    let later = MemoryUpdate { said_at: Some("2024-01-01".parse().unwrap()), ..MemoryUpdate::default() };
    for change in [text("other words"), later, MemoryUpdate { source: Some(Vec::new()), ..MemoryUpdate::default() }] {
        assert!(matches!(refused(1, &change), InvalidMemory::WasSaid { .. }), "{change:?}");
    }
    assert!(matches!(refused(2, &text("  ")), InvalidMemory::EmptyText { .. }));
    assert!(matches!(refused(2, &text(&"x".repeat(10 << 20))), InvalidMemory::TextTooLong { .. }));
    let meta = MemoryUpdate { meta: vec![("k".to_owned(), None)], ..MemoryUpdate::default() };
    assert!(matches!(refused(2, &meta), InvalidMemory::NoteMetadata { .. }));
    let (one, other): (&[f32], _) = (&[1.0], encoder());
    assert!(matches!(
        store.update(&ns("a"), Seq(2), &text("new"), Some((set(&other), one))),
        Err(StoreError::Dimension { .. })
    ));
    assert_eq!(find(store, "a", "n1")[0].seq, Seq(2), "nothing of a refused change is kept");
    assert!(matches!(store.update(&ns("zzz"), Seq(1), &text("x"), None), Err(StoreError::UnknownNamespace { .. })));
    assert_eq!(update(store, 99, &text("x")), None);
}
