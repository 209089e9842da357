//! What every store must do, as tests that run on any of them.
//!
//! A store's crate calls [`run_all`] with a way to make an empty one.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "test code")]

mod browsing;
mod cues;
mod derived;
mod filters;
mod ids;
mod removals;
mod repeats;
mod replaced;
mod titles;
mod updates;
mod vector_sets;
mod windows;

pub use ids::ids_given;
pub use removals::removals_are_bounded;
use serde_json::json;

use super::{
    AppendOutcome, Audience, Batch, CheckDepth, CuePart, CueRow, DeleteTarget, Erasure, Gravity, IndexRow, IndexSink,
    MemoryRef, NewVectors, Removed, Segment, SegmentKind, SegmentUse, SnapshotName, Store, TitleRow, WindowRef,
};
use crate::{
    error::StoreError,
    types::{
        ConversationId, Draft, EncoderId, Importance, MAX_TITLE_BYTES, MemoryId, Namespace, Note, Record, Scope,
        Sensitivity, Seq, SessionId, Timestamp, Turn, VectorSet, Vectors,
    },
};

/// One test of the suite.
type Case = fn(&dyn Store);

/// The suite, by name.
pub const CASES: [(&str, Case); 65] = [
    ("what_goes_in_comes_out", what_goes_in_comes_out),
    ("a_repeat_adds_nothing", a_repeat_adds_nothing),
    ("a_taken_id_is_refused_and_nothing_is_written", a_taken_id_is_refused_and_nothing_is_written),
    ("an_invalid_draft_writes_nothing", an_invalid_draft_writes_nothing),
    ("an_edited_message_takes_the_place_of_the_old_one", replaced::an_edited_message_takes_the_place_of_the_old_one),
    ("marks_outlive_an_import", replaced::marks_outlive_an_import),
    ("a_replaced_memory_may_change_its_session", replaced::a_replaced_memory_may_change_its_session),
    ("a_repeat_within_a_batch", repeats::a_repeat_within_a_batch),
    ("a_refused_batch_leaves_no_namespace", repeats::a_refused_batch_leaves_no_namespace),
    ("a_namespace_that_is_not_there", repeats::a_namespace_that_is_not_there),
    ("a_session_has_one_title", titles::a_session_has_one_title),
    ("an_index_is_told_titles", titles::an_index_is_told_titles),
    ("ids_are_given_where_missing", ids_are_given_where_missing),
    ("an_id_does_not_come_back", ids::an_id_does_not_come_back),
    ("an_id_does_not_come_back_in_a_long_walk", ids::an_id_does_not_come_back_in_a_long_walk),
    ("a_note_gets_an_id_that_nothing_else_has", ids::a_note_gets_an_id_that_nothing_else_has),
    ("a_namespace_made_again_numbers_anew", ids::a_namespace_made_again_numbers_anew),
    ("a_batch_that_is_refused_moves_no_number", ids::a_batch_that_is_refused_moves_no_number),
    ("writers_at_once_get_ids_of_their_own", ids::writers_at_once_get_ids_of_their_own),
    ("one_id_in_two_conversations", one_id_in_two_conversations),
    ("namespaces_do_not_see_each_other", namespaces_do_not_see_each_other),
    ("an_index_catches_up", an_index_catches_up),
    ("vectors_belong_to_their_encoder", vectors_belong_to_their_encoder),
    ("vectors_come_later", vectors_come_later),
    ("sensitive_memories_are_for_local_models", sensitive_memories_are_for_local_models),
    ("forgetting_takes_everything_derived", forgetting_takes_everything_derived),
    ("forgetting_by_every_scope", forgetting_by_every_scope),
    ("a_namespace_made_again_is_another", a_namespace_made_again_is_another),
    ("a_secret_goes_with_what_it_sealed", removals::a_secret_goes_with_what_it_sealed),
    ("context_stays_in_its_session", context_stays_in_its_session),
    ("a_vector_of_another_state_is_no_damage", derived::a_vector_of_another_state_is_no_damage),
    ("an_index_is_told_what_went", derived::an_index_is_told_what_went),
    ("segments_stand_for_rows", derived::segments_stand_for_rows),
    ("segments_are_of_a_state_and_a_maker", derived::segments_are_of_a_state_and_a_maker),
    ("a_steady_view_stands_still", derived::a_steady_view_stands_still),
    ("staged_vectors_wait_for_their_batch", vector_sets::staged_vectors_wait_for_their_batch),
    ("staged_vectors_belong_to_their_namespace", vector_sets::staged_vectors_belong_to_their_namespace),
    ("staged_vectors_serve_repeated_passages", vector_sets::staged_vectors_serve_repeated_passages),
    ("a_lost_staged_vector_adds_nothing", vector_sets::a_lost_staged_vector_adds_nothing),
    ("the_first_vector_decides_what_serves", vector_sets::the_first_vector_decides_what_serves),
    ("vectors_that_do_not_serve_are_not_added_to", vector_sets::vectors_that_do_not_serve_are_not_added_to),
    ("a_set_serves_when_nothing_is_missing", vector_sets::a_set_serves_when_nothing_is_missing),
    ("what_a_remote_model_may_not_see_is_not_missing", vector_sets::what_a_remote_model_may_not_see_is_not_missing),
    ("an_encoder_keeps_its_components", vector_sets::an_encoder_keeps_its_components),
    ("a_long_text_has_a_vector_for_each_window", windows::a_long_text_has_a_vector_for_each_window),
    ("windows_are_whole", windows::windows_are_whole),
    ("idle_vectors_are_dropped", vector_sets::idle_vectors_are_dropped),
    ("forgetting_takes_the_vectors_of_every_set", vector_sets::forgetting_takes_the_vectors_of_every_set),
    ("cues_come_later_and_come_back", cues::cues_come_later_and_come_back),
    ("cues_take_the_place_of_cues", cues::cues_take_the_place_of_cues),
    ("replaced_cues_leave_no_source", cues::replaced_cues_leave_no_source),
    ("cues_bring_vectors_that_serve", cues::cues_bring_vectors_that_serve),
    ("cues_get_vectors_later", cues::cues_get_vectors_later),
    ("sensitive_cues_are_for_local_models", cues::sensitive_cues_are_for_local_models),
    ("cues_go_with_their_memory_or_alone", cues::cues_go_with_their_memory_or_alone),
    ("cues_whose_writer_was_shown_a_memory_go_with_it", cues::cues_whose_writer_was_shown_a_memory_go_with_it),
    ("filters_choose_the_same_everywhere", filters::filters_choose_the_same_everywhere),
    ("forgetting_by_every_filter", filters::forgetting_by_every_filter),
    ("a_scope_leaves_conversations_out", filters::a_scope_leaves_conversations_out),
    ("sessions_are_listed", browsing::sessions_are_listed),
    ("speakers_are_listed", browsing::speakers_are_listed),
    ("ids_are_found_by_how_they_begin", browsing::ids_are_found_by_how_they_begin),
    ("labels_change_in_place", updates::labels_change_in_place),
    ("a_new_text_takes_the_old_one_along", updates::a_new_text_takes_the_old_one_along),
    ("what_was_said_does_not_change", updates::what_was_said_does_not_change),
];

