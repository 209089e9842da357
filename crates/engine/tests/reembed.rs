//! Vector sets: which one serves, and how another comes to.

use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::Ordering},
};

use aforesaid::{
    Error, ErrorKind, Explanations, IdleVectors, Locality, Memory, Pipeline, StoreError, Warning, types::*,
};

use crate::bags::*;

const TURNS: usize = 3_000;
const NEW: &str = "sacks@2/int8";

/// Turns enough for several chunks, and for a snapshot of the index.
fn many() -> Vec<Turn> {
    (0..TURNS).map(|i| turn("c", "s", &i.to_string(), "Ann", &format!("number{i} of many"))).collect()
}

fn later(i: usize) -> Turn {
    turn("later", "s", &i.to_string(), "Bob", &format!("afterwards{i} it rained"))
}

/// The small encoder tells few of the many apart, but them from everything else.
fn assert_finds_many(memory: &Memory) {
    assert!(first(memory, "number17 of many").unwrap().ends_with(" of many"));
}

/// The first hit of a search by meaning alone.
fn first(memory: &Memory, question: &str) -> Result<String, Error> {
    let pipeline: Pipeline = "paper-dense-max".parse().unwrap();
    let answer = memory.search(&Query::new(ns("me"), question), &pipeline, Explanations::Omit)?;
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    Ok(answer.hits[0].text.clone())
}

fn reembed(memory: &Memory) -> aforesaid::Reembedded {
    memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).unwrap()
}

fn passages(encoder: &Arc<Bags>) -> usize {
    encoder.passages.load(Ordering::Relaxed)
}

fn sets(memory: &Memory) -> Vec<(String, u64)> {
    memory.stats(&ns("me")).unwrap().vectors.into_iter().collect()
}

struct File {
    _folder: tempfile::TempDir,
    path: String,
}

impl File {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db").to_str().unwrap().to_owned();
        Self { _folder: folder, path }
    }

    fn open(&self, encoder: Arc<Bags>) -> Memory {
        open(&self.path, encoder)
    }

    /// With many turns by the old encoder, whose memory stays open.
    fn filled() -> (Self, Memory) {
        let file = Self::new();
        let old = file.open(local());
        old.add_turns(&ns("me"), many()).unwrap();
        (file, old)
    }
}

fn assert_refused(error: &Error) {
    assert!(matches!(error, Error::Store(StoreError::EncoderMismatch { .. })), "{error}");
    assert_eq!(error.kind(), ErrorKind::Model);
}

#[test]
fn the_first_addition_decides_what_serves() {
    let file = File::new();
    let memory = file.open(local());
    assert_eq!(memory.active_encoder(&ns("me")).unwrap(), None);
    memory.add_turns(&ns("me"), history()).unwrap();
    assert_eq!(memory.active_encoder(&ns("me")).unwrap(), Some(local().id.clone()));
    assert_eq!(memory.stats(&ns("me")).unwrap().active_encoder, Some(local().id.clone()));

    let encoder = Bags::new(NEW, Locality::Local);
    let other = file.open(encoder.clone());
    let error = other.add_turns(&ns("me"), vec![later(0)]).unwrap_err();
    assert_refused(&error);
    let message = error.to_string();
    assert!(message.contains("bags@1/f32") && message.contains(NEW), "{message}");
    assert!(message.contains("re-embed the namespace"), "{message}");
    assert_eq!(passages(&encoder), 0, "nothing is encoded in vain");
    assert_refused(&first(&other, "kite").unwrap_err());
    assert_refused(&other.prepare(&ns("me"), &Pipeline::hybrid()).unwrap_err());
    assert_eq!(other.add_turns(&ns("me"), history()).unwrap().unchanged, 6, "a repeat needs no vector");
    // Another namespace has a choice of its own.
    other.add_turns(&ns("you"), history()).unwrap();
    assert_eq!(other.active_encoder(&ns("you")).unwrap().unwrap().as_str(), NEW);
}

#[test]
fn the_old_vectors_serve_until_the_new_are_complete() {
    let (file, old) = File::filled();
    let encoder = Bags::new(NEW, Locality::Local);
    let new = file.open(encoder.clone());
    let mut steps = 0;
    let done = new.reembed(&ns("me"), IdleVectors::Keep, &mut |progress| {
        steps += 1;
        assert!(progress.done <= progress.total, "{progress:?}");
        assert_eq!(old.active_encoder(&ns("me")).unwrap().unwrap().as_str(), "bags@1/f32");
        assert_finds_many(&old);
        if steps <= 2 {
            old.add_turns(&ns("me"), vec![later(steps)]).unwrap();
            assert_eq!(first(&old, &later(steps).text).unwrap(), later(steps).text);
        }
    });
    let done = done.unwrap();
    assert!(steps >= 3, "{steps} steps of {TURNS} turns");
    assert_eq!((done.encoder.as_str(), done.before.unwrap().as_str()), (NEW, "bags@1/f32"));
    assert_eq!((done.embedded, passages(&encoder)), (TURNS + 2, TURNS + 2), "what came meanwhile is in it");
    let all = TURNS as u64 + 2;
    assert_eq!(sets(&new), [("bags@1/f32".to_owned(), all), (NEW.to_owned(), all)]);

    // In the process that switched, in one that was running, and in one that is started.
    for memory in [&new, &file.open(Bags::new(NEW, Locality::Local))] {
        assert_eq!(first(memory, &later(2).text).unwrap(), later(2).text);
        assert_finds_many(memory);
    }
    for memory in [&old, &file.open(local())] {
        assert_refused(&first(memory, "number17").unwrap_err());
        assert_refused(&memory.add_turns(&ns("me"), vec![later(3)]).unwrap_err());
    }
}

