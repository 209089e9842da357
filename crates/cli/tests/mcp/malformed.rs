//! Whatever a client sends, the server answers it or lets it pass, and goes on.

use aforesaid_fuzz_targets::Mutator;
use serde_json::{Value, json};

use super::client::{Client, server};
use crate::sandbox::Sandbox;

/// A call of each tool that it can do, with all arguments that it takes.
fn calls() -> [(&'static str, Value); 5] {
    [
        (
            "search_memories",
            json!({
                "query": "beans", "unit": "turn", "speaker": "Ann", "from": "2020-01-01", "to": "2030-01-01", "k": 3,
                "cursor": null,
            }),
        ),
        ("get_memory", json!({"id": "a", "conversation": "default", "around": 1})),
        (
            "add_memory",
            json!({
                "turns": [{"speaker": "Ann", "text": "Beans.", "said_at": "2025-01-01", "id": "a"}], "note": null,
                "conversation": "default", "session": "s", "tags": ["t"], "sensitive": false,
            }),
        ),
        ("forget_memory", json!({"id": "b", "conversation": "default"})),
        ("list_sessions", json!({"conversation": "default", "from": "2020", "to": "2030", "limit": 1, "cursor": null})),
    ]
}

/// A value of each type, and those at the edges of each.
fn values() -> Vec<Value> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!(" \n"),
        json!("x"),
        json!("\u{0}\u{202e}\u{feff}"),
        json!("é".repeat(5_000)),
        json!("99999-12-31"),
        json!("-9999-01-01T00:00:00Z"),
        json!("18446744073709551615-00000000-00000000"),
        json!([]),
        json!([null]),
        json!([[], {}]),
        json!(vec!["x"; 101]),
        json!({}),
        json!({"speaker": null, "text": 1}),
        json!([{"speaker": "", "text": ""}]),
        json!([{"speaker": "A", "text": "b", "said_at": "never", "id": "\n"}]),
        deep,
    ]
}

#[test]
fn arguments_of_any_type_are_answered() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    client.done("add_memory", calls()[2].1.clone());
    let mut refused = 0;
    for (tool, good) in calls() {
        let names: Vec<String> = good.as_object().unwrap().keys().cloned().chain(["unknown".to_owned()]).collect();
        for name in names {
            for value in values() {
                let mut arguments = good.clone();
                arguments[&name] = value.clone();
                let result = client.call(tool, arguments);
                assert!(result["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{result}");
                refused += usize::from(result["isError"] == true);
                if name == "unknown" {
                    assert_eq!(result["isError"], true, "{tool} drops {value}");
                }
            }
        }
        // Arguments that are no object are no tool call.
        for value in values().into_iter().filter(|value| !value.is_object() && !value.is_null()) {
            let response = client.request("tools/call", json!({"name": tool, "arguments": value}));
            assert!(response.get("error").is_some(), "{response}");
        }
    }
    assert!(refused > 300, "only {refused} were refused");
    let outcome = client.end();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    sandbox.done(&["check", "--full"]);
}

#[test]
fn mutated_messages_end_nothing() {
    const WORDS: &[&str] =
        &["{", "}", "[", "]", "\"", ":", ",", "null", "-1", "1e999", "\\u0000", "\\ud800", "id", "method"];
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let corpus: Vec<Vec<u8>> = calls()
        .iter()
        .map(|(tool, arguments)| {
            let params = json!({"name": tool, "arguments": arguments});
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string().into_bytes()
        })
        .collect();
    let mut mutator = Mutator::new(seed(), &corpus, WORDS);
    for _ in 0..1_000 {
        let input = mutator.input();
        let line = String::from_utf8_lossy(&input).replace(['\n', '\r'], " ");
        client.send(&line);
    }
    // Answers to what was still a request come before this one.
    client.send(&json!({"jsonrpc": "2.0", "id": "last", "method": "ping"}).to_string());
    while client.receive()["id"] != "last" {}
    let outcome = client.end();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    sandbox.done(&["check", "--full"]);
}

fn seed() -> u64 {
    let seed = std::env::var("AFORESAID_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("AFORESAID_SEED={seed}");
    seed
}

#[test]
fn what_is_no_message_is_told_and_passed_over() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    for line in ["", "\u{feff}", "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\"}"] {
        client.send(line);
    }
    // Longer than a line may be.
    let too_long = format!("{{\"jsonrpc\":\"2.0\",\"x\":\"{}\"}}", "x".repeat(17 << 20));
    for (line, code) in [("{", -32700), ("not JSON", -32700), ("[]", -32600), (too_long.as_str(), -32600)] {
        client.send(line);
        let answer = client.receive();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null), "{answer}");
    }
    assert_eq!(client.done("list_sessions", json!({}))["total"], 0);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_client_that_begins_with_no_request_is_told() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"reason": "kite"}}).to_string(),
    );
    let outcome = client.ended();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (4, ""));
    assert!(outcome.stderr.contains("began with a message that is no request"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("kite"));
}
