//! What a response says for those who read it: snippets, what stands around a hit, how long loading took, and whether the
//! encoder knows the language of the question.

use std::{sync::Arc, time::Duration};

use aforesaid::{Encoder, EncoderSource, Explanations, Locality, Memory, Pipeline, SearchResponse, Warning, types::*};

use crate::bags::*;

fn filled(encoder: EncoderSource) -> Memory {
    let memory = Memory::builder().encoders(encoder).open("memory:").unwrap();
    memory.add_turns(&ns("me"), history()).unwrap();
    memory
}

fn search(memory: &Memory, query: &Query) -> SearchResponse {
    memory.search(query, &Pipeline::hybrid(), Explanations::Omit).unwrap()
}

fn ready(id: &str) -> EncoderSource {
    EncoderSource::Ready(Bags::new(id, Locality::Local))
}

#[test]
fn words_that_match_by_their_stem_are_marked() {
    let query = Query::new(ns("me"), "who borrowed ladders");
    let answer = search(&filled(ready("bags@1/f32")), &query);
    let hit = &answer.hits[0];
    assert_eq!((hit.id.as_str(), answer.searched), ("k2", 6));
    let words: Vec<&str> = hit.snippet.marks.iter().map(|&[from, to]| &hit.snippet.text[from..to]).collect();
    assert_eq!((words, &hit.marks), (vec!["Borrow", "ladder"], &hit.snippet.marks));
    let sessions = search(&filled(ready("bags@1/f32")), &Query { unit: Granularity::Session, ..query });
    assert_eq!((sessions.searched, sessions.hits[0].turns[0].snippet.marks.len()), (4, 2));
}

#[test]
fn what_stands_around_a_hit_lies_within_the_question() {
    let memory = filled(ready("bags@1/f32"));
    let query = Query { k: std::num::NonZeroUsize::MIN, ..Query::new(ns("me"), "borrow a ladder") };
    let ids = |records: &[Record]| records.iter().map(|record| record.id.to_string()).collect::<Vec<_>>();
    let around = |query: &Query, turns: u32| {
        let mut answer = search(&memory, query);
        memory.surround(&mut answer, query, turns).unwrap();
        (ids(&answer.hits[0].before), ids(&answer.hits[0].after))
    };
    assert_eq!(around(&query, 2), (vec!["k1".to_owned()], vec![]));
    assert_eq!(around(&query, 0), (vec![], vec![]));
    let sewing = Query { text: "red kite in the chestnut tree".to_owned(), ..query.clone() };
    assert_eq!(around(&sewing, 1), (vec![], vec!["k2".to_owned()]));
    let before = Query { before: Some(MemoryId::new("k2").unwrap()), ..sewing };
    assert_eq!(around(&before, 1), (vec![], vec![]));

    // Forgotten between the search and the look around it.
    let mut answer = search(&memory, &query);
    let k2 = aforesaid::store::MemoryRef { id: MemoryId::new("k2").unwrap(), conversation: None };
    memory.forget(&ns("me"), &aforesaid::Target::One(k2)).unwrap();
    memory.surround(&mut answer, &query, 1).unwrap();
    assert!(answer.hits[0].before.is_empty());
}

#[test]
fn loading_is_told_once_and_apart() {
    let pause = Duration::from_millis(30);
    let id = EncoderId::new("bags@1/f32").unwrap();
    let load = Box::new(move || {
        std::thread::sleep(pause);
        Ok(Bags::new("bags@1/f32", Locality::Local) as Arc<dyn Encoder>)
    });
    let path = tempfile::tempdir().unwrap();
    let store = path.path().join("memory.db");
    let store = store.to_str().unwrap();
    open(store, local()).add_turns(&ns("me"), history()).unwrap();
    let memory =
        Memory::builder().encoders(EncoderSource::Deferred { id, dim: DIM, bytes: 0, load }).open(store).unwrap();
    let query = Query::new(ns("me"), "ladder");
    let (first, second) = (search(&memory, &query).timing_ms, search(&memory, &query).timing_ms);
    assert!(first.load.unwrap() >= 30.0 && first.encode < first.load.unwrap(), "{first:?}");
    assert!((first.load.unwrap() + first.encode + first.search - first.total).abs() < 1.0, "{first:?}");
    assert_eq!(second.load, None);
}

#[test]
fn a_question_in_another_language_than_the_encoder_knows_is_told() {
    let warned = |encoder: &str, text: &str| {
        let warnings = search(&filled(ready(encoder)), &Query::new(ns("me"), text)).warnings;
        let foreign = |warning: &Warning| match warning {
            Warning::ForeignQuery { language, encoder, multilingual } => {
                Some((language.clone(), encoder.clone(), *multilingual))
            }
            _ => None,
        };
        warnings.iter().find_map(foreign)
    };
    let german = "Wo ist die Leiter von den Nachbarn?";
    let expected = ("German".to_owned(), "all-MiniLM-L6-v2".to_owned(), Some("multilingual-e5-small"));
    assert_eq!(warned("all-MiniLM-L6-v2@1/f32", german), Some(expected));
    assert_eq!(warned("all-MiniLM-L6-v2@1/f32", "Where is the ladder?"), None);
    assert_eq!(warned("multilingual-e5-small@1/f32", german), None);
    assert_eq!(warned("bags@1/f32", german), None, "nobody knows what an unregistered encoder knows");
}
