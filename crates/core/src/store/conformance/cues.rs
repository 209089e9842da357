//! Cue questions: derived, replaced whole, gone with their memory.

use super::{Seen, add, add_with_vectors, derived, encoder, note, ns, three_turns};
use crate::{
    error::StoreError,
    store::{Audience, CueStats, CueVectors, DeleteTarget, DroppedCues, MemoryUpdate, NewCues, SegmentKind, Store},
    types::{ConversationId, CueId, CueSource, Cues, Draft, EncoderId, Scope, Sensitivity, Seq, SessionId, Turn},
};

fn source(prompt: &str) -> CueSource {
    CueSource { model: "writer".to_owned(), prompt: prompt.to_owned() }
}

fn cues(seq: u64, questions: &[&str]) -> NewCues {
    let questions = questions.iter().map(|&question| question.to_owned()).collect();
    NewCues { seq: Seq(seq), questions, vectors: CueVectors::default() }
}

fn put(store: &dyn Store, new: &[NewCues]) -> u64 {
    store.put_cues(&ns("a"), &source("contextual/1"), None, new).unwrap()
}

fn seen(store: &dyn Store, encoder: Option<&EncoderId>) -> Seen {
    let mut seen = Seen::default();
    store.catch_up(&ns("a"), encoder, None, &mut seen).unwrap();
    seen
}

fn asked(store: &dyn Store, seq: u64) -> Option<Vec<String>> {
    store.cues(&ns("a"), &[Seq(seq)]).unwrap().remove(0).map(|cues| cues.questions)
}

pub(super) fn cues_come_later_and_come_back(store: &dyn Store) {
    let refused = store.put_cues(&ns("a"), &source("isolated/1"), None, &[cues(1, &["?"])]);
    assert!(matches!(refused, Err(StoreError::UnknownNamespace { .. })));
    add(store, "a", &three_turns());
    let before = store.version(&ns("a")).unwrap().unwrap();
    let odd = "Robert'); DROP TABLE cue;-- \u{1F408}?";
    assert_eq!(put(store, &[cues(2, &["Who?", odd]), cues(3, &[]), cues(99, &["Nobody's?"])]), 2);
    let version = store.version(&ns("a")).unwrap().unwrap();
    assert_eq!((version.epoch, version.last, version.cues), (before.epoch, before.last, CueId(2)));

    let stored = store.cues(&ns("a"), &[Seq(3), Seq(1), Seq(2)]).unwrap();
    let expected = |questions: &[&str]| {
        let questions = questions.iter().map(|&question| question.to_owned()).collect();
        Some(Cues { source: source("contextual/1"), questions })
    };
    assert_eq!(stored, [expected(&[]), None, expected(&["Who?", odd])]);
    assert_eq!(store.questions(&ns("a"), &[CueId(2), CueId(7)]).unwrap(), [(CueId(2), odd.to_owned())]);
    let uncued = |after, limit| {
        let found = store.uncued(&ns("a"), &Scope::default(), Audience::LocalModels, Seq(after), limit).unwrap();
        found.into_iter().map(|memory| memory.seq.0).collect::<Vec<_>>()
    };
    assert_eq!(uncued(0, 9), [1], "a memory with nothing to ask was asked for it");
    assert!(uncued(1, 9).is_empty() && uncued(0, 0).is_empty());
    let elsewhere = Scope { conversation: Some(ConversationId::new("other").unwrap()), ..Scope::default() };
    assert!(store.uncued(&ns("a"), &elsewhere, Audience::LocalModels, Seq(0), 9).unwrap().is_empty());

    let mut later = Seen { rows: seen(store, None).rows, ..Seen::default() };
    store.catch_up(&ns("a"), None, Some(before), &mut later).unwrap();
    assert_eq!((later.resets, later.cues.len()), (0, 2), "an index reads what is new");
    assert_eq!(later.cues[1], (2, 2, Some(odd.to_owned()), None));
    put(store, &[cues(1, &["When?"])]);
    store.catch_up(&ns("a"), None, Some(version), &mut later).unwrap();
    assert_eq!(later.cues.last().unwrap(), &(3, 1, Some("When?".to_owned()), None));

    let stats = store.cue_stats(&ns("a")).unwrap();
    let sources = [("writer, contextual/1".to_owned(), 3)].into();
    assert_eq!(stats, CueStats { memories: 3, questions: 3, sources, ..CueStats::default() });
    assert!(matches!(store.cue_stats(&ns("b")), Err(StoreError::UnknownNamespace { .. })));
}

