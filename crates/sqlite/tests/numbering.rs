//! What is kept so that no id comes back that the store gave.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use aforesaid_core::{
    store::{Batch, DeleteTarget, Store},
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
        store.forget(&ns(), &DeleteTarget::Within(scope)).unwrap();
    }
    // What is kept instead are two numbers, and ids of the same names go on above them.
    assert!(!there("divorce") && !there("lawyers"));
    let fates = store.append(&ns(), Batch::of(&[turn("c", "divorce", "e"), turn("lawyers", "s", "f")])).unwrap();
    assert_eq!(format!("{fates:?}"), r#"[Added(MemoryId("divorce:3")), Added(MemoryId("s:2"))]"#);
}
