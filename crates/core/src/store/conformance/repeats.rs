//! What is a repeat, what is a conflict, and what a refused call leaves.

use super::{add, note, ns, set, three_turns, turn};
use crate::{
    error::StoreError,
    store::{AppendOutcome, Audience, Batch, DeleteTarget, MemoryRef, Store},
    types::{ConversationId, Draft, Kind, Note, Scope, Seq},
};

pub(super) fn a_repeat_within_a_batch(store: &dyn Store) {
    let [one, two] = ["one", "two"].map(|text| Draft::Turn(turn(Some("t1"), "c", "s", text)));
    let outcomes = add(store, "a", &[one.clone(), one.clone()]);
    let [AppendOutcome::Added(first), AppendOutcome::Unchanged(second)] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert_eq!((first, store.stats(&ns("a")).unwrap().turns), (second, 1));
    let in_session = |session| Draft::Turn(turn(Some("t2"), "c", session, "three"));
    for batch in [[two, one], [in_session("s"), in_session("t")]] {
        assert!(matches!(store.append(&ns("a"), Batch::of(&batch)), Err(StoreError::Conflict { .. })), "{batch:?}");
    }
    // A note may have the id of a turn only where that is not: outside of its conversation.
    let of = |conversation: Option<&str>| {
        let conversation = conversation.map(|name| ConversationId::new(name).unwrap());
        Draft::Note(Note { conversation, ..note("t1", "no peanuts") })
    };
    assert!(matches!(
        store.append(&ns("a"), Batch::of(&[of(Some("c"))])),
        Err(StoreError::Conflict { field: "kind", .. })
    ));
    add(store, "a", &[of(None)]);
    let found = store.find(&ns("a"), &MemoryRef { id: first.clone(), conversation: None }).unwrap();
    assert_eq!(found.iter().map(|memory| memory.kind).collect::<Vec<_>>(), [Kind::Turn, Kind::Note]);
}

pub(super) fn a_refused_batch_leaves_no_namespace(store: &dyn Store) {
    let drafts = [Draft::Turn(turn(None, "c", "s", "fine")), Draft::Turn(turn(None, "c", "s", " "))];
    assert!(store.append(&ns("a"), Batch::of(&drafts)).is_err());
    assert!(store.namespaces().unwrap().is_empty() && store.version(&ns("a")).unwrap().is_none());
    assert!(store.find_existing(&ns("a"), &drafts).is_err(), "what cannot be kept is told before");
    assert_eq!(store.find_existing(&ns("a"), &drafts[..1]).unwrap(), [None]);
}

/// A view that stands still waited for itself where it was asked for a namespace that is not there.
pub(super) fn a_namespace_that_is_not_there(store: &dyn Store) {
    add(store, "a", &three_turns());
    let (view, other) = (store.steady().unwrap(), ns("zzz"));
    let encoder = super::encoder();
    for store in [store, &*view] {
        let count = store.count(&other, &Scope::default());
        assert!(matches!(count, Err(StoreError::UnknownNamespace { known, .. }) if known == [ns("a")]));
        assert!(store.fetch(&other, &[Seq(1)]).unwrap().is_empty());
        assert_eq!(store.cues(&other, &[Seq(1)]).unwrap(), [None]);
    }
    for error in [
        store.embed(&other, set(&encoder), &[(Seq(1), &[1.0, 0.0])]).unwrap_err(),
        store.activate(&other, &encoder, Audience::LocalModels).unwrap_err(),
        store.forget(&other, &DeleteTarget::One(Seq(1))).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::UnknownNamespace { .. }), "{error}");
    }
    assert_eq!(store.namespaces().unwrap(), [ns("a")]);
}