pub(super) fn cues_take_the_place_of_cues(store: &dyn Store) {
    add(store, "a", &three_turns());
    put(store, &[cues(1, &["Who?", "What?"]), cues(2, &["When?"])]);
    let before = store.version(&ns("a")).unwrap().unwrap();
    store.put_cues(&ns("a"), &source("isolated/1"), None, &[cues(1, &["Why?"])]).unwrap();
    let after = store.version(&ns("a")).unwrap().unwrap();
    assert!(after.removed > before.removed && after.epoch == before.epoch, "an index takes out what is gone");
    assert_eq!(asked(store, 1).unwrap(), ["Why?"]);
    let left: Vec<_> = seen(store, None).cues.into_iter().map(|(id, seq, question, _)| (id, seq, question)).collect();
    assert_eq!(left, [(3, 2, Some("When?".to_owned())), (4, 1, Some("Why?".to_owned()))]);
    let sources = store.cue_stats(&ns("a")).unwrap().sources;
    assert_eq!(sources.into_values().collect::<Vec<_>>(), [1, 1]);
}

fn with_vectors(seq: u64, questions: &[(&str, [f32; 2])], passage: Option<[f32; 2]>) -> NewCues {
    let vectors = CueVectors {
        questions: questions.iter().map(|(_, vector)| vector.to_vec()).collect(),
        passage: passage.map(|vector| vector.to_vec()),
    };
    NewCues { vectors, ..cues(seq, &questions.iter().map(|(question, _)| *question).collect::<Vec<_>>()) }
}

pub(super) fn cues_bring_vectors_that_serve(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    let put =
        |encoder: &EncoderId, new: &[NewCues]| store.put_cues(&ns("a"), &source("contextual/1"), Some(encoder), new);
    let new = [with_vectors(2, &[("Who?", [1.0, 0.0]), ("What?", [0.0, 1.0])], Some([0.6, 0.8]))];
    assert_eq!(put(&encoder(), &new).unwrap(), 1);
    let found = seen(store, Some(&encoder())).cues;
    let vectors: Vec<_> = found.iter().map(|(_, _, question, vector)| (question.is_some(), vector.clone())).collect();
    let expected = [(false, [0.6, 0.8]), (true, [1.0, 0.0]), (true, [0.0, 1.0])];
    assert_eq!(vectors, expected.map(|(question, vector)| (question, Some(vector.to_vec()))));
    let ids = [CueId(found[2].0), CueId(found[0].0)];
    let now = store.version(&ns("a")).unwrap().unwrap();
    assert_eq!(store.cue_vectors(&ns("a"), &encoder(), &ids, now).unwrap().as_slice(), [0.0, 1.0, 0.6, 0.8]);
    assert!(seen(store, None).cues.iter().all(|(_, _, _, vector)| vector.is_none()));
    assert_eq!(asked(store, 2).unwrap(), ["Who?", "What?"]);
    let stats = store.cue_stats(&ns("a")).unwrap();
    assert_eq!((stats.questions, stats.vectors), (2, [("test@1/f32".to_owned(), 3)].into()));

    let other = EncoderId::new("other@2/int8").unwrap();
    assert!(matches!(put(&other, &new), Err(StoreError::EncoderMismatch { .. })));
    let long =
        NewCues { vectors: CueVectors { questions: vec![vec![1.0, 0.0, 0.0]], passage: None }, ..cues(1, &["Long?"]) };
    assert!(matches!(put(&encoder(), &[long]), Err(StoreError::Dimension { expected: 2, found: 3, .. })));
    assert_eq!(asked(store, 1), None, "nothing is half-written");
}

