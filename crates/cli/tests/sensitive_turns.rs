//! A turn that is marked as sensitive goes to no server, on any path.
//!
//! `add "my PIN is 1234" --speaker N --sensitive` said "added" and stored no mark, and `ask` then sent the text away:
//! --sensitive, --tag and --importance had `requires = "note"`, --speaker (as --session and --image-caption)
//! `conflicts_with = "note"`, and clap waives a requirement on an option that conflicts with one that is there
//! (`Validator::is_missing_required_ok`). Typed alone, --sensitive was refused; typed with --speaker, dropped.

use std::process::Command;

use serde_json::{Value, json};

use crate::{
    model::{is_ask, judged, said, streamed},
    sandbox::{STORE, Sandbox, finish},
    server::{Deed, Request, Server, ok},
};

/// What must never be sent.
/// Not digits alone: a time in milliseconds may hold those.
const SECRET: &str = "zx1234";

/// Turns around the one that is marked, in the order of the conversation.
const BEFORE: &str =
    r#"{"id":"1","conversation":"c","session":"s","speaker":"Bob","text":"What opens the kite safe?"}"#;
const MARKED: &str = r#"{"id":"2","conversation":"c","session":"s","speaker":"Ann","text":"My kite safe opens with zx1234.","image_caption":"a note that says zx1234","importance":0.9,"tags":["secret","it's"],"sensitive":true}"#;
const AFTER: &str =
    r#"{"id":"3","conversation":"c","session":"s","speaker":"Bob","text":"The kite safe opens, thanks."}"#;

/// A server that encodes, writes cues, judges and answers.
fn obliging() -> Server {
    Server::start(|_, request| answer(request))
}

fn answer(request: &Request) -> Deed {
    if request.path.ends_with("/embeddings") {
        let rows = request.inputs().into_iter().enumerate();
        let rows = rows.map(|(i, text)| json!({"index": i, "embedding": [text.len(), 1]}));
        return ok(json!({"data": rows.collect::<Vec<_>>()}));
    }
    match request.body.to_string() {
        _ if is_ask(&request.body) => streamed(&["It opens [1]."]),
        body if body.contains("<candidates>") => judged(&request.body, |_| Some(5)),
        _ => said(&json!({"questions": ["What is it that opens?"]}).to_string()),
    }
}

fn sent(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| request.body.to_string()).collect()
}

/// `aforesaid` whose encoder and language model are both on a server.
fn with_server(sandbox: &Sandbox, url: &str, args: &[&str]) -> Command {
    let mut command = sandbox.bare(&["--store", STORE, "--offline"]);
    command.args(args);
    for (name, value) in [("ENCODER_URL", url), ("ENCODER_MODEL", "tiny"), ("LLM_URL", url), ("LLM_MODEL", "tiny")] {
        command.env(format!("AFORESAID_{name}"), value);
    }
    command
}

fn marks(sandbox: &Sandbox, text: &str) -> Value {
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let mut turn = sandbox.done(&["export"]).lines().map(line).find(|turn| turn["text"] == text).unwrap();
    json!([turn["sensitive"].take(), turn["tags"].take(), turn["importance"].take()])
}

#[test]
fn marks_of_a_turn_are_kept() {
    let sandbox = Sandbox::new();
    let marked = ["--sensitive", "--tag", "secret", "--tag", "pin", "--importance", "0.9"];
    for (n, more) in
        [&["--speaker", "N"][..], &["--session", "s"], &["--image-caption", "a card"], &["--conversation", "c"], &[]]
            .into_iter()
            .enumerate()
    {
        let text = format!("my PIN is zx1234 for the {n}th time");
        sandbox.done(&[&["add", &text], more, &marked].concat());
        assert_eq!(marks(&sandbox, &text), json!([true, ["secret", "pin"], 0.9]), "{more:?}");
    }
    sandbox.done(&["add", "nothing special", "--speaker", "N"]);
    assert_eq!(marks(&sandbox, "nothing special"), json!([null, null, null]));
}

#[test]
fn marks_go_through_an_export_to_the_byte() {
    let lines = format!("{BEFORE}\n{MARKED}\n{AFTER}\n");
    let sandbox = Sandbox::holding(&lines);
    assert_eq!(sandbox.done(&["export"]), lines);
    assert!(sandbox.done(&["import", "held.jsonl"]).contains("0 added, 3 already there"));
    // A file that states no marks says nothing of them: those made here stay.
    sandbox.write("bare.jsonl", lines.replace(",\"sensitive\":true", ""));
    assert!(sandbox.done(&["import", "bare.jsonl"]).contains("0 added, 3 already there"));
    assert_eq!(sandbox.done(&["export"]), lines);
    // Other marks are a conflict.
    for (from, to, field) in [("0.9", "0.3", "importance"), ("secret", "open", "set of tags")] {
        sandbox.write("other.jsonl", lines.replace(from, to));
        let refused = sandbox.refusal(&["import", "other.jsonl"]);
        assert!(refused.contains(&format!("already stored with another {field}")), "{refused}");
    }
}

