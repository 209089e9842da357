//! Searches of more texts than are held with their vectors, beside threads that forget and that bring other vectors.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use aforesaid::{
    Error, Explanations, IdleVectors, Locality, Memory, Pipeline, StoreError, Target, dense::EXACT_LIMIT,
    store::MemoryRef, types::*,
};

use crate::bags::*;

/// How many of the best are forgotten, one after the other.
const FORGOTTEN: usize = 60;

fn filled(path: &str) -> Memory {
    let memory = open(path, local());
    let said = |i: usize| match i % 100 {
        0 => format!("the red kite of day {i}"),
        _ => format!("soup {}", i % 89),
    };
    let turns = (0..EXACT_LIMIT + 500).map(|i| turn("c", &format!("s{}", i / 50), &i.to_string(), "Ann", &said(i)));
    memory.add_turns(&ns("me"), turns.collect()).unwrap();
    memory
}

fn query() -> Query {
    Query::new(ns("me"), "who has the red kite?")
}

#[test]
fn a_search_beside_a_forget_finds_what_is_left() {
    // Vectors were read in a later transaction than the index: "damaged, restore a backup".
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let memory = filled(path.to_str().unwrap());
    memory.prepare(&ns("me"), &Pipeline::hybrid()).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            let other = open(path.to_str().unwrap(), local());
            for _ in 0..FORGOTTEN {
                // The best go, which a search computes again from the rows.
                let answer = other.search(&query(), &Pipeline::hybrid(), Explanations::Omit).unwrap();
                let id = MemoryId::new(answer.hits[0].id.clone()).unwrap();
                other.forget(&ns("me"), &Target::One(MemoryRef { id, conversation: None })).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut searches = 0;
        while !done.load(Ordering::Relaxed) || searches == 0 {
            let answer = memory.search(&query(), &Pipeline::hybrid(), Explanations::Omit).unwrap();
            assert!(answer.hits.len() == 10 && answer.warnings.is_empty(), "{:?}", answer.warnings);
            searches += 1;
        }
    });
    let left = open(path.to_str().unwrap(), local());
    assert_eq!(left.rank(&query(), &Pipeline::hybrid()).unwrap(), memory.rank(&query(), &Pipeline::hybrid()).unwrap());
}

#[test]
fn a_search_beside_other_vectors_has_its_own_or_says_whose_serve() {
    // Vectors that were dropped meanwhile were damage as well, or their leg was left out in silence.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let memory = filled(path.to_str().unwrap());
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            for id in ["bags@2/f32", "bags@1/f32", "bags@2/f32", "bags@1/f32"] {
                let other = open(path.to_str().unwrap(), Bags::new(id, Locality::Local));
                other.reembed(&ns("me"), IdleVectors::Drop, &mut |_| {}).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            match memory.search(&query(), &Pipeline::hybrid(), Explanations::Omit) {
                Ok(answer) => assert!(answer.hits.len() == 10 && answer.warnings.is_empty(), "{:?}", answer.warnings),
                Err(error) => assert!(matches!(error, Error::Store(StoreError::EncoderMismatch { .. })), "{error}"),
            }
        }
    });
    assert_eq!(memory.search(&query(), &Pipeline::hybrid(), Explanations::Omit).unwrap().hits.len(), 10);
}
