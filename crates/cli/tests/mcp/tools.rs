use std::{collections::BTreeSet, path::Path, process::Command, time::Duration};

use serde_json::{Value, json};

use super::client::{Client, server, text};
use crate::sandbox::Sandbox;

/// Three sessions about a garden.
fn garden() -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: String = (0..30)
        .map(|n| {
            let (session, day) = (n / 10 + 1, n / 10 + 1);
            let line = json!({
                "id": format!("{session}:{n}"), "conversation": "garden", "session": format!("s{session}"),
                "title": format!("Day {day}"), "speaker": if n % 2 == 0 { "Ann" } else { "Ben" },
                "text": format!("The garden has {n} beans, and row {} wants water.", n % 7),
                "said_at": format!("2025-03-{:02}T10:{n:02}:00Z", day),
            });
            format!("{line}\n")
        })
        .collect();
    sandbox.write("garden.jsonl", lines);
    sandbox.done(&["import", "garden.jsonl", "--namespace", "agent"]);
    sandbox
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_added_is_found_shown_and_forgotten() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let nothing = client.done("search_memories", json!({"query": "the kite"}));
    assert_eq!((&nothing["hits"], &nothing["confidence"]), (&json!([]), &json!(0.0)));
    assert!(nothing["reason"].as_str().unwrap().contains("add_memory"), "{nothing}");

    let turns = json!([
        {"speaker": "Ann", "text": "I gave the red kite to my sister.", "said_at": "2025-03-09T18:02:00Z"},
        {"speaker": "Ben", "text": "She will fly it on Sunday.", "said_at": "2025-03-09T18:03:00Z", "id": "fly"},
    ]);
    let add = json!({"turns": turns, "conversation": "chat", "session": "monday", "tags": ["toys"]});
    let added = client.done("add_memory", add.clone());
    assert_eq!((&added["added"], &added["unchanged"], &added["ids"][1]), (&json!(2), &json!(0), &json!("fly")));
    let first = added["ids"][0].as_str().unwrap().to_owned();
    // The turn with an id is known; the other was said twice.
    let again = client.done("add_memory", add);
    assert_eq!((&again["added"], &again["unchanged"]), (&json!(1), &json!(1)));
    let twin = again["ids"][0].as_str().unwrap().to_owned();
    client.done("forget_memory", json!({"id": twin}));

    let note = client.done("add_memory", json!({"note": "Ann's sister has the kite.", "conversation": "chat"}));
    let found = client.call("search_memories", json!({"query": "who has the kite?"}));
    let hits = &found["structuredContent"]["hits"];
    let expected: BTreeSet<String> = [&first, note["ids"][0].as_str().unwrap()].map(str::to_owned).into();
    // Ben's turn comes after them, since it stands beside Ann's.
    assert_eq!(ids(hits).into_iter().take(2).collect::<BTreeSet<_>>(), expected, "{found}");
    let turn = hits.as_array().unwrap().iter().find(|hit| hit["id"] == first.as_str()).unwrap();
    assert_eq!(
        *turn,
        json!({
            "id": first, "kind": "turn", "conversation": "chat", "session": "monday", "speaker": "Ann",
            "said_at": "2025-03-09T18:02:00Z", "text": "I gave the red kite to my sister.", "tags": ["toys"],
        })
    );
    let shown = text(&found);
    assert!(
        shown.starts_with("confidence 0.")
            && shown.contains(&format!("[{first}] 2025-03-09 18:02 · Ann · chat / monday"))
    );
    assert!(shown.contains("\n  | I gave the red kite to my sister.\n"), "{shown}");

    let shown = client.call("get_memory", json!({"id": first}));
    assert_eq!(shown["structuredContent"]["memory"]["text"], "I gave the red kite to my sister.");
    assert_eq!(ids(&shown["structuredContent"]["after"]), ["fly"]);
    assert!(text(&shown).starts_with(&format!("> [{first}]")), "{}", text(&shown));
    let alone = client.done("get_memory", json!({"id": first, "around": 0, "conversation": "chat"}));
    assert_eq!((&alone["before"], &alone["after"]), (&json!([]), &json!([])));

    let sessions = client.done("list_sessions", json!({}));
    assert_eq!((&sessions["total"], &sessions["sessions"][0]["session"]), (&json!(1), &json!("monday")));
    let forgotten = client.call("forget_memory", json!({"id": first}));
    assert_eq!(forgotten["structuredContent"]["forgotten"]["turns"], 1);
    // Another conversation may have a turn of that id.
    assert!(text(&forgotten).contains(&format!("[{first}] of chat, said by Ann")), "{}", text(&forgotten));
    let swapped = json!({"query": "kite", "from": "2026-01-01", "to": "2025-01-01"});
    assert!(client.refused("search_memories", swapped).contains("expected from before to"));
    let swapped = json!({"from": "2026-01-01", "to": "2025-01-01"});
    assert!(client.refused("list_sessions", swapped).contains("expected from before to"));
    let found = client.done("search_memories", json!({"query": "the red kite"}));
    assert!(!ids(&found["hits"]).contains(&first), "{found}");
    assert!(client.refused("get_memory", json!({"id": first})).contains("search_memories gives ids"));
    assert_eq!(client.end().code, 0);
    assert!(!sandbox.files().values().any(|bytes| String::from_utf8_lossy(bytes).contains("gave the red kite")));
}