/// Runs the whole suite, each case on a store of its own.
///
/// # Panics
/// When the store does not conform; the message says which case.
pub fn run_all<S: Store>(empty: impl FnMut() -> S) {
    run_all_with(Erasure::Complete, empty);
}

/// [`run_all`] for a store that says `erased` of an erasure that has come as far as it can.
///
/// # Panics
/// As [`run_all`].
pub fn run_all_with<S: Store>(erased: Erasure, empty: impl FnMut() -> S) {
    run_all_but(&[], erased, empty);
}

/// As [`run_all_with`], without the cases of these names.
///
/// # Panics
/// As [`run_all`], and where no case has such a name.
pub fn run_all_but<S: Store>(without: &[&str], erased: Erasure, mut empty: impl FnMut() -> S) {
    assert!(without.iter().all(|without| CASES.iter().any(|(name, _)| name == without)), "{without:?}");
    for (name, case) in CASES.iter().filter(|(name, _)| !without.contains(name)) {
        eprintln!("conformance: {name}");
        let store = empty();
        assert_eq!(store.erasure().unwrap(), erased, "a store that nothing was forgotten from");
        case(&store);
        let mut findings = store.check(CheckDepth::Full, &mut |_| ()).unwrap();
        findings.retain(|finding| finding.gravity == Gravity::Damage);
        assert_eq!(findings, [], "{name} leaves a sound store");
    }
}

