//! Several processes on one store, and processes that are killed.
//!
//! The test binary runs itself again as the other process: `CHILD` names the part to play.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::Ordering,
    time::Duration,
};

use aforesaid::{
    Explanations, Memory, Pipeline,
    formats::{Captions, Format, Source},
    types::*,
};

use crate::bags::*;

const ADDED: usize = 1_000;
const IMPORTED: usize = 3_000;
const NUMBERED: usize = 60;

fn child(part: &str, store: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::play_the_other_process", "--ignored", "--nocapture"])
        .env("CHILD", part)
        .env("CHILD_STORE", store)
        .env("CHILD_NAME", name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "run by the other tests as a process of its own"]
fn play_the_other_process() {
    let Ok(part) = std::env::var("CHILD") else { return };
    let store = std::env::var("CHILD_STORE").unwrap();
    let name = std::env::var("CHILD_NAME").unwrap();
    match part.as_str() {
        "add" => {
            let memory = open(&store, local());
            for i in 0..ADDED {
                let turn = turn(&name, "s", &format!("{name}-{i}"), &name, &format!("{name} counts to {i}"));
                memory.add_turns(&ns("shared"), vec![turn]).unwrap();
            }
        }
        "number" => {
            let memory = open(&store, local());
            for i in 0..NUMBERED {
                let turn = Turn { id: None, ..turn("c", "s", "none", &name, &format!("{name} counts to {i}")) };
                println!("\nid {}", memory.add_turns(&ns("shared"), vec![turn]).unwrap().ids[0]);
            }
        }
        "import" => {
            let memory = open(&store, Bags::slow(Duration::from_micros(12)));
            // The first file is small: what it acknowledges must survive whatever comes next.
            import(&memory, "first", 10);
            println!("\nacknowledged first");
            import(&memory, "second", IMPORTED);
            println!("\nacknowledged second");
        }
        other => panic!("no part called {other}"),
    }
}

fn lines(conversation: &str, turns: usize) -> String {
    (0..turns)
        .map(|i| format!("{{\"id\": \"{i}\", \"speaker\": \"Ann\", \"text\": \"line {i} of {conversation}\"}}\n"))
        .collect()
}

fn import(memory: &Memory, conversation: &str, turns: usize) {
    let lines = lines(conversation, turns);
    let source = Source { file: "f", stem: conversation, conversation: None, captions: Captions::Keep, zone: None };
    memory.import(&ns("me"), Some(Format::Jsonl), lines.as_bytes(), &source, &mut |_| {}).unwrap();
}

fn finished(mut child: Child) {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
}

#[test]
fn two_writers_and_a_reader_get_along() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("m.db");
    let memory = open(store.to_str().unwrap(), local());
    memory.add_turns(&ns("shared"), vec![turn("seed", "s", "0", "seed", "counts to nothing")]).unwrap();
    let mut writers = [child("add", &store, "alice"), child("add", &store, "bert")];
    let mut last = 0;
    while writers.iter_mut().any(|writer| writer.try_wait().unwrap().is_none()) {
        let query = Query { unmatched: Unmatched::Include, ..Query::new(ns("shared"), "who counts to 17") };
        let answer = memory.search(&query, &Pipeline::hybrid(), Explanations::Omit).unwrap();
        assert!(!answer.hits.is_empty());
        let turns = memory.stats(&ns("shared")).unwrap().turns;
        assert!(turns >= last, "a finished write vanished");
        last = turns;
    }
    writers.into_iter().for_each(finished);
    assert_eq!(memory.stats(&ns("shared")).unwrap().turns, 2 * ADDED as u64 + 1);
    for name in ["alice", "bert"] {
        let answer =
            memory.search(&Query::new(ns("shared"), format!("{name} 999")), &Pipeline::lexical(), Explanations::Omit);
        assert_eq!(answer.unwrap().hits[0].id, format!("{name}-999"), "the last write of {name} is seen");
    }
}

