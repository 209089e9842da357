//! However a server ends, the store is whole, and what was acknowledged is in it.

use std::{process::Command, thread, time::Duration};

use serde_json::{Value, json};

use super::client::{Client, server};
use crate::sandbox::Sandbox;

/// Sends `additions` without waiting for answers.
fn send(client: &mut Client, additions: std::ops::Range<u64>) {
    for n in additions {
        let arguments = json!({"note": format!("note {n}")});
        let params = json!({"name": "add_memory", "arguments": arguments});
        client.send(&json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}).to_string());
    }
}

fn notes(sandbox: &Sandbox) -> u64 {
    sandbox.done(&["check", "--full"]);
    sandbox.json(&["stats", "--namespace", "agent"])["namespaces"]["agent"]["notes"].as_u64().unwrap()
}

fn answered(outcome: &crate::sandbox::Outcome) -> u64 {
    let answers = outcome.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.filter(|answer| answer["result"]["structuredContent"]["added"] == 1).count() as u64
}

#[test]
fn a_closed_input_ends_it_after_the_calls_that_were_made() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    send(&mut client, 100..120);
    let outcome = client.end();
    assert_eq!((outcome.code, answered(&outcome)), (0, 20), "{outcome:?}");
    assert_eq!(notes(&sandbox), 20);
}

#[test]
fn an_input_that_closes_at_once_ends_it() {
    let sandbox = Sandbox::new();
    let outcome = Client::start(server(&sandbox)).end();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
}

#[cfg(unix)]
#[test]
fn signals_end_it_with_a_whole_store() {
    for signal in ["INT", "TERM"] {
        let sandbox = Sandbox::new();
        let mut client = Client::initialized(server(&sandbox));
        client.done("add_memory", json!({"note": "before"}));
        send(&mut client, 100..130);
        let stopped = Command::new("kill").args(["-s", signal, &client.id().to_string()]).status().unwrap();
        assert!(stopped.success());
        let outcome = client.ended();
        assert_eq!(outcome.code, 0, "{signal}: {outcome:?}");
        let (notes, answered) = (notes(&sandbox), answered(&outcome));
        assert!(answered <= notes && notes <= 31, "{signal}: {answered} were acknowledged, {notes} are there");
    }
    // One that waits for its first message.
    let sandbox = Sandbox::new();
    let client = Client::start(server(&sandbox));
    while !sandbox.path(crate::sandbox::STORE).exists() {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(200));
    assert!(Command::new("kill").args(["-s", "INT", &client.id().to_string()]).status().unwrap().success());
    assert_eq!(client.ended().code, 0);
}

#[test]
fn two_servers_work_on_one_store() {
    let sandbox = Sandbox::new();
    let mut clients = [Client::initialized(server(&sandbox)), Client::initialized(server(&sandbox))];
    for client in &mut clients {
        send(client, 100..110);
    }
    let sum: u64 = clients.into_iter().map(|client| answered(&client.end())).sum();
    assert_eq!((sum, notes(&sandbox)), (20, 20));
}

#[test]
fn nothing_that_was_said_is_on_standard_error() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    client.done("add_memory", json!({"note": "The kite is crimson.", "tags": ["crimson"]}));
    client.done("search_memories", json!({"query": "crimson"}));
    client.refused("get_memory", json!({"id": "crimson"}));
    client.refused("add_memory", json!({"crimson": "crimson"}));
    client.send("{\"crimson\": ");
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "crimson"}).to_string());
    client.receive();
    let outcome = client.end();
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.starts_with("serving namespace agent (as configured) of store "), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("crimson") && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
}