fn ns(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

fn encoder() -> EncoderId {
    EncoderId::new("test@1/f32").unwrap()
}

/// The set of an encoder whose vectors have two components.
fn set(encoder: &EncoderId) -> VectorSet<'_> {
    VectorSet { encoder, dim: 2 }
}

fn turn(id: Option<&str>, conversation: &str, session: &str, text: &str) -> Turn {
    Turn {
        id: id.map(|id| MemoryId::new(id).unwrap()),
        ..Turn::new(ConversationId::new(conversation).unwrap(), SessionId::new(session).unwrap(), "Ann", text)
    }
}

fn note(id: &str, text: &str) -> Note {
    Note {
        id: Some(MemoryId::new(id).unwrap()),
        conversation: None,
        text: text.to_owned(),
        said_at: None,
        importance: Importance::new(0.9).unwrap(),
        tags: vec!["diet".to_owned(), "it's \"quoted\"".to_owned()],
        sensitivity: Sensitivity::Sensitive,
        source: vec![MemoryId::new("t1").unwrap()],
    }
}

fn add(store: &dyn Store, namespace: &str, drafts: &[Draft]) -> Vec<AppendOutcome> {
    store.append(&ns(namespace), Batch::of(drafts)).unwrap()
}

fn three_turns() -> Vec<Draft> {
    ["one", "two", "three"]
        .into_iter()
        .enumerate()
        .map(|(i, text)| Draft::Turn(turn(Some(&format!("t{}", i + 1)), "c", "s", text)))
        .collect()
}

fn add_with_vectors(store: &dyn Store, namespace: &str, drafts: &[Draft]) {
    let data: Vec<[f32; 2]> = (0..drafts.len()).map(|i| [i as f32, 1.0]).collect();
    let vectors: Vec<Option<&[f32]>> = data.iter().map(|v| Some(&v[..])).collect();
    let encoder = encoder();
    let vectors = NewVectors::Given { set: set(&encoder), vectors: &vectors };
    store.append(&ns(namespace), Batch { drafts, vectors }).unwrap();
}

fn export(store: &dyn Store, namespace: &str, scope: &Scope) -> Vec<Record> {
    let mut memories = Vec::new();
    store
        .export(&ns(namespace), scope, &mut |memory| {
            memories.push(memory);
            Ok(())
        })
        .unwrap();
    memories
}

/// Vectors by place, as of now.
fn vectors_of(
    store: &dyn Store,
    namespace: &str,
    encoder: &EncoderId,
    positions: &[u64],
) -> Result<Vectors, StoreError> {
    let positions: Vec<WindowRef> = positions.iter().map(|&place| WindowRef::first(Seq(place))).collect();
    let now = store.version(&ns(namespace)).unwrap().unwrap();
    store.vectors(&ns(namespace), encoder, &positions, now)
}

fn texts(memories: &[Record]) -> Vec<&str> {
    memories.iter().map(|memory| memory.text.as_str()).collect()
}

fn find(store: &dyn Store, namespace: &str, id: &str) -> Vec<Record> {
    let memory_ref = MemoryRef { id: MemoryId::new(id).unwrap(), conversation: None };
    store.find(&ns(namespace), &memory_ref).unwrap()
}

/// Id, memory, question (none for the text with all of them), vector.
type SeenCue = (u64, u64, Option<String>, Option<Vec<f32>>);

#[derive(Default)]
struct Seen {
    resets: usize,
    rows: Vec<(u64, String, Option<Vec<f32>>)>,
    cues: Vec<SeenCue>,
    /// Number, conversation, session, title.
    titles: Vec<(u64, String, String, String)>,
    /// Its name, if it wants segments.
    name: Option<SnapshotName>,
    segments: Vec<Segment>,
}