pub(super) fn cues_get_vectors_later(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    put(store, &[cues(1, &["Who?", "What?"]), cues(2, &["When?"])]);
    let without = |after, limit| {
        let found = store.unembedded_cues(&ns("a"), &encoder(), Audience::LocalModels, CueId(after), limit).unwrap();
        found.into_iter().map(|cue| (cue.id.0, cue.text)).collect::<Vec<_>>()
    };
    assert_eq!(without(1, 1), [(2, "What?".to_owned())]);
    let before = store.version(&ns("a")).unwrap().unwrap();
    store.embed_cues(&ns("a"), &encoder(), &[(CueId(1), &[1.0, 0.0]), (CueId(9), &[1.0, 0.0])]).unwrap();
    assert!(store.version(&ns("a")).unwrap().unwrap().epoch > before.epoch);
    assert_eq!(without(0, 9).len(), 2);
    assert_eq!(seen(store, Some(&encoder())).cues[0].3, Some(vec![1.0, 0.0]));
    let now = store.version(&ns("a")).unwrap().unwrap();
    let of = |at| store.cue_vectors(&ns("a"), &encoder(), &[CueId(1), CueId(2)], at);
    assert!(matches!(of(now), Err(StoreError::Damaged { .. })));
    assert!(matches!(of(before), Err(StoreError::Outdated { .. })), "it changed since");
    let long = store.embed_cues(&ns("a"), &encoder(), &[(CueId(2), &[1.0])]);
    assert!(matches!(long, Err(StoreError::Dimension { .. })));

    let other = EncoderId::new("other@2/int8").unwrap();
    let epoch = store.version(&ns("a")).unwrap().unwrap().epoch;
    store.embed_cues(&ns("a"), &other, &[(CueId(1), &[1.0, 0.0, 0.0])]).unwrap();
    assert_eq!(store.version(&ns("a")).unwrap().unwrap().epoch, epoch, "what does not serve is not searched");
    assert_eq!(store.drop_idle_vectors(&ns("a")).unwrap(), 1);
}

pub(super) fn sensitive_cues_are_for_local_models(store: &dyn Store) {
    add(store, "a", &[Draft::Note(note("n1", "no peanuts"))]);
    let uncued = |audience| store.uncued(&ns("a"), &Scope::default(), audience, Seq(0), 9).unwrap().len();
    assert_eq!((uncued(Audience::AnyModel), uncued(Audience::LocalModels)), (0, 1));
    put(store, &[cues(1, &["What may Ann not eat?"])]);
    let without = |audience| store.unembedded_cues(&ns("a"), &encoder(), audience, CueId(0), 9).unwrap().len();
    assert_eq!((without(Audience::AnyModel), without(Audience::LocalModels)), (0, 1));
}

pub(super) fn cues_go_with_their_memory_or_alone(store: &dyn Store) {
    add_with_vectors(store, "a", &three_turns());
    let new: Vec<NewCues> =
        (1..=3).map(|seq| with_vectors(seq, &[("Who?", [1.0, 0.0]), ("What?", [0.0, 1.0])], None)).collect();
    store.put_cues(&ns("a"), &source("isolated/1"), Some(&encoder()), &new).unwrap();
    let report = store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    assert_eq!((report.turns, report.cues, report.vectors), (1, 2, 3));
    assert!(seen(store, Some(&encoder())).cues.iter().all(|(_, seq, _, _)| *seq != 2));
    let kept = [
        derived::segment(SegmentKind::Memories, 0, 3, b"words"),
        derived::segment(SegmentKind::Cues, 0, 6, b"questions"),
    ];
    derived::keep(store, "english", &kept);
    let before = store.version(&ns("a")).unwrap().unwrap();
    let dropped = store.drop_cues(&ns("a"), &Scope::default()).unwrap();
    assert_eq!(dropped, DroppedCues { memories: 2, questions: 4, vectors: 4 });
    let after = store.version(&ns("a")).unwrap().unwrap();
    assert!(after.removed > before.removed && after.epoch == before.epoch);
    assert_eq!(derived::kept(store, "english"), kept[..1], "the other held words of what is gone");
    assert_eq!(store.cue_stats(&ns("a")).unwrap(), CueStats::default());
    let left = seen(store, Some(&encoder()));
    assert_eq!((left.rows.len(), left.cues.len()), (2, 0), "memories stay");
    put(store, &[cues(1, &["Again?"])]);
    assert_eq!(seen(store, None).cues[0].0, 7, "an id is never given twice");
    store.forget(&ns("a"), &DeleteTarget::Within(Scope::default())).unwrap();
    add(store, "a", &three_turns());
    assert_eq!(store.cue_stats(&ns("a")).unwrap(), CueStats::default());
}

