//! `sync --watch`: what is written while it runs comes in once, and Ctrl-C ends it.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::logs::{SESSION, namespace, path, round};
use crate::sandbox::{Sandbox, finish};

/// Ends a test that would hang; how long something takes is not what is tested.
const HANG: Duration = Duration::from_secs(120);

/// A watcher that runs.
struct Watcher {
    child: Child,
    lines: Receiver<Value>,
}

impl Watcher {
    /// Starts it, and waits for its first round.
    fn start(sandbox: &Sandbox) -> (Self, Value) {
        let mut command = sandbox.command(&["sync", "--watch", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in output.lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        let watcher = Self { child, lines };
        let first = watcher.next();
        (watcher, first)
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(HANG).unwrap()
    }

    /// Turns that rounds bring, until there are so many.
    fn added(&self, expected: u64) {
        let mut added = 0;
        while added < expected {
            added += added_in(&self.next());
        }
        assert_eq!(added, expected);
    }

    /// Presses Ctrl-C; gives the summary.
    fn end(mut self) -> Value {
        finish(Command::new("kill").args(["-INT", &self.child.id().to_string()])).succeeded();
        let mut last = self.next();
        while let Ok(line) = self.lines.recv_timeout(HANG) {
            last = line;
        }
        assert!(self.child.wait().unwrap().success());
        last["watched"].clone()
    }
}

fn added_in(round: &Value) -> u64 {
    let projects = round["projects"].as_object().unwrap();
    projects.values().map(|project| project["added"].as_u64().unwrap()).sum()
}

fn append(sandbox: &Sandbox, session: &str, text: &str) {
    let mut file = File::options().append(true).open(sandbox.path(&path(session))).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The ids of all turns of the project; none is there twice.
fn stored(sandbox: &Sandbox) -> BTreeSet<String> {
    let lines = sandbox.done(&["export", "-n", &namespace(sandbox)]);
    let key = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        format!("{} {}", line["conversation"].as_str().unwrap(), line["id"].as_str().unwrap())
    };
    let all: BTreeSet<String> = lines.lines().map(key).collect();
    assert_eq!(all.len(), lines.lines().count());
    all
}

#[test]
fn what_agents_write_comes_in_as_they_write_it() {
    let sandbox = Sandbox::new();
    sandbox.write(&path(SESSION), round(&sandbox, SESSION, 1, "How is the kite?", "High."));
    let (watcher, first) = Watcher::start(&sandbox);
    assert_eq!(added_in(&first), 2);
    // The log grows, also by a part of a line whose end comes later.
    let next = round(&sandbox, SESSION, 2, "And the tail?", "Knotted.");
    let (begun, rest) = next.split_at(next.len() - 40);
    append(&sandbox, SESSION, begun);
    thread::sleep(Duration::from_millis(700));
    append(&sandbox, SESSION, rest);
    watcher.added(2);
    // A new session, in a project that has no folder yet.
    let other = "11111111-2222-4333-8444-555555555555";
    let text = round(&sandbox, other, 3, "Which reel?", "The brass one.");
    sandbox.write(&format!("home/.claude/projects/-other/{other}.jsonl"), &text);
    watcher.added(2);
    // An agent that had no folder at all, too.
    let rollout = include_str!("../../../fuzz-targets/corpus/import_codex/legacy.jsonl");
    let here = sandbox.path("kites").to_string_lossy().into_owned();
    let name = "rollout-2026-11-01T09-00-00-019a7c11-52c0-7d10-9f4e-aa11bb22cc33.jsonl";
    sandbox.write(&format!("home/.codex/sessions/2026/11/01/{name}"), rollout.replace("/home/ann/kites", &here));
    watcher.added(8);
    // The log is replaced by another of the same name.
    let replaced = sandbox.path("replaced.jsonl");
    let text =
        round(&sandbox, SESSION, 2, "And the tail?", "Knotted.") + &round(&sandbox, SESSION, 4, "Wind?", "None.");
    fs::write(&replaced, text).unwrap();
    fs::rename(&replaced, sandbox.path(&path(SESSION))).unwrap();
    watcher.added(2);
    let summary = watcher.end();
    assert_eq!(summary["added"], 16, "{summary}");
    assert_eq!(stored(&sandbox).len(), 16);
    assert_eq!(sandbox.done(&["sync"]), "nothing new in 3 logs\n");
}

#[test]
fn one_watches_a_store() {
    let sandbox = Sandbox::new();
    let (watcher, first) = Watcher::start(&sandbox);
    assert_eq!((added_in(&first), &first["logs"]), (0, &Value::from(0)));
    let second = finish(&mut sandbox.command(&["sync", "--watch"]));
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.stderr.contains("another `aforesaid sync --watch` works on this store"), "{second:?}");
    // Who reads once is not in its way.
    sandbox.write(&path(SESSION), round(&sandbox, SESSION, 1, "How is the kite?", "High."));
    sandbox.done(&["sync"]);
    assert_eq!(watcher.end()["rounds"].as_u64().map(|rounds| rounds >= 1), Some(true));
    assert_eq!(stored(&sandbox).len(), 2);
}

#[test]
fn a_database_is_read_as_it_changes_and_reading_it_is_no_change() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("kites");
    fs::create_dir_all(&folder).unwrap();
    let folder = folder.to_string_lossy().into_owned();
    fs::create_dir_all(sandbox.path("home/data/opencode")).unwrap();
    let database = rusqlite::Connection::open(sandbox.path("home/data/opencode/opencode.db")).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);",
        )
        .unwrap();
    let say = |number: i64| {
        let data = format!("{{\"role\":\"user\",\"time\":{{\"created\":{}}}}}", 1_793_000_000_000 + number);
        let part = format!("{{\"type\":\"text\",\"text\":\"Said as number {number}.\"}}");
        let (message, piece) = (format!("msg_{number}"), format!("prt_{number}"));
        database.execute("DELETE FROM session", []).unwrap();
        database
            .execute("INSERT INTO session VALUES ('ses_1', NULL, ?1, 'Sew', 1, ?2)", rusqlite::params![folder, number])
            .unwrap();
        database
            .execute("INSERT INTO message VALUES (?1, 'ses_1', ?2, 1, ?3)", rusqlite::params![message, number, data])
            .unwrap();
        database
            .execute(
                "INSERT INTO part VALUES (?1, ?2, 'ses_1', ?3, 1, ?4)",
                rusqlite::params![piece, message, number, part],
            )
            .unwrap();
    };
    say(1);
    let (watcher, first) = Watcher::start(&sandbox);
    assert_eq!(added_in(&first), 1);
    // It is only in the write-ahead log of the database: the program that has it open goes on.
    say(2);
    watcher.added(1);
    say(3);
    watcher.added(1);
    // What the reader itself does wakes nobody.
    assert!(watcher.lines.recv_timeout(Duration::from_secs(3)).is_err());
    assert_eq!(watcher.end()["added"], 3);
}
