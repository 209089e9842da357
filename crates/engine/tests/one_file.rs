//! One file, opened several times by one process and by several at once.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    chance::Chance,
    workers::{Answer, Command, Line, Worker},
};

const ENCODER: &str = "bags@1/f32";
const CONVERSATION: &str = "c";

fn open(slot: usize, path: &Path) -> Command {
    Command::Open { slot, path: path.to_str().unwrap().to_owned(), encoder: ENCODER.to_owned() }
}

fn add(slot: usize, word: &str) -> Command {
    let line = Line { session: "s".to_owned(), id: Some(word.to_owned()), text: format!("{word} was said") };
    Command::Add { slot, conversation: CONVERSATION.to_owned(), lines: vec![line] }
}

fn intrude(path: &Path) -> Command {
    Command::Intrude { path: path.to_str().unwrap().to_owned() }
}

fn ids(worker: &mut Worker, slot: usize) -> Vec<String> {
    match worker.done(&Command::Read { slot, conversation: CONVERSATION.to_owned() }) {
        Answer::Turns(turns) => turns.into_iter().map(|turn| turn.id).collect(),
        other => panic!("{other:?}"),
    }
}

// Opening a store opened its file to see whether it can be written, and closed it again: POSIX then drops every lock
// that the process has on it. Another process took itself for the only one and removed the log. What the first wrote next
// went into a file without a name: no other process saw it, and it ended with its process. The SQLite built here
// asks whether somebody still holds the shared memory before it removes the log; a program with an older one does not,
// nor does one that wants the file for itself.
#[test]
fn a_second_memory_of_a_file_leaves_the_locks_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let (mut first, mut second) = (Worker::start(), Worker::start());
    first.done(&open(0, &path));
    first.done(&add(0, "before"));
    first.done(&open(1, &path));
    let let_in = second.done(&intrude(&path));
    first.done(&add(0, "after"));
    second.done(&open(0, &path));
    assert_eq!(ids(&mut second, 0), ["before", "after"], "another process sees what was acknowledged");
    assert_eq!(let_in, Answer::LetIn(false), "nobody is alone in a store that is open");
    second.done(&Command::Drop { slot: 0 });
    first.kill();
    second.done(&open(0, &path));
    assert_eq!(ids(&mut second, 0), ["before", "after"], "what was acknowledged survives a kill");
}

#[test]
fn memories_of_one_file_come_and_go_and_nothing_acknowledged_is_lost() {
    const ROUNDS: u64 = 12;
    const STEPS: usize = 40;
    const SLOTS: usize = 2;
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let mut chance = Chance::new(round);
        let (mut writer, mut reader) = (Worker::start(), Worker::start());
        let mut expected: Vec<String> = Vec::new();
        let mut slots = [false; SLOTS];
        writer.done(&open(0, &path));
        slots[0] = true;
        writer.done(&add(0, "first"));
        expected.push("first".to_owned());
        for step in 0..STEPS {
            let slot = chance.below(SLOTS);
            match chance.below(10) {
                0..3 => {
                    writer.done(&open(slot, &path));
                    slots[slot] = true;
                }
                3 => {
                    writer.done(&Command::Drop { slot });
                    slots[slot] = false;
                }
                4..7 if slots[slot] => {
                    let word = format!("word{step}");
                    writer.done(&add(slot, &word));
                    expected.push(word);
                }
                7 => {
                    reader.done(&intrude(&path));
                }
                8 if chance.once_in(3) => {
                    writer.kill();
                    writer = Worker::start();
                    slots = [false; SLOTS];
                }
                _ => {
                    reader.done(&open(0, &path));
                    assert_eq!(ids(&mut reader, 0), expected, "round {round}, step {step}: the other process reads");
                    reader.done(&Command::Drop { slot: 0 });
                }
            }
        }
        writer.kill();
        reader.done(&open(0, &path));
        assert_eq!(ids(&mut reader, 0), expected, "round {round}: after the kill");
    }
}

// Of several processes that opened a missing store at once, half failed within milliseconds: "another process has been
// writing for over a minute".
#[test]
fn several_processes_make_one_store_at_once() {
    const ROUNDS: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let mut workers: Vec<Worker> = (0..4).map(|_| Worker::start()).collect();
    // Each has begun to listen before the first round.
    for worker in &mut workers {
        worker.done(&Command::Drop { slot: 0 });
    }
    let mut failures = Vec::new();
    for round in 0..ROUNDS {
        let path = folder.path().join(format!("{round}.db"));
        let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_millis(3);
        for (i, worker) in workers.iter_mut().enumerate() {
            worker.send(&Command::Await { moment: moment.as_micros() as u64 });
            worker.send(&open(0, &path));
            worker.send(&add(0, &format!("from{i}")));
        }
        for (i, worker) in workers.iter_mut().enumerate() {
            for what in ["wait", "open", "add"] {
                if let Answer::Failed { message, .. } = worker.answer() {
                    failures.push(format!("round {round}, process {i}, {what}: {message}"));
                }
            }
        }
        if failures.is_empty() {
            let mut found = ids(&mut workers[round % 4], 0);
            found.sort();
            assert_eq!(found, ["from0", "from1", "from2", "from3"], "round {round}");
        } else {
            break;
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

// A forget empties the log, which one process at a time can do. One that found another at it said at once that a process
// keeps the log open, and failed, though nobody read for long.
#[test]
fn forgets_of_several_processes_get_along() {
    const ROUNDS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let mut workers: Vec<Worker> = (0..3).map(|_| Worker::start()).collect();
    for worker in &mut workers {
        worker.done(&open(0, &path));
    }
    for round in 0..ROUNDS {
        for (i, worker) in workers.iter_mut().enumerate() {
            let id = format!("from{i}-{round}");
            worker.send(&add(0, &id));
            worker.send(&Command::ForgetOne { slot: 0, conversation: CONVERSATION.to_owned(), id });
        }
        for worker in &mut workers {
            assert!(matches!(worker.answer(), Answer::Added { .. }), "round {round}");
            assert_eq!(worker.answer(), Answer::Forgotten(1), "round {round}");
        }
    }
}