/// The questions of the turn after a forgotten one said what that had said: their writer was shown both.
pub(super) fn cues_whose_writer_was_shown_a_memory_go_with_it(store: &dyn Store) {
    let turn = |session: &str, n: u64| {
        let (conversation, session) = (ConversationId::new("c").unwrap(), SessionId::new(session).unwrap());
        Draft::Turn(Turn::new(conversation, session, "Ann", format!("Turn {n}.")))
    };
    add(store, "a", &(1..=9).map(|n| turn("s", n)).chain([turn("later", 10)]).collect::<Vec<_>>());
    let of = |seqs: std::ops::RangeInclusive<u64>| seqs.map(|seq| cues(seq, &["Who?"])).collect::<Vec<_>>();
    let put = |prompt: &str, seqs| store.put_cues(&ns("a"), &source(prompt), None, &of(seqs)).unwrap();
    put("contextual/1", 1..=4);
    put("contextual/1 before=1", 5..=5);
    put("isolated/1", 6..=6);
    put("by hand", 7..=10);
    let asked = || seen(store, None).cues.iter().map(|(_, seq, _, _)| *seq).collect::<Vec<_>>();
    assert_eq!(asked(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // 3, which was shown 2; 4 too; 5 was shown 4 alone, 6 nothing; 7 and 8 may have been, 9 is too far away.
    let report = store.forget(&ns("a"), &DeleteTarget::One(Seq(2))).unwrap();
    assert_eq!((report.turns, report.cues), (1, 5));
    assert_eq!(asked(), [1, 5, 6, 9, 10]);
    let stats = store.cue_stats(&ns("a")).unwrap();
    assert_eq!((stats.memories, stats.questions), (5, 5));
    // What was not to leave the machine left it in the questions of others.
    let sensitive = MemoryUpdate { sensitivity: Some(Sensitivity::Sensitive), ..MemoryUpdate::default() };
    let report = store.update(&ns("a"), Seq(4), &sensitive, None).unwrap();
    assert_eq!((report.unwrap().cues, asked()), (2, vec![1, 6, 10]));
    // A note stands beside nothing.
    add(store, "a", &[Draft::Note(note("n", "Ann moved."))]);
    let report = store.forget(&ns("a"), &DeleteTarget::One(Seq(11))).unwrap();
    assert_eq!((report.notes, report.cues, asked()), (1, 0, vec![1, 6, 10]));
}

/// A check took the source of cues that were all replaced for damage.
pub(super) fn replaced_cues_leave_no_source(store: &dyn Store) {
    add(store, "a", &three_turns());
    put(store, &[cues(1, &["Who?"]), cues(2, &["When?"])]);
    store.put_cues(&ns("a"), &source("isolated/1"), None, &[cues(1, &["Why?"]), cues(2, &[])]).unwrap();
    let stats = store.cue_stats(&ns("a")).unwrap();
    assert_eq!(stats.sources.into_keys().collect::<Vec<_>>(), ["writer, isolated/1"]);
    assert_eq!((stats.memories, stats.questions), (2, 1));
}