#[test]
fn a_sensitive_turn_reaches_no_server() {
    let (sandbox, server) = (Sandbox::new(), obliging());
    let run = |args: &[&str]| finish(&mut with_server(&sandbox, &server.url, args)).succeeded();
    sandbox.write("around.jsonl", format!("{BEFORE}\n{MARKED}\n{AFTER}\n"));
    run(&["import", "around.jsonl"]);
    run(&["add", "The other kite safe opens with zx1234, too.", "-c", "c", "-s", "s", "--speaker", "N", "--sensitive"]);
    run(&["add", "Any kite flies.", "-c", "c", "-s", "s", "--speaker", "Bob"]);
    run(&["reembed"]);
    run(&["cues", "export", "batch.jsonl", "--batch"]);
    assert!(sandbox.read("batch.jsonl").contains("kite safe") && !sandbox.read("batch.jsonl").contains(SECRET));
    assert!(!run(&["cues", "export", "-", "--batch", "--prompt", "isolated"]).contains(SECRET));
    run(&["cues", "write"]);
    sandbox.write("mine.jsonl", r#"{"conversation":"c","id":"2","q":["Does zx1234 open the kite safe?"]}"#);
    run(&["cues", "import", "mine.jsonl", "--concat"]);
    run(&["reembed"]);

    for more in [&[][..], &["--judge"], &["--around", "2"], &["--judge=relevance", "--around", "2", "-k", "1"]] {
        let answered = run(&[&["ask", "what opens the kite safe?"], more].concat());
        assert!(answered.starts_with("It opens [1].") && !answered.contains(SECRET), "{more:?}: {answered}");
    }
    for more in [&["--judge"][..], &["--judge=relevance"], &["--judge", "--unit", "session"]] {
        let found = run(&[&["search", "what opens the kite safe?"], more].concat());
        assert!(found.contains(SECRET), "it is found all the same: {found}");
    }
    for more in [&[][..], &["--around", "2"], &["--judge"], &["--json"]] {
        let context = run(&[&["ask", "what opens the kite safe?", "--context"], more].concat());
        assert!(context.contains("kite safe") && !context.contains(SECRET), "{more:?}: {context}");
    }
    assert!(run(&["ask", "kite safe", "--context", "--include-sensitive", "--around", "1"]).contains(SECRET));

    let sent = sent(&server);
    assert!(sent.len() > 20, "all of it was asked of the server: {}", sent.len());
    for word in ["thanks", "Any kite flies", "<candidates>", "<memories>", "<dialogue>"] {
        assert!(sent.iter().any(|body| body.contains(word)), "{word}");
    }
    assert!(sent.iter().all(|body| !body.contains(SECRET)), "{sent:#?}");
}

#[test]
fn sensitive_lines_of_a_labelled_history_reach_no_server() {
    // The mark was counted among what nothing reads, and the line sent.
    let (sandbox, server) = (Sandbox::new(), obliging());
    let lines = [
        r#"{"id":"1","session":"s","speaker":"Ann","text":"The kite flies.","sensitive":false}"#,
        r#"{"id":"2","session":"s","speaker":"Ann","text":"My PIN is zx1234.","sensitive":true}"#,
        r#"{"id":"3","text":"Ann's PIN is zx1234.","sensitive":true}"#,
        r#"{"id":"q","query":"what flies?","gold_ids":["1"]}"#,
    ];
    sandbox.write("mine.jsonl", lines.join("\n"));
    let run = ["eval", "run", "--dataset", "jsonl", "--data", "mine.jsonl", "--system", "hybrid", "--measures", "mrr"];
    let outcome = finish(&mut with_server(&sandbox, &server.url, &run));
    assert!(outcome.code == 4 && outcome.stderr.contains("2 of 3 memories have no vector"), "{outcome:?}");
    let sent = sent(&server);
    assert!(sent.iter().any(|body| body.contains("The kite flies.")), "{sent:?}");
    assert!(sent.iter().all(|body| !body.contains(SECRET)), "{sent:?}");
}
