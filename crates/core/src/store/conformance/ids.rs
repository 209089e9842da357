//! An id that was given is never given again.

use std::{collections::HashSet, thread};

use super::{add, find, note, ns, turn};
use crate::{
    error::StoreError,
    store::{AppendOutcome, Batch, DeleteTarget, MemoryRef, Store},
    types::{ConversationId, Draft, MemoryId, Note, Scope, SessionId},
};

fn nameless(conversation: &str, session: &str) -> Draft {
    Draft::Turn(turn(None, conversation, session, "words"))
}

fn nameless_note(conversation: Option<&str>) -> Draft {
    let conversation = conversation.map(|name| ConversationId::new(name).unwrap());
    Draft::Note(Note { id: None, conversation, ..note("x", "words") })
}

fn chosen(id: &str, conversation: &str, session: &str) -> Draft {
    Draft::Turn(turn(Some(id), conversation, session, "words"))
}

fn id_of(outcome: &AppendOutcome) -> &str {
    outcome.id().as_str()
}

fn given(store: &dyn Store, drafts: &[Draft]) -> Vec<String> {
    add(store, "a", drafts).iter().map(|outcome| id_of(outcome).to_owned()).collect()
}

fn forget_one(store: &dyn Store, id: &str, conversation: Option<&str>) {
    let conversation = conversation.map(|name| ConversationId::new(name).unwrap());
    let memory_ref = MemoryRef { id: MemoryId::new(id).unwrap(), conversation };
    let seq = store.find(&ns("a"), &memory_ref).unwrap()[0].seq;
    store.forget(&ns("a"), &DeleteTarget::One(seq)).unwrap();
}

fn scope(conversation: Option<&str>, session: Option<&str>) -> Scope {
    Scope {
        conversation: conversation.map(|name| ConversationId::new(name).unwrap()),
        session: session.map(|name| SessionId::new(name).unwrap()),
        ..Scope::default()
    }
}

fn forget_within(store: &dyn Store, conversation: Option<&str>, session: Option<&str>) {
    store.forget(&ns("a"), &DeleteTarget::Within(scope(conversation, session))).unwrap();
}

pub(super) fn an_id_does_not_come_back(store: &dyn Store) {
    // An id was made from the number of turns in the session: forgetting the last one gave its id to the next,
    // and whoever had cited it cited other words.
    assert_eq!(given(store, &[nameless("c", "s"), nameless("c", "s"), nameless("c", "s")]), ["s:1", "s:2", "s:3"]);
    forget_one(store, "s:3", None);
    assert_eq!(given(store, &[nameless("c", "s"), nameless("c", "t")]), ["s:4", "t:1"]);
    forget_one(store, "s:1", None);
    assert_eq!(given(store, &[nameless("c", "s")]), ["s:5"]);

    // A session that is gone has left no name: whatever begins later counts on from its number.
    forget_within(store, Some("c"), Some("s"));
    assert_eq!(given(store, &[nameless("c", "s"), nameless("c", "t"), nameless("d", "s")]), ["s:6", "t:2", "s:1"]);
    forget_within(store, Some("c"), None);
    assert_eq!(given(store, &[nameless("c", "s"), nameless("d", "s"), nameless("d", "t")]), ["s:7", "s:2", "t:1"]);

    // Notes, in a conversation and outside.
    assert_eq!(given(store, &[nameless_note(None), nameless_note(None)]), ["note:1", "note:2"]);
    let seq = find(store, "a", "note:2")[0].seq;
    store.forget(&ns("a"), &DeleteTarget::One(seq)).unwrap();
    assert_eq!(given(store, &[nameless_note(None), nameless_note(Some("d"))]), ["note:3", "note:4"]);

    // What a user chose and took back is his to choose again, and no id that we give.
    add(store, "a", &[chosen("s:9", "d", "other"), chosen("s:3", "d", "s"), chosen("note:7", "d", "s")]);
    forget_one(store, "s:9", Some("d"));
    forget_one(store, "note:7", Some("d"));
    forget_one(store, "s:3", Some("d"));
    assert_eq!(given(store, &[nameless("d", "s"), nameless_note(Some("d"))]), ["s:10", "note:8"]);
    assert_eq!(given(store, &[chosen("s:9", "d", "s")]), ["s:9"]);
}

pub(super) fn an_id_does_not_come_back_in_a_long_walk(store: &dyn Store) {
    ids_given(store, 300);
}