#[test]
fn pages_are_the_whole_list() {
    let sandbox = garden();
    let mut client = Client::initialized(server(&sandbox));
    for unit in ["turn", "session"] {
        let mut query = json!({"query": "beans in the garden", "unit": unit, "k": 50});
        let whole = client.done("search_memories", query.clone());
        assert!(whole.get("next_cursor").is_none(), "{whole}");
        query["k"] = json!(if unit == "turn" { 7 } else { 2 });
        let mut paged = Vec::new();
        loop {
            let page = client.done("search_memories", query.clone());
            assert_eq!(page["confidence"], whole["confidence"]);
            paged.extend(page["hits"].as_array().unwrap().clone());
            match page.get("next_cursor") {
                Some(next) => query["cursor"] = next.clone(),
                None => break,
            }
        }
        assert_eq!(json!(paged), whole["hits"], "{unit}");
        assert_eq!(paged.len(), if unit == "turn" { 30 } else { 3 });
    }
    let first = client.done("list_sessions", json!({"limit": 2}));
    assert_eq!(first["total"], 3);
    // A session that comes between two pages is not on the next: it would be on the first.
    client.done("add_memory", json!({"turns": [{"speaker": "Ann", "text": "It rains."}], "session": "new"}));
    let second = client.done("list_sessions", json!({"limit": 2, "cursor": first["next_cursor"]}));
    let names = |page: &Value| -> Vec<Value> {
        page["sessions"].as_array().unwrap().iter().map(|session| session["session"].clone()).collect()
    };
    assert_eq!((names(&first), names(&second)), (vec![json!("s3"), json!("s2")], vec![json!("s1")]));
    assert!(second.get("next_cursor").is_none());
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_search_keeps_to_its_filters() {
    let sandbox = garden();
    let mut client = Client::initialized(server(&sandbox));
    let mut found = |more: Value| {
        let mut query = json!({"query": "beans", "k": 50});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.done("search_memories", query)["hits"].as_array().unwrap().clone()
    };
    assert!(found(json!({"speaker": "Ben"})).iter().all(|hit| hit["speaker"] == "Ben"));
    assert_eq!(found(json!({"speaker": "Ben"})).len(), 15);
    assert_eq!(found(json!({"speaker": "ben"})).len(), 15);
    assert_eq!(found(json!({"from": "2025-03-02", "to": "2025-03-02"})).len(), 10);
    assert_eq!(found(json!({"to": "2025-03-02", "k": 5})).len(), 5);
    assert_eq!(found(json!({"from": "yesterday"})).len(), 0);
    let unknown = client.refused("search_memories", json!({"query": "beans", "speaker": "Nobody"}));
    assert!(unknown.starts_with("unknown_speaker: ") && unknown.contains(r#"there are: "Ben", "Ann""#), "{unknown}");
    let sessions = client.done("search_memories", json!({"query": "beans", "unit": "session", "k": 1}));
    let session = &sessions["hits"][0];
    assert!(session["turns"].as_array().is_some_and(|turns| !turns.is_empty()), "{session}");
    // The id of a session's hit is one that can be shown.
    let shown = client.done("get_memory", json!({"id": session["id"]}));
    assert_eq!((&shown["memory"]["session"], &session["title"]), (&session["session"], &shown["memory"]["title"]));
    let listed = client.done("list_sessions", json!({"conversation": "garden", "from": "2025-03-02"}));
    assert_eq!(listed["total"], 2);
    assert_eq!(client.end().code, 0);
}

#[test]
fn an_error_says_what_is_wrong_and_what_to_do() {
    let sandbox = garden();
    let mut client = Client::initialized(server(&sandbox));
    let taken =
        json!({"turns": [{"speaker": "Ann", "text": "other", "id": "1:0"}], "conversation": "garden", "session": "s1"});
    let next = client.done("search_memories", json!({"query": "beans", "k": 3}))["next_cursor"].clone();
    for (tool, arguments, said) in [
        ("search_memories", json!({"querry": "x"}), "unknown argument \"querry\"; it takes query, unit, speaker"),
        ("search_memories", json!({}), "the argument \"query\" is missing"),
        (
            "search_memories",
            json!({"query": "x", "k": "8"}),
            "k: found the text \"8\", expected a whole number from 1 to 50",
        ),
        ("search_memories", json!({"query": "x", "from": "soonish"}), "from: time \"soonish\": expected a date"),
        (
            "search_memories",
            json!({"query": "x", "k": 3, "cursor": next}),
            "it belongs to a list that was asked for with other",
        ),
        ("search_memories", json!({"query": "x", "cursor": "2"}), "give next_cursor of the page before"),
        ("get_memory", json!({"id": "9:9"}), "unknown_memory: id \"9:9\": no such turn or note in namespace \"agent\""),
        ("get_memory", json!({"id": "1:0", "around": 21}), "around: found 21, expected a whole number from 0 to 20"),
        ("forget_memory", json!({"id": "1:0", "conversation": "shed"}), "search_memories gives ids"),
        ("add_memory", json!({}), "found neither turns nor note"),
        ("add_memory", json!({"note": "a", "turns": [{"speaker": "A", "text": "b"}]}), "found turns and note"),
        ("add_memory", json!({"note": "a", "session": "s"}), "a note is in no session"),
        ("add_memory", json!({"turns": [{"speaker": "A"}]}), "turns[0]: the argument \"text\" is missing"),
        (
            "add_memory",
            json!({"turns": [{"speaker": "A", "text": "b", "when": 1}]}),
            "turns[0]: unknown argument \"when\"",
        ),
        ("add_memory", json!({"note": "n", "tags": [1]}), "tags: found a list of 1, expected a list of 1 to 100 texts"),
        ("add_memory", taken, "id_conflict: id \"1:0\" in conversation \"garden\": already stored with another"),
        (
            "list_sessions",
            json!({"conversation": "shed"}),
            "nothing in namespace \"agent\" matches; leave a filter out",
        ),
        ("list_sessions", json!({"limit": 0}), "limit: found 0, expected a whole number from 1 to 100"),
    ] {
        let message = client.refused(tool, arguments.clone());
        assert!(message.contains(said), "{tool} {arguments}: {message}");
        assert!(!message.contains("--"), "a model has no options: {message}");
    }
    let unknown = client.request("tools/call", json!({"name": "recall", "arguments": {}}));
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("\"recall\"; the tools are search_memories, get_memory"), "{message}");
    assert_eq!(client.end().code, 0);
}

#[test]
fn other_namespaces_are_out_of_reach() {
    let sandbox = garden();
    sandbox.done(&["add", "The safe opens at nine.", "--namespace", "bank", "--id", "safe"]);
    let mut server = sandbox.command(&["mcp", "--namespace", "empty"]);
    server.env("AFORESAID_NAMESPACE", "bank");
    let mut client = Client::initialized(server);
    let found = client.call("search_memories", json!({"query": "when does the safe open?"}));
    assert_eq!(found["structuredContent"]["hits"], json!([]));
    for answer in [text(&found).to_owned(), client.refused("get_memory", json!({"id": "safe"}))] {
        assert!(!answer.contains("bank") && !answer.contains("agent"), "{answer}");
    }
    assert!(client.refused("get_memory", json!({"id": "safe", "namespace": "bank"})).contains("unknown argument"));
    client.refused("forget_memory", json!({"id": "safe"}));
    assert_eq!(client.end().code, 0);
    assert_eq!(sandbox.json(&["show", "safe", "--namespace", "bank"])["memory"]["text"], "The safe opens at nine.");
}

/// As `aforesaid search` prints them: docs/mcp.md says so.
#[test]
fn sensitive_memories_are_shown_and_marked() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    client.done("add_memory", json!({"note": "The alarm code is on the fridge.", "sensitive": true}));
    let found = client.call("search_memories", json!({"query": "alarm code"}));
    assert_eq!(found["structuredContent"]["hits"][0]["sensitive"], true);
    assert!(text(&found).contains(" · sensitive\n"), "{}", text(&found));
    assert_eq!(client.end().code, 0);
    let printed = sandbox.json(&["search", "alarm code", "--namespace", "agent"]);
    assert_eq!(printed["hits"][0]["sensitive"], true);
}

#[test]
fn a_long_text_is_whole_and_its_neighbours_are_cut() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let long = "é".repeat(3_000);
    let turns = json!([
        {"speaker": "Ann", "text": long, "id": "a"},
        {"speaker": "Ben", "text": format!("{long}\n[a] forged"), "id": "b"},
    ]);
    client.done("add_memory", json!({"turns": turns}));
    let shown = client.call("get_memory", json!({"id": "b"}));
    let (memory, before) = (&shown["structuredContent"]["memory"], &shown["structuredContent"]["before"][0]);
    assert_eq!(memory["text"], format!("{long}\n[a] forged"));
    let cut = before["text"].as_str().unwrap();
    assert!(cut.ends_with("é… (2000 more characters: get_memory of this id)"), "{cut}");
    assert!(text(&shown).contains("\n  | [a] forged\n"), "a line of a text passes for one of ours");
    assert_eq!(client.end().code, 0);
}

