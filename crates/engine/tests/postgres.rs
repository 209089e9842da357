//! A store on PostgreSQL beside one of SQLite, and two processes on one database.
//!
//! `AFORESAID_STEPS` says how many operations the processes do (1,000), `AFORESAID_SEED` which (1).

use aforesaid::{Explanations, Memory, Pipeline, formats::*, types::*};
use aforesaid_postgres_server::server;

use crate::{
    bags::*,
    chance::Chance,
    workers::{Answer, Command, Failure, Line, Worker},
};

const CONVERSATION: &str = include_str!("../../cli/demo/conversation.jsonl");
const QUESTIONS: &str = include_str!("../../cli/demo/questions.jsonl");

/// Everything that a memory answers to the questions of the demo, but how long it took.
fn answers(memory: &Memory) -> Vec<String> {
    let mut answers = Vec::new();
    for line in QUESTIONS.lines() {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        for pipeline in ["hybrid", "lexical"] {
            let query = Query::new(ns("demo"), question["query"].as_str().unwrap());
            let pipeline: Pipeline = pipeline.parse().unwrap();
            let answer = memory.search(&query, &pipeline, Explanations::Include).unwrap();
            let mut answer = serde_json::to_value(answer).unwrap();
            let answer = answer.as_object_mut().unwrap();
            assert!(answer.remove("timing").or_else(|| answer.remove("timing_ms")).is_some(), "{:?}", answer.keys());
            answers.push(serde_json::to_string(answer).unwrap());
        }
    }
    answers
}

#[test]
fn it_answers_as_sqlite_does_to_the_last_digit() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.db").to_str().unwrap().to_owned();
    let both = [file, server.new_store()].map(|location| {
        let memory = open(&location, local());
        let source = Source { file: "f", stem: "demo", conversation: None, captions: Captions::Keep, zone: None };
        memory.import(&ns("demo"), Some(Format::Jsonl), CONVERSATION.as_bytes(), &source, &mut |_| {}).unwrap();
        let fresh = answers(&memory);
        drop(memory);
        // From the snapshot that was kept.
        let memory = open(&location, local());
        assert_eq!(answers(&memory), fresh, "{location}");
        let mut export = Vec::new();
        memory.export(&ns("demo"), &Scope::default(), &mut export).unwrap();
        (fresh, String::from_utf8(export).unwrap())
    });
    assert!(both[0].0.len() > 10 && both[0].0[0].contains("\"hits\":[{"));
    assert_eq!(both[0], both[1]);
}

#[test]
fn text_that_postgres_cannot_hold_comes_back() {
    let Some(server) = server() else { return };
    let memory = open(&server.new_store(), local());
    let said = "a zero \0 and a \u{10FFFF}, kites";
    memory.add_turns(&ns("a"), vec![turn("c", "s", "1", "An\0n", said)]).unwrap();
    let answer = memory.search(&Query::new(ns("a"), "kites"), &Pipeline::hybrid(), Explanations::Omit).unwrap();
    assert_eq!((answer.hits[0].text.as_str(), answer.hits[0].speaker.as_deref()), (said, Some("An\0n")));
}

/// What one process has finished, another finds at once.
#[test]
fn two_processes_see_what_the_other_wrote() {
    let Some(server) = server() else { return };
    let location = server.new_store();
    let number = |variable: &str, default| std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (steps, seed): (usize, usize) = (number("AFORESAID_STEPS", 1_000), number("AFORESAID_SEED", 1));
    let mut chance = Chance::new(seed as u64);
    let mut workers = [Worker::start(), Worker::start()];
    for worker in &mut workers {
        worker.done(&Command::Open { slot: 0, path: location.clone(), encoder: "bags@1/f32".to_owned() });
    }
    // Ids and words that are there, with the process that wrote them.
    let mut there: Vec<String> = Vec::new();
    let (mut written, mut asked, mut stale) = (0, 0, 0);
    let ask = |worker: &mut Worker, word: &str, expected: bool, asked: &mut usize| {
        *asked += 1;
        let search = Command::Search { slot: 0, pipeline: "lexical".to_owned(), text: word.to_owned() };
        match worker.ask(&search) {
            Answer::Turns(found) => found.iter().any(|turn| turn.text.starts_with(&format!("{word} "))) != expected,
            Answer::Failed { failure: Failure::NotThere, .. } => expected,
            other => panic!("{search:?} was answered {other:?}"),
        }
    };
    while written + asked < steps {
        let one = chance.below(2);
        let (word, expected) = match there.len() {
            0..300 if chance.below(3) > 0 || there.is_empty() => {
                let word = format!("zq{written}x{seed}");
                let line = Line { session: "s".to_owned(), id: Some(word.clone()), text: format!("{word} flies") };
                workers[one].done(&Command::Add { slot: 0, conversation: "c".to_owned(), lines: vec![line] });
                there.push(word.clone());
                (word, true)
            }
            _ => {
                let word = there.swap_remove(chance.below(there.len()));
                let command = Command::ForgetOne { slot: 0, conversation: "c".to_owned(), id: word.clone() };
                workers[one].done(&command);
                (word, false)
            }
        };
        written += 1;
        stale += usize::from(ask(&mut workers[1 - one], &word, expected, &mut asked));
        if let Some(other) = chance.pick(&there) {
            stale += usize::from(ask(&mut workers[chance.below(2)], &other.clone(), true, &mut asked));
        }
    }
    println!("{written} writes, {asked} searches, {stale} of them stale");
    assert_eq!(stale, 0);
}