impl IndexSink for Seen {
    fn reset(&mut self) {
        self.resets += 1;
        self.rows.clear();
        self.cues.clear();
        self.titles.clear();
    }

    fn remove(&mut self, gone: &Removed) -> Result<(), StoreError> {
        self.titles.clear();
        self.rows.retain(|(seq, ..)| !gone.memories.contains(*seq));
        self.cues.retain(|(id, seq, ..)| !gone.cues.contains(*id) && !gone.memories.contains(*seq));
        Ok(())
    }

    fn kept_as(&self) -> Option<SnapshotName> {
        self.name.clone()
    }

    fn segment(&mut self, segment: &Segment) -> SegmentUse {
        self.segments.push(segment.clone());
        match segment.bytes.as_slice() {
            b"damaged" => SegmentUse::No,
            _ => SegmentUse::Yes,
        }
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        self.rows.push((row.seq.0, row.text.to_owned(), row.vectors.map(<[f32]>::to_vec)));
        Ok(())
    }

    fn titles_upto(&self) -> Option<u64> {
        Some(self.titles.last().map_or(0, |(number, ..)| *number))
    }

    fn title(&mut self, row: TitleRow<'_>) {
        assert!(self.titles.last().is_none_or(|(number, ..)| *number < row.number), "in order of their numbers");
        let TitleRow { number, conversation, session, title } = row;
        self.titles.push((number, conversation.to_owned(), session.to_owned(), title.to_owned()));
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        let is_there = self.rows.iter().any(|(seq, ..)| *seq == cue.seq.0) || !self.segments.is_empty();
        assert!(is_there, "a cue comes after its memory");
        let question = match cue.part {
            CuePart::Passage => None,
            CuePart::Question(question) => Some(question.to_owned()),
        };
        self.cues.push((cue.id.0, cue.seq.0, question, cue.vector.map(<[f32]>::to_vec)));
        Ok(())
    }
}

fn what_goes_in_comes_out(store: &dyn Store) {
    let full = Turn {
        said_at: Some("2023-05-08T13:56:00.250Z".parse().unwrap()),
        image_caption: Some("a \u{1F408} on a \"mat\"".to_owned()),
        importance: Importance::new(0.25).unwrap(),
        tags: vec!["cat".to_owned(), String::new()],
        sensitivity: Sensitivity::Sensitive,
        meta: json!({"title": "x", "n": [1, null]}).as_object().cloned(),
        ..turn(Some("D1:3"), "conv-26", "session_1", "Robert'); DROP TABLE memory;--\n\u{0}猫 é")
    };
    let drafts = [
        Draft::Turn(full),
        Draft::Turn(turn(Some("D1:4"), "conv-26", "session_1", "plain")),
        Draft::Note(note("n1", "no peanuts")),
    ];
    let outcomes = add(store, "a", &drafts);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, AppendOutcome::Added(_))), "{outcomes:?}");
    let stored = export(store, "a", &Scope::default());
    for ((draft, stored), n) in drafts.iter().zip(&stored).zip(1..) {
        let expected = draft.clone().into_memory(Seq(n), draft.id().unwrap().clone());
        assert_eq!(*stored, expected);
        assert_eq!(store.ids(&ns("a"), &[Seq(n)]).unwrap()[0], expected.id);
        assert_eq!(store.fetch(&ns("a"), &[Seq(n)]).unwrap(), [expected]);
    }
    let stats = store.stats(&ns("a")).unwrap();
    assert_eq!((stats.conversations, stats.sessions, stats.turns, stats.notes), (1, 1, 2, 1));
    assert_eq!(stats.first, stored[0].said_at);
}

fn a_repeat_adds_nothing(store: &dyn Store) {
    add(store, "a", &three_turns());
    let before = store.version(&ns("a")).unwrap();
    let existing = store.find_existing(&ns("a"), &three_turns()).unwrap();
    assert!(existing.iter().all(Option::is_some));
    let outcomes = add(store, "a", &three_turns());
    assert!(outcomes.iter().all(|outcome| matches!(outcome, AppendOutcome::Unchanged(_))), "{outcomes:?}");
    assert_eq!(store.version(&ns("a")).unwrap(), before);
}