#[test]
fn a_stopped_reembed_encodes_nothing_twice() {
    let (file, old) = File::filled();
    let failing = Bags::failing_after(NEW, TURNS * 5 / 6);
    let stopped = file.open(failing.clone()).reembed(&ns("me"), IdleVectors::Drop, &mut |_| {});
    assert!(matches!(stopped, Err(Error::Encode(_))), "{stopped:?}");
    assert_finds_many(&old);
    let made = failing.seen.lock().unwrap().len();
    assert!(made > 0 && made < TURNS, "{made} vectors were made");
    assert_eq!(sets(&old), [("bags@1/f32".to_owned(), TURNS as u64), (NEW.to_owned(), made as u64)]);

    let encoder = Bags::new(NEW, Locality::Local);
    assert_eq!(reembed(&file.open(encoder.clone())).embedded, TURNS - made);
    assert_eq!(passages(&encoder), TURNS - made);
}

#[test]
fn switching_back_makes_only_what_was_added_since() {
    let (file, old) = File::filled();
    assert_finds_many(&old);
    let new = file.open(Bags::new(NEW, Locality::Local));
    reembed(&new);
    new.add_turns(&ns("me"), vec![later(1)]).unwrap();
    let back = reembed(&old);
    assert_eq!((back.embedded, back.encoder.as_str()), (1, "bags@1/f32"));
    // Its index in memory was made before the switch and must not be taken for complete.
    assert_eq!(first(&old, &later(1).text).unwrap(), later(1).text);
    assert_eq!(first(&file.open(local()), &later(1).text).unwrap(), later(1).text);
    assert_refused(&first(&new, "number17").unwrap_err());
    assert_eq!(reembed(&old).embedded, 0);
    assert_eq!(reembed(&new).embedded, 0);
    assert_eq!(first(&new, &later(1).text).unwrap(), later(1).text);
}

#[test]
fn old_vectors_are_dropped_when_asked() {
    let (file, old) = File::filled();
    let new = file.open(Bags::new(NEW, Locality::Local));
    let done = new.reembed(&ns("me"), IdleVectors::Drop, &mut |_| {}).unwrap();
    assert_eq!((done.embedded, done.dropped), (TURNS, TURNS as u64));
    assert_eq!(sets(&new), [(NEW.to_owned(), TURNS as u64)]);
    assert_finds_many(&new);
    assert_refused(&first(&old, "number17").unwrap_err());
    assert_eq!(reembed(&old).embedded, TURNS, "there is nothing to go back to");
}

#[test]
fn what_a_remote_encoder_may_not_see_does_not_keep_it_from_serving() {
    let memory = open("memory:", local());
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
        .add_note(
            &ns("me"),
            Note {
                id: None,
                conversation: None,
                text: "The safe opens with 4711.".to_owned(),
                said_at: None,
                importance: Importance::default(),
                tags: Vec::new(),
                sensitivity: Sensitivity::Sensitive,
                source: Vec::new(),
            },
        )
        .unwrap();
    let encoder = Bags::new("cloud@1/f32", Locality::Remote);
    let memory = memory.with_encoders(aforesaid::EncoderSource::Ready(encoder.clone()));
    assert_eq!(reembed(&memory).embedded, 6);
    assert_eq!(memory.active_encoder(&ns("me")).unwrap(), Some(encoder.id.clone()));
    assert!(encoder.seen.lock().unwrap().iter().all(|text| !text.contains("4711")));
}

#[test]
fn where_nothing_served_before_the_first_vectors_do_while_others_are_still_missing() {
    let memory = Memory::builder().open("memory:").unwrap();
    memory.add_turns(&ns("me"), many()).unwrap();
    let memory = memory.with_encoders(aforesaid::EncoderSource::Ready(Bags::failing_after(NEW, 2_000)));
    let search = |memory: &Memory| {
        memory.search(&Query::new(ns("me"), "number17"), &Pipeline::hybrid(), Explanations::Omit).unwrap()
    };
    let answer = search(&memory);
    assert!(answer.hits[0].legs.get("dense").is_none() && answer.warnings[0].to_string().contains("none are stored"));
    assert!(memory.reembed(&ns("me"), IdleVectors::Keep, &mut |_| {}).is_err());
    assert_eq!(memory.active_encoder(&ns("me")).unwrap().unwrap().as_str(), NEW);
    let waiting = memory.without_vectors(&ns("me")).unwrap() as usize;
    let memory = memory.with_encoders(aforesaid::EncoderSource::Ready(Bags::new(NEW, Locality::Local)));
    let answer = search(&memory);
    assert!(answer.hits[0].text.contains("number17"), "{:?}", answer.hits[0]);
    assert!(
        matches!(answer.warnings[..], [Warning::MissingVectors { missing, .. }] if missing == waiting && waiting > 0),
        "{:?}",
        answer.warnings
    );
    // Either command makes the rest.
    let completed = memory.complete_vectors(&ns("me"), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((completed.made, completed.waiting, completed.reason), (waiting, 0, None));
    assert!(search(&memory).warnings.is_empty());
}