#[test]
fn writers_at_once_are_given_different_ids() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("m.db");
    open(store.to_str().unwrap(), local()).add_turns(&ns("shared"), vec![turn("c", "s", "0", "seed", "zero")]).unwrap();
    let writers = ["alice", "bert"].map(|name| child("number", &store, name));
    let mut ids: Vec<usize> = Vec::new();
    for mut writer in writers {
        let said: Vec<String> = BufReader::new(writer.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
        finished(writer);
        ids.extend(said.iter().filter_map(|line| line.strip_prefix("id s:")).map(|n| n.parse::<usize>().unwrap()));
    }
    ids.sort_unstable();
    // The seed, whose id is its own, is the first turn of the session.
    assert_eq!(ids, (2..=2 * NUMBERED + 1).collect::<Vec<_>>());
}

/// Rounds of [`a_killed_import_is_whole_or_not_there`]; more with `AFORESAID_KILLS`.
fn rounds() -> u64 {
    std::env::var("AFORESAID_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

#[test]
fn a_killed_import_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut interrupted = 0;
    for round in 0..rounds() {
        let store = folder.path().join(format!("{round}.db"));
        let mut child = child("import", &store, "");
        // Spread over the whole run: opening, encoding, staging, committing, indexing.
        std::thread::sleep(Duration::from_millis(5 + (round * 37) % 180));
        child.kill().unwrap();
        let said: Vec<String> = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
        child.wait().unwrap();
        let acknowledged = |file: &str| said.iter().any(|line| line.contains(&format!("acknowledged {file}")));

        let memory = open(store.to_str().unwrap(), local());
        let count = |conversation: &str| {
            let mut count = 0;
            let scope = Scope { conversation: Some(ConversationId::new(conversation).unwrap()), ..Scope::default() };
            if memory.namespaces().unwrap().contains(&ns("me")) {
                memory.visit(&ns("me"), &scope, &mut |_| count += 1).unwrap();
            }
            count
        };
        for (file, whole) in [("first", 10), ("second", IMPORTED)] {
            let found = count(file);
            assert!(found == 0 || found == whole, "round {round}: {found} of {whole} turns of {file}");
            assert!(found == whole || !acknowledged(file), "round {round}: {file} was acknowledged and is gone");
        }
        interrupted += u64::from(!acknowledged("second"));
        import(&memory, "first", 10);
        import(&memory, "second", IMPORTED);
        assert_eq!(memory.stats(&ns("me")).unwrap().turns, 10 + IMPORTED as u64);
    }
    println!("{interrupted} of {} imports were killed before they were done", rounds());
    assert!(interrupted > 0, "no import was interrupted: the test tests nothing");
}

#[test]
fn a_resumed_import_does_not_encode_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("m.db");
    let path = store.to_str().unwrap();
    // The disk fills up, as it were, in the middle of the second file: its encoder dies.
    let failing = Bags::failing_after("bags@1/f32", IMPORTED / 2);
    let memory = open(path, failing);
    let lines = lines("second", IMPORTED);
    let source = Source { file: "f", stem: "second", conversation: None, captions: Captions::Keep, zone: None };
    let broken = memory.import(&ns("me"), Some(Format::Jsonl), lines.as_bytes(), &source, &mut |_| {});
    assert!(broken.is_err());
    let half = memory.stats(&ns("me")).unwrap();
    assert_eq!(half.turns, 0, "half an import must not show");
    assert!(half.staged > 0, "what is kept of it is told");
    let encoder = local();
    let memory = open(path, encoder.clone());
    import(&memory, "second", IMPORTED);
    let encoded = encoder.passages.load(Ordering::Relaxed);
    assert!(encoded < IMPORTED * 2 / 3, "{encoded} passages encoded again");
    assert_eq!(memory.stats(&ns("me")).unwrap().vectors.into_values().collect::<Vec<_>>(), [IMPORTED as u64]);
}