/// Walks through additions and forgets, always the same ones, and returns the ids that the store gave.
///
/// # Panics
/// When it gave one that stands or stood for something else.
pub fn ids_given(store: &dyn Store, steps: u64) -> Vec<String> {
    let (long, longer) = (format!("{}x", "l".repeat(50)), format!("{}y", "l".repeat(50)));
    let cut = "l".repeat(50);
    let sessions = ["s", "t", "note", &long, &longer, &cut];
    let conversations = ["c", "d"];
    let (mut state, mut used, mut all) = (7u64, HashSet::new(), Vec::new());
    let mut below = |n: usize| {
        // A linear congruential generator; its high bits are good enough to choose by.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    add(store, "a", &[chosen("keeps the namespace", "e", "e")]);
    for step in 0..steps {
        let (conversation, session) = (conversations[below(2)], sessions[below(sessions.len())]);
        let place = below(3);
        let of_notes = (place > 0).then_some(conversation);
        match below(10) {
            0..5 => {
                let drafts =
                    [nameless(conversation, session), nameless_note(of_notes), nameless(conversation, session)];
                let drafts = &drafts[below(2)..2 + below(2)];
                for (draft, id) in drafts.iter().zip(given(store, drafts)) {
                    let home = draft.conversation().map(ConversationId::to_string);
                    assert!(used.insert((home, id.clone())), "step {step}: {id} was used before in {draft:?}");
                    all.push(id);
                }
            }
            5 => {
                let id = format!("{}:{}", ["s", "t", "note", &cut, "other"][below(5)], below(12) + 1);
                let draft = match of_notes {
                    Some(_) => chosen(&id, conversation, session),
                    None => Draft::Note(Note { id: Some(MemoryId::new(&id).unwrap()), ..note("x", "words") }),
                };
                match store.append(&ns("a"), Batch::of(std::slice::from_ref(&draft))) {
                    Ok(_) | Err(StoreError::Conflict { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                used.insert((draft.conversation().map(ConversationId::to_string), id));
            }
            6 => forget_within(store, Some(conversation), Some(session)),
            7 if place == 0 => forget_within(store, Some(conversation), None),
            _ => {
                let mut seqs = Vec::new();
                let mut visit = |memory: crate::types::Record| {
                    seqs.push(memory.seq);
                    Ok(())
                };
                store.export(&ns("a"), &scope(None, None), &mut visit).unwrap();
                // The last more often than others: its number is the one that could come back.
                let at = if place == 0 { below(seqs.len()) } else { seqs.len() - 1 };
                let target = [seqs.iter().max().copied(), seqs.get(at).copied()][below(2)].unwrap();
                if store.ids(&ns("a"), &[target]).unwrap()[0].as_str() != "keeps the namespace" {
                    store.forget(&ns("a"), &DeleteTarget::One(target)).unwrap();
                }
            }
        }
    }
    all
}

pub(super) fn a_note_gets_an_id_that_nothing_else_has(store: &dyn Store) {
    // Each conversation counted for itself: `note:1` was two notes, and the one in no conversation could not be named.
    let notes = [Some("c"), None, Some("d"), Some("c")].map(nameless_note);
    assert_eq!(given(store, &notes), ["note:1", "note:2", "note:3", "note:4"]);
    assert_eq!(given(store, &[nameless_note(Some("new")), nameless_note(None)]), ["note:5", "note:6"]);
    // Nor one that somebody chose, wherever that is.
    add(store, "a", &[chosen("note:7", "d", "s"), chosen("note:8", "e", "s")]);
    assert_eq!(given(store, &[nameless_note(None), nameless_note(Some("c"))]), ["note:9", "note:10"]);
}

pub(super) fn a_namespace_made_again_numbers_anew(store: &dyn Store) {
    given(store, &[nameless("c", "s"), nameless("c", "s"), nameless_note(None)]);
    forget_within(store, None, None);
    assert_eq!(given(store, &[nameless("c", "s"), nameless_note(None)]), ["s:1", "note:1"]);
}

pub(super) fn a_batch_that_is_refused_moves_no_number(store: &dyn Store) {
    given(store, &[nameless("c", "s"), chosen("t1", "c", "s")]);
    let clash = Draft::Turn(turn(Some("t1"), "c", "s", "other words"));
    let refused = [nameless("c", "s"), nameless("c", "new"), nameless_note(None), clash];
    assert!(store.append(&ns("a"), Batch::of(&refused)).is_err());
    assert_eq!(
        given(store, &[nameless("c", "s"), nameless("c", "new"), nameless_note(None)]),
        ["s:3", "new:1", "note:1"]
    );
    assert_eq!(store.stats(&ns("a")).unwrap().turns, 4);
}

pub(super) fn writers_at_once_get_ids_of_their_own(store: &dyn Store) {
    const EACH: usize = 25;
    let add = || -> Vec<String> { (0..EACH).flat_map(|_| given(store, &[nameless("c", "s")])).collect() };
    let ids: HashSet<String> = thread::scope(|threads| {
        let writers = [threads.spawn(add), threads.spawn(add)];
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(ids, (1..=2 * EACH).map(|n| format!("s:{n}")).collect());
}