fn a_taken_id_is_refused_and_nothing_is_written(store: &dyn Store) {
    add(store, "a", &three_turns());
    let drafts =
        [Draft::Turn(turn(Some("t9"), "c", "s", "new")), Draft::Turn(turn(Some("t2"), "c", "s", "other words"))];
    for error in
        [store.find_existing(&ns("a"), &drafts).unwrap_err(), store.append(&ns("a"), Batch::of(&drafts)).unwrap_err()]
    {
        let message = error.to_string();
        assert!(message.contains("t2") && message.contains("text"), "{message}");
    }
    assert_eq!(texts(&export(store, "a", &Scope::default())), ["one", "two", "three"]);
}

fn an_invalid_draft_writes_nothing(store: &dyn Store) {
    for bad in ["  ".to_owned(), "x".repeat(10 << 20)] {
        let drafts = [Draft::Turn(turn(Some("ok"), "c", "s", "fine")), Draft::Turn(turn(None, "c", "s", &bad))];
        assert!(matches!(store.append(&ns("a"), Batch::of(&drafts)), Err(StoreError::Invalid(_))));
        assert!(store.version(&ns("a")).unwrap().is_none_or(|v| v.last == Seq(0)));
        assert!(find(store, "a", "ok").is_empty());
    }
}

fn ids_are_given_where_missing(store: &dyn Store) {
    let outcomes = add(
        store,
        "a",
        &[
            Draft::Turn(turn(Some("s:2"), "c", "s", "took the id of the second")),
            Draft::Turn(turn(None, "c", "s", "second")),
            Draft::Turn(turn(None, "c", "other", "first there")),
            Draft::Note(Note { id: None, ..note("x", "a note") }),
        ],
    );
    let ids: Vec<&str> = outcomes.iter().map(|outcome| outcome.id().as_str()).collect();
    assert_eq!(ids, ["s:2", "s:3", "other:1", "note:1"]);
}

fn one_id_in_two_conversations(store: &dyn Store) {
    add(
        store,
        "a",
        &[Draft::Turn(turn(Some("D1:1"), "x", "s", "in x")), Draft::Turn(turn(Some("D1:1"), "y", "s", "in y"))],
    );
    assert_eq!(texts(&find(store, "a", "D1:1")), ["in x", "in y"]);
    let memory_ref =
        MemoryRef { id: MemoryId::new("D1:1").unwrap(), conversation: Some(ConversationId::new("y").unwrap()) };
    assert_eq!(texts(&store.find(&ns("a"), &memory_ref).unwrap()), ["in y"]);
    let both = store.conversations_with(&ns("a"), &SessionId::new("s").unwrap()).unwrap();
    assert_eq!(both.len(), 2);
}

fn namespaces_do_not_see_each_other(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    add_with_vectors(store, "b", &three_turns()[..1]);
    assert_eq!(store.namespaces().unwrap(), [ns("a"), ns("b")]);
    assert_eq!(export(store, "b", &Scope::default()).len(), 1);
    assert!(store.fetch(&ns("b"), &[Seq(2)]).unwrap().is_empty());
    assert!(vectors_of(store, "b", &encoder(), &[2]).is_err());
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    assert_eq!(store.namespaces().unwrap(), [ns("b")]);
    assert_eq!(find(store, "b", "t1").len(), 1);
    assert_eq!(vectors_of(store, "b", &encoder(), &[1]).unwrap().len(), 1);
    assert!(store.version(&ns("a")).unwrap().is_none());
    assert!(matches!(store.stats(&ns("a")), Err(StoreError::UnknownNamespace { .. })));
    let message = store.stats(&ns("zzz")).unwrap_err().to_string();
    assert!(message.contains("zzz") && message.contains('b'), "{message}");
}

