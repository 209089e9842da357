//! Ids that the store gives: what they cost, and what is kept so that none comes back.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use aforesaid_core::{
    store::{Batch, Doomed, Store},
    types::*,
};
use aforesaid_sqlite::{Creation, SqliteStore};

fn ns() -> Namespace {
    Namespace::new("me").unwrap()
}

fn turn(conversation: &str, session: &str, text: &str) -> Draft {
    Draft::Turn(Turn::new(
        ConversationId::new(conversation).unwrap(),
        SessionId::new(session).unwrap(),
        "Ann",
        text.to_owned(),
    ))
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, Creation::Allowed).unwrap()
}

/// The shortest of a few times that turns without ids take in one session.
fn per_turn(folder: &Path, turns: usize) -> Duration {
    let drafts: Vec<Draft> = (0..turns).map(|i| turn("c", "s", &format!("turn {i}"))).collect();
    let once = |round: usize| {
        let store = open(&folder.join(format!("{turns}-{round}.db")));
        let start = Instant::now();
        store.append(&ns(), Batch::of(&drafts)).unwrap();
        start.elapsed() / u32::try_from(turns).unwrap()
    };
    (0..3).map(once).min().unwrap()
}

#[test]
fn a_turn_costs_as_much_in_a_long_session_as_in_a_short_one() {
    // Every turn without an id counted the rows of its session: 20,000 turns of one session cost some ten times as
    // much each as 2,000.
    let folder = tempfile::tempdir().unwrap();
    let (short, long) = (per_turn(folder.path(), 2_000), per_turn(folder.path(), 20_000));
    println!("a turn of 2,000: {short:?}; of 20,000: {long:?}");
    assert!(long < short * 3, "a turn of 2,000 takes {short:?}, one of 20,000 {long:?}");
}

#[test]
fn names_of_forgotten_sessions_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let store = open(&path);
    let there = |name: &str| {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| bytes.windows(name.len()).any(|window| window == name.as_bytes()))
    };
    let drafts = [turn("c", "divorce", "a"), turn("c", "divorce", "b"), turn("lawyers", "s", "c"), turn("c", "s", "d")];
    store.append(&ns(), Batch::of(&drafts)).unwrap();
    assert!(there("divorce") && there("lawyers"));
    let session = Scope { session: Some(SessionId::new("divorce").unwrap()), ..Scope::default() };
    let conversation = Scope { conversation: Some(ConversationId::new("lawyers").unwrap()), ..Scope::default() };
    for scope in [session, conversation] {
        store.forget(&ns(), &Doomed::Within(scope)).unwrap();
    }
    // What is kept instead are two numbers, and ids of the same names go on above them.
    assert!(!there("divorce") && !there("lawyers"));
    let fates = store.append(&ns(), Batch::of(&[turn("c", "divorce", "e"), turn("lawyers", "s", "f")])).unwrap();
    assert_eq!(format!("{fates:?}"), r#"[Added(MemoryId("divorce:3")), Added(MemoryId("s:2"))]"#);
}
