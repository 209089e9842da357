//! Calls that a client sends without waiting for answers are carried out in the order that it sent them.
//!
//! Each call ran on a thread of its own as soon as one was free: twelve turns were stored in any order, and a turn that was
//! added and then forgotten stayed.

use serde_json::{Value, json};

use super::client::{Client, server};
use crate::sandbox::Sandbox;

/// Sends a call, and waits for nothing.
fn send(client: &mut Client, id: u64, tool: &str, arguments: Value) {
    let params = json!({"name": tool, "arguments": arguments});
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string());
}

/// The next answers, with the ids that they answer.
fn answers(client: &mut Client, number: usize) -> Vec<(u64, Value)> {
    let answer = |_| {
        let mut answer = client.receive();
        (answer["id"].as_u64().unwrap(), answer["result"].take())
    };
    (0..number).map(answer).collect()
}

fn to(answers: &[(u64, Value)], id: u64) -> &Value {
    &answers.iter().find(|(of, _)| *of == id).unwrap().1
}

fn turn(text: String, id: Option<&str>) -> Value {
    json!({"turns": [{"speaker": "Ann", "text": text, "id": id}], "session": "s"})
}

#[test]
fn what_is_sent_first_is_done_first() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    for n in 0..12 {
        send(&mut client, 100 + n, "add_memory", turn(format!("step {n}"), None));
    }
    send(&mut client, 112, "get_memory", json!({"id": "s:1", "around": 20}));
    send(&mut client, 113, "search_memories", json!({"query": "step", "k": 50}));
    send(&mut client, 114, "add_memory", turn("secret".to_owned(), Some("gone")));
    send(&mut client, 115, "forget_memory", json!({"id": "gone"}));
    send(&mut client, 116, "get_memory", json!({"id": "gone"}));
    send(&mut client, 117, "list_sessions", json!({}));
    let answers = answers(&mut client, 18);
    for n in 0..12 {
        assert_eq!(to(&answers, 100 + n)["structuredContent"]["ids"], json!([format!("s:{}", n + 1)]), "{answers:?}");
    }
    let seen = |id: u64, field: &str| to(&answers, id)["structuredContent"][field].as_array().unwrap().len();
    assert_eq!((seen(112, "after"), seen(113, "hits")), (11, 12), "reads see all that was written before");
    assert_eq!(to(&answers, 115)["structuredContent"]["forgotten"]["turns"], 1);
    assert_eq!(to(&answers, 116)["isError"], true);
    assert_eq!(to(&answers, 117)["structuredContent"]["sessions"][0]["turns"], 12);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_call_that_waits_can_be_taken_back_and_keeps_no_ping_waiting() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let many: Vec<Value> =
        (0..100).map(|n| json!({"speaker": "Ann", "text": format!("turn {n} ").repeat(200)})).collect();
    for n in 0..10 {
        send(&mut client, 100 + n, "add_memory", json!({"turns": many}));
    }
    send(&mut client, 110, "add_memory", turn("It was not meant.".to_owned(), Some("mistake")));
    send(&mut client, 111, "add_memory", turn("It was meant.".to_owned(), Some("meant")));
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 110}});
    client.send(&cancelled.to_string());
    client.send(&json!({"jsonrpc": "2.0", "id": 112, "method": "ping"}).to_string());
    // Nothing answers the one that was taken back.
    let answers = answers(&mut client, 12);
    let place = |id: u64| answers.iter().position(|(of, _)| *of == id).unwrap();
    assert!(place(112) < place(109), "{:?}", answers.iter().map(|(of, _)| of).collect::<Vec<_>>());
    assert!(client.refused("get_memory", json!({"id": "mistake"})).starts_with("unknown_memory"));
    client.done("get_memory", json!({"id": "meant"}));
    assert_eq!(client.end().code, 0);
}