fn an_index_catches_up(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns()[..2]);
    let mut seen = Seen::default();
    let first = store.catch_up(&ns("a"), Some(&encoder()), None, &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len()), (1, 2));
    assert_eq!(seen.rows[1], (2, "two".to_owned(), Some(vec![1.0, 1.0])));
    assert_eq!(store.version(&ns("a")).unwrap(), Some(first));
    add(store, "a", &three_turns());
    let second = store.catch_up(&ns("a"), Some(&encoder()), Some(first), &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len()), (1, 3));
    assert_eq!(seen.rows[2], (3, "three".to_owned(), None));
    assert_eq!((second.epoch, second.last), (first.epoch, Seq(3)));
    store.embed(&ns("a"), set(&encoder()), &[(Seq(3), &[0.0, 1.0])]).unwrap();
    let third = store.catch_up(&ns("a"), Some(&encoder()), Some(second), &mut seen).unwrap();
    assert_eq!((seen.resets, seen.rows.len()), (2, 3));
    assert!(third.epoch > second.epoch);
}

fn vectors_belong_to_their_encoder(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    let vectors = vectors_of(store, "a", &encoder(), &[3, 1]).unwrap();
    assert_eq!(vectors.as_slice(), [2.0, 1.0, 0.0, 1.0]);
    assert_eq!(store.components(&ns("a"), &encoder()).unwrap(), Some(2));
    let other = EncoderId::new("other@1").unwrap();
    assert_eq!(store.components(&ns("a"), &other).unwrap(), None);
    let mut seen = Seen::default();
    store.catch_up(&ns("a"), Some(&other), None, &mut seen).unwrap();
    assert!(seen.rows.iter().all(|(_, _, vector)| vector.is_none()));
    let drafts = [Draft::Turn(turn(Some("t4"), "c", "s", "four"))];
    let encoder = encoder();
    let vectors = NewVectors::Given { set: set(&encoder), vectors: &[Some(&[1.0])] };
    let batch = Batch { drafts: &drafts, vectors };
    let message = store.append(&ns("a"), batch).unwrap_err().to_string();
    assert!(message.contains("test@1/f32"), "{message}");
    assert!(find(store, "a", "t4").is_empty());
}

