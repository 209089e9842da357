use serde_json::{Value, json};

use super::client::{Client, meta, server, text};
use crate::sandbox::Sandbox;

const NAMES: [&str; 5] = ["search_memories", "get_memory", "add_memory", "forget_memory", "list_sessions"];

fn names(tools: &Value) -> Vec<&str> {
    tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn clients_that_initialize_are_served_in_their_revision() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // A revision without `initialize`, and one from the future: the newest that has it.
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let sandbox = Sandbox::new();
        let mut client = Client::start(server(&sandbox));
        let result = client.initialize(asked);
        assert_eq!(result["protocolVersion"], given);
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["serverInfo"]["name"], "aforesaid");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.contains("The memory of agent") && instructions.len() < 2048, "{instructions}");
        let tools = client.result("tools/list", json!({}));
        assert_eq!(names(&tools), NAMES);
        // These clients know nothing of how long a list is good for.
        assert_eq!(tools.as_object().unwrap().len(), 1, "{tools}");
        assert_eq!(client.result("ping", json!({})), json!({}));
        let outcome = client.end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
}

#[test]
fn requests_that_stand_by_themselves_are_served() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    let found = client.result("server/discover", json!({"_meta": meta()}));
    assert_eq!(found["resultType"], "complete");
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    assert_eq!((&found["cacheScope"], &found["capabilities"]), (&json!("private"), &json!({"tools": {}})));
    assert!(found["ttlMs"].as_u64().unwrap() > 0);
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "aforesaid");
    assert!(found["instructions"].as_str().unwrap().contains("search_memories"));

    let tools = client.result("tools/list", json!({"_meta": meta()}));
    assert_eq!(names(&tools), NAMES);
    assert_eq!((&tools["resultType"], &tools["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(tools["ttlMs"].as_u64().unwrap() > 0);

    let arguments = json!({"note": "The kite is red."});
    let call = json!({"name": "add_memory", "arguments": arguments, "_meta": meta()});
    let added = client.result("tools/call", call);
    assert_eq!((&added["resultType"], &added["structuredContent"]["added"]), (&json!("complete"), &json!(1)));
    // A request of this revision without its metadata is refused, and the next one is served.
    let refused = client.request("tools/list", json!({}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(names(&client.result("tools/list", json!({"_meta": meta()}))), NAMES);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_request_before_initialize_is_told_what_comes_first() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    let refused = client.request("tools/list", json!({}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("initialize comes first"), "{refused}");
    client.initialize("2025-11-25");
    assert_eq!(names(&client.result("tools/list", json!({}))), NAMES);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_request_may_be_the_first_message() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    let call = json!({"name": "list_sessions", "_meta": meta()});
    let listed = client.result("tools/call", call);
    assert_eq!((listed["structuredContent"]["total"].as_u64(), text(&listed)), (Some(0), "0 sessions in all\n"));
    assert_eq!(client.end().code, 0);
}

#[test]
fn every_definition_is_a_schema_with_hints() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let first = client.result("tools/list", json!({}));
    for tool in first["tools"].as_array().unwrap() {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            assert!(tool[schema]["properties"].is_object(), "{tool}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
        let description = tool["description"].as_str().unwrap();
        assert!(description.len() < 2048 && !description.contains("must") && !description.contains("always"));
    }
    // The same bytes each time, so that a client's cache of its prompt stays good.
    assert_eq!(client.result("tools/list", json!({})).to_string(), first.to_string());
    let refused = client.request("tools/list", json!({"cursor": "x"}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(client.request("prompts/list", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(client.end().code, 0);
}
