//! Damage that only shows when rows and the snapshot of their index are put side by side.

use std::{path::Path, sync::atomic::AtomicBool};

use aforesaid::{
    Error, Explanations, Memory, Pipeline, StoreError,
    store::{CheckDepth, Finding, Gravity},
    types::*,
};
use rusqlite::Connection;

fn me() -> Namespace {
    Namespace::new("me").unwrap()
}

fn turn(n: usize) -> Turn {
    Turn {
        id: Some(MemoryId::new(format!("t{n}")).unwrap()),
        ..Turn::new(
            ConversationId::new("c").unwrap(),
            SessionId::new(format!("s{}", n / 20)).unwrap(),
            "Ann",
            format!("Turn {n} is about word{n}"),
        )
    }
}

fn open(path: &Path) -> Memory {
    Memory::builder().open(path.to_str().unwrap()).unwrap()
}

/// A closed store whose index has a snapshot.
fn filled(path: &Path) {
    let memory = open(path);
    memory.add_turns(&me(), (1..=700).map(turn).collect()).unwrap();
    memory.prepare(&me(), &Pipeline::hybrid()).unwrap();
}

fn findings(path: &Path, depth: CheckDepth) -> Vec<Finding> {
    open(path).check(depth, &mut |_| ()).unwrap()
}

fn change(path: &Path, sql: &str) {
    assert_eq!(Connection::open(path).unwrap().execute(sql, []).unwrap(), 1, "{sql}");
}

#[test]
fn a_snapshot_is_that_of_its_rows_whatever_came_since() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    open(&path).add_turns(&me(), vec![turn(701)]).unwrap();
    let snapshots: i64 =
        Connection::open(&path).unwrap().query_row("SELECT count(*) FROM snapshot", [], |row| row.get(0)).unwrap();
    assert_eq!(snapshots, 1);
    let found = findings(&path, CheckDepth::Full);
    assert!(found.iter().all(|finding| finding.subject.starts_with("file ")), "{found:?}");
}

#[test]
fn a_snapshot_of_other_rows_is_damage_and_an_unreadable_one_is_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    change(&path, "UPDATE memory SET text = 'something else', checksum = NULL WHERE seq = 5");
    let about = |depth| {
        let mut found = findings(&path, depth);
        found.retain(|finding| finding.subject.starts_with("snapshot"));
        found
    };
    assert_eq!(about(CheckDepth::Quick), []);
    let found = about(CheckDepth::Full);
    assert!(found.len() == 1 && found[0].gravity == Gravity::Damage, "{found:?}");
    assert!(found[0].found.contains("than the rows give"), "{found:?}");

    change(&path, "UPDATE snapshot SET data = CAST(substr(data, 1, 100) AS BLOB)");
    let found = about(CheckDepth::Full);
    assert!(found.len() == 1 && found[0].gravity == Gravity::Note, "{found:?}");
    assert!(found[0].found.contains("cannot be read"), "{found:?}");
}

/// A search whose index named a memory that was gone started over and over.
#[test]
fn a_search_says_that_a_row_was_lost_that_nobody_forgot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    filled(&path);
    change(&path, "DELETE FROM memory WHERE seq = 5");
    let memory = open(&path);
    let query = Query::new(me(), "word5");
    let error = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap_err();
    assert!(matches!(error, Error::Store(StoreError::Damaged { .. })), "{error}");
    memory.forget(&me(), &aforesaid::Target::Within(Scope::default())).unwrap();
    memory.add_turns(&me(), vec![turn(5)]).unwrap();
    assert_eq!(memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap().hits.len(), 1);
}

#[test]
fn a_memory_that_ends_with_the_process_has_nothing_to_find_or_to_copy() {
    let memory = Memory::builder().open("memory:").unwrap();
    memory.add_turns(&me(), vec![turn(1)]).unwrap();
    assert_eq!(memory.check(CheckDepth::Full, &mut |_| ()).unwrap(), []);
    let kept = aforesaid::store::Existing::Kept;
    let error = memory.back_up(Path::new("backup.db"), kept, &mut |_| (), &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("has no file to copy"), "{error}");
    let mut lines = Vec::new();
    assert!(memory.salvage(&me(), &mut lines).unwrap().is_whole());
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), 1);
}