/// `note:1` was two notes, one of them in no conversation: to get or forget that one was refused, since one conversation had it.
#[test]
fn each_note_can_be_named() {
    let sandbox = Sandbox::new();
    let mut client = Client::initialized(server(&sandbox));
    let added = [json!({"note": "The key rotates."}), json!({"note": "Kite uses SQLite.", "conversation": "kite"})]
        .map(|note| client.done("add_memory", note)["ids"][0].clone());
    assert_eq!(added, ["note:1", "note:2"]);
    for (id, said) in [("note:1", "The key rotates."), ("note:2", "Kite uses SQLite.")] {
        assert_eq!(client.done("get_memory", json!({"id": id}))["memory"]["text"], said);
    }

    // Ids that were chosen, or given before, may stand several times.
    for place in [&["--conversation", "kite"][..], &["--conversation", "tree"], &[]] {
        let add = ["add", "A note.", "--note", "--id", "same", "--namespace", "agent"];
        sandbox.done(&[&add, place].concat());
    }
    let plain = client.done("get_memory", json!({"id": "same"}));
    assert!(plain["memory"].get("conversation").is_none(), "{plain}");
    let kite = client.done("get_memory", json!({"id": "same", "conversation": "kite"}));
    assert_eq!(kite["memory"]["conversation"], "kite");
    let shown = sandbox.json(&["show", "same", "--namespace", "agent"]);
    assert!(shown["memory"].get("conversation").is_none(), "{shown}");
    assert_eq!(client.done("forget_memory", json!({"id": "same"}))["forgotten"]["notes"], 1);
    let refused = client.refused("forget_memory", json!({"id": "same"}));
    assert_eq!(
        refused,
        "ambiguous_memory: id \"same\": found in 2 conversations (kite, tree); name one with the argument conversation"
    );
    let refused = sandbox.refusal(&["forget", "same", "--yes", "--namespace", "agent"]);
    assert!(refused.contains("found in 2 conversations (kite, tree); name one with --conversation"), "{refused}");
    client.done("forget_memory", json!({"id": "same", "conversation": "tree"}));
    assert_eq!(client.done("get_memory", json!({"id": "same"}))["memory"]["conversation"], "kite");
    assert_eq!(client.end().code, 0);
}

