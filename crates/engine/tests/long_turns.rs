//! What stands deep in a long turn is found by its vector, and shown.

use std::{convert::Infallible, ops::Range, sync::Arc};

use aforesaid::{EncodeError, Encoder, EncoderSource, Explanations, Locality, Memory, Pipeline, Target, types::*};
use aforesaid_core::{store::MemoryRef, windows::windows};

use crate::bags::*;

/// Reads twelve words and no more.
struct ShortSighted(Arc<Bags>);

const READS: usize = 12;

fn read(text: &str) -> &str {
    let words = text.split_inclusive(char::is_whitespace);
    &text[..words.take(READS).map(str::len).sum()]
}

impl Encoder for ShortSighted {
    fn id(&self) -> &EncoderId {
        &self.0.id
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn locality(&self) -> Locality {
        self.0.locality
    }

    fn windows(&self, passage: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        let Ok(found) = windows(passage, READS, |part| Ok::<_, Infallible>(part.split_whitespace().count()));
        Ok(found)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.0.encode_queries(texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let texts: Vec<&str> = texts.iter().map(|text| read(text)).collect();
        self.0.encode_passages(&texts)
    }
}

fn short_sighted(location: &str) -> Memory {
    let encoder: Arc<dyn Encoder> = Arc::new(ShortSighted(local()));
    Memory::builder().encoders(EncoderSource::Ready(encoder)).open(location).unwrap()
}

/// Sentences of nothing in particular, each of seven words.
fn filling(sentences: usize) -> String {
    "There is nothing of note in here. ".repeat(sentences)
}

fn long_turn(id: &str) -> Turn {
    let text = format!("{}The harbour lighthouse blinks twice at dusk. {}", filling(20), filling(20));
    turn("talk", "s1", id, "Ann", &text)
}

fn by_vectors() -> Pipeline {
    "dense(max)".parse().unwrap()
}

fn ask(memory: &Memory, text: &str, unit: Granularity) -> Vec<aforesaid::Hit> {
    let query = Query { unit, ..Query::new(ns("me"), text) };
    memory.search(&query, &by_vectors(), Explanations::Omit).unwrap().hits
}

#[test]
fn what_stands_deep_in_a_long_turn_is_found_and_shown() {
    let memory = short_sighted("memory:");
    let mut turns = vec![long_turn("long")];
    turns.extend((0..6).map(|n| turn("talk", "s2", &format!("t{n}"), "Bob", "A lighthouse at sea, in fog and rain.")));
    memory.add_turns(&ns("me"), turns).unwrap();
    for unit in [Granularity::Turn, Granularity::Session] {
        let hits = ask(&memory, "harbour lighthouse blinks twice dusk", unit);
        let first = &hits[0];
        assert!(first.text.len() > 1_000, "{unit:?} {first:?}");
        assert!(first.snippet.text.contains("lighthouse blinks twice"), "{:?}", first.snippet);
    }

    // Short turns that say it better come first; of the long one the same window is shown.
    let again = ask(&memory, "LIGHTHOUSE blinks", Granularity::Turn);
    let long = again.iter().find(|hit| hit.text.len() > 1_000).unwrap();
    assert!(long.snippet.text.contains("blinks twice"), "{:?}", long.snippet);
}

#[test]
fn a_short_turn_is_encoded_as_ever() {
    let short = Arc::new(ShortSighted(local()));
    let encoder: Arc<dyn Encoder> = short.clone();
    let memory = Memory::builder().encoders(EncoderSource::Ready(encoder)).open("memory:").unwrap();
    memory.add_turns(&ns("me"), history()).unwrap();
    let passages: Vec<String> = history().into_iter().map(|turn| Draft::Turn(turn).passage()).collect();
    assert_eq!(*short.0.seen.lock().unwrap(), passages);
}

#[test]
fn windows_come_with_every_way_to_vectors_and_go_with_their_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let deep = "harbour lighthouse blinks twice dusk";
    let found = |memory: &Memory| ask(memory, deep, Granularity::Turn)[0].snippet.text.contains("blinks twice");

    // Staged, for an import of many.
    let staged = short_sighted(&path("staged.db"));
    let mut many: Vec<Turn> = (0..1_100).map(|n| turn("talk", "s0", &format!("t{n}"), "Bob", "Fog.")).collect();
    many.push(long_turn("long"));
    staged.add_turns(&ns("me"), many).unwrap();
    assert!(found(&staged));

    // Later, for texts that were stored without.
    let later = path("later.db");
    let lexical = Memory::builder().open(&later).unwrap();
    lexical.add_turns(&ns("me"), vec![long_turn("long"), turn("talk", "s2", "t1", "Bob", "Fog.")]).unwrap();
    drop(lexical);
    let memory = short_sighted(&later);
    let made = memory.complete_vectors(&ns("me"), &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert_eq!((made.made, made.waiting), (2, 0));
    assert!(found(&memory));

    // By the next process, from the kept index and from the rows.
    drop(memory);
    let memory = short_sighted(&later);
    assert!(found(&memory));

    memory
        .forget(&ns("me"), &Target::One(MemoryRef { id: MemoryId::new("long").unwrap(), conversation: None }))
        .unwrap();
    assert!(ask(&memory, deep, Granularity::Turn).iter().all(|hit| hit.text == "Fog."));
    let bytes = std::fs::read(&later).unwrap();
    assert!(!bytes.windows(10).any(|part| part == b"lighthouse"));
}