fn vectors_come_later(store: &dyn Store) {
    add(store, "a", &three_turns());
    let missing = store.unembedded(&ns("a"), &encoder(), Audience::AnyModel, Seq(1), 10).unwrap();
    assert_eq!(missing.iter().map(|m| m.seq.0).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(missing[0].passage, "Ann: two");
    let gone = Seq(99);
    store.embed(&ns("a"), set(&encoder()), &[(Seq(2), &[1.0, 0.0]), (gone, &[0.0, 1.0])]).unwrap();
    let left = store.unembedded(&ns("a"), &encoder(), Audience::AnyModel, Seq(0), 10).unwrap();
    assert_eq!(left.iter().map(|m| m.seq.0).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(store.stats(&ns("a")).unwrap().vectors.into_values().collect::<Vec<_>>(), [1]);
}

fn sensitive_memories_are_for_local_models(store: &dyn Store) {
    let secret = Turn { sensitivity: Sensitivity::Sensitive, ..turn(None, "c", "s", "another") };
    let plain = turn(None, "c", "s", "not one");
    add(store, "a", &[Draft::Note(note("n1", "a secret")), Draft::Turn(secret), Draft::Turn(plain)]);
    let any = store.unembedded(&ns("a"), &encoder(), Audience::AnyModel, Seq(0), 10).unwrap();
    let local = store.unembedded(&ns("a"), &encoder(), Audience::LocalModels, Seq(0), 10).unwrap();
    assert_eq!((any.len(), local.len()), (1, 3));
    assert_eq!(any[0].passage, "Ann: not one");
}

fn forgetting_takes_everything_derived(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    derived::keep(store, "english", &[derived::segment(SegmentKind::Memories, 0, 3, b"postings")]);
    store.stage(&ns("a"), &encoder(), &[([7; 16], &[1.0, 2.0])]).unwrap();
    let erased = store.erasure().unwrap();
    let report = store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    assert_eq!((report.turns, report.vectors, report.sessions, report.staged), (1, 1, 0, 1));
    assert_eq!((report.erasure, store.erasure().unwrap()), (erased, erased));
    assert!(find(store, "a", "t2").is_empty());
    assert!(vectors_of(store, "a", &encoder(), &[2]).is_err());
    assert!(derived::kept(store, "english").is_empty());
    assert_eq!(store.staged(&ns("a"), &encoder(), &[[7; 16]]).unwrap(), [false]);
    add(store, "a", &[Draft::Turn(turn(Some("t2"), "c", "s", "a new one may take the id"))]);
    assert_eq!(find(store, "a", "t2")[0].seq, Seq(4));
}

fn forgetting_by_every_scope(store: &dyn Store) {
    let at = |text: &str| -> Option<Timestamp> { Some(text.parse().unwrap()) };
    let drafts: Vec<Draft> = [("c", "s1", "2023-01-01"), ("c", "s2", "2023-02-01"), ("d", "s1", "2023-03-01")]
        .into_iter()
        .map(|(c, s, day)| Draft::Turn(Turn { said_at: at(day), ..turn(Some("t"), c, s, day) }))
        .enumerate()
        .map(|(i, draft)| match draft {
            Draft::Turn(turn) => Draft::Turn(Turn { id: Some(MemoryId::new(format!("t{i}")).unwrap()), ..turn }),
            note => note,
        })
        .chain([Draft::Note(note("n", "undated"))])
        .collect();
    let (c, s1) = (ConversationId::new("c").unwrap(), SessionId::new("s1").unwrap());
    let scopes = [
        (Scope { conversation: Some(c.clone()), ..Scope::default() }, vec!["2023-03-01", "undated"], (1, 2)),
        (
            Scope { conversation: Some(c), session: Some(s1), ..Scope::default() },
            vec!["2023-02-01", "2023-03-01", "undated"],
            (0, 1),
        ),
        (Scope { from: at("2023-02-01"), ..Scope::default() }, vec!["2023-01-01", "undated"], (1, 2)),
        (Scope { to: at("2023-01-31"), ..Scope::default() }, vec!["2023-02-01", "2023-03-01", "undated"], (0, 1)),
    ];
    for (i, (scope, left, (conversations, sessions))) in scopes.into_iter().enumerate() {
        let name = format!("n{i}");
        add(store, &name, &drafts);
        let within = export(store, &name, &scope);
        let seqs: Vec<Seq> = within.iter().map(|memory| memory.seq).collect();
        assert_eq!(store.count(&ns(&name), &scope).unwrap(), seqs.len() as u64);
        assert_eq!(store.positions(&ns(&name), &scope).unwrap(), seqs);
        let report = store.forget(&ns(&name), &DeleteTarget::Within(scope)).unwrap();
        assert_eq!(texts(&export(store, &name, &Scope::default())), left);
        assert_eq!((report.conversations, report.sessions), (conversations, sessions), "{left:?}");
    }
}

fn a_namespace_made_again_is_another(store: &dyn Store) {
    // An index of the old one in another process must not take itself for current.
    add(store, "a", &three_turns());
    let old = store.version(&ns("a")).unwrap().unwrap();
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    add(store, "a", &three_turns());
    assert_ne!(store.version(&ns("a")).unwrap().unwrap().epoch, old.epoch);
}

fn context_stays_in_its_session(store: &dyn Store) {
    let mut drafts = three_turns();
    drafts.insert(1, Draft::Turn(turn(Some("u1"), "c", "t", "between, elsewhere")));
    drafts.push(Draft::Note(note("n", "alone")));
    add(store, "a", &drafts);
    let around = |seq, before, after| store.around(&ns("a"), Seq(seq), before, after).unwrap();
    assert_eq!(texts(&around(3, 1, 1)), ["one", "two", "three"]);
    assert_eq!(texts(&around(3, 0, 9)), ["two", "three"]);
    assert_eq!(texts(&around(1, 5, 0)), ["one"]);
    assert_eq!(texts(&around(5, 5, 5)), ["alone"]);
    assert!(around(99, 1, 1).is_empty());
}

#[cfg(test)]
mod tests {
    use crate::store::InMemoryStore;

    #[test]
    fn the_in_memory_store_conforms() {
        super::run_all(InMemoryStore::new);
    }

    #[test]
    fn the_in_memory_store_remembers_a_bounded_number_of_removals() {
        super::removals_are_bounded(&InMemoryStore::new());
    }
}