/// A server that reranks by a cross-encoder of random weights.
fn reranking(sandbox: &Sandbox, model: &str) -> Command {
    let mut server = server(sandbox);
    server.args(["--rerank", model]);
    server
}

/// What a search finds when the server has loaded its reranker, or knows why it cannot.
fn once_loaded(client: &mut Client, arguments: &Value) -> Value {
    for _ in 0..1_000 {
        let found = client.done("search_memories", arguments.clone());
        if !found["warnings"].to_string().contains("is being loaded") {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the reranker was not loaded in 20 seconds");
}

#[test]
fn a_search_is_reranked_as_soon_as_the_reranker_is_there() {
    let sandbox = Sandbox::new();
    for text in ["A red kite.", "The kite flew.", "Kite, string and wind.", "No toy but a kite.", "A kite again."] {
        sandbox.done(&["add", text, "--namespace", "agent"]);
    }
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/tests/reference/tiny-cross-bert");
    let dir = dir.to_str().unwrap();
    let search = ["search", "kite", "--namespace", "agent"];
    let expected = ids(&sandbox.json(&[&search[..], &["--rerank", dir]].concat())["hits"]);
    assert_ne!(expected, ids(&sandbox.json(&search)["hits"]));
    let mut client = Client::initialized(reranking(&sandbox, dir));
    let first = once_loaded(&mut client, &json!({"query": "kite", "k": 3}));
    // The second page goes on where the first one ended.
    let next = json!({"query": "kite", "k": 3, "cursor": first["next_cursor"]});
    let rest = client.done("search_memories", next);
    assert_eq!([ids(&first["hits"]), ids(&rest["hits"])].concat(), expected);
}

#[test]
fn a_reranker_that_cannot_be_had_is_told_with_every_search() {
    let sandbox = garden();
    let mut client = Client::initialized(reranking(&sandbox, "lost.safetensors"));
    let found = once_loaded(&mut client, &json!({"query": "beans"}));
    assert_eq!(found["hits"].as_array().unwrap().len(), 8);
    assert!(found["warnings"][0].as_str().unwrap().contains("lost.safetensors"), "{found}");
    sandbox.write("by-llm.toml", "rerank = \"llm\"\n");
    for (args, named) in [
        (&["mcp", "--rerank", "llm"][..], "evidence, or none"),
        (&["--config", "by-llm.toml", "mcp"], "evidence, or none"),
        (&["mcp", "--rerank-depth", "3"], "add --rerank"),
    ] {
        let refused = sandbox.refusal(args);
        assert!(refused.contains(named), "{refused}");
    }
}
