//! Looking around and changing what is stored, as a program does it.
#![allow(clippy::unwrap_used, reason = "test code")]

mod sandbox;

use insta::assert_snapshot;
use sandbox::{Sandbox, finish};
use serde_json::Value;

const LINES: &str = r#"{"id":"aaaa1111","conversation":"chat-1","session":"s1","title":"Garden plans","speaker":"Maya","text":"Plant the garlic in October.","said_at":"2024-10-01T09:00:00Z","tags":["garden"],"meta":{"project":"yard"}}
{"id":"aaaa2222","conversation":"chat-1","session":"s1","speaker":"Tomas","text":"And the beans?","said_at":"2024-10-01T09:01:00Z"}
{"id":"bbbb1111","conversation":"chat-2","session":"s1","speaker":"Maya","text":"The garlic soup was good.","said_at":"2025-01-05T18:00:00Z"}
{"id":"note-1","kind":"note","text":"Maya likes garlic.","said_at":"2025-02-01T00:00:00Z","source":["bbbb1111"],"tags":["food"]}
"#;

fn ids(found: &Value, list: &str) -> Vec<String> {
    let mut ids: Vec<String> =
        found[list].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn searches_and_exports_are_filtered() {
    let sandbox = Sandbox::holding(LINES);
    let search = |options: &[&str]| ids(&sandbox.json(&[&["search", "garlic beans"], options].concat()), "hits");
    assert_eq!(search(&["--speaker", "Maya"]), ["aaaa1111", "bbbb1111"]);
    assert_eq!(search(&["--speaker", "Maya", "--speaker", "Tomas", "--tag", "garden"]), ["aaaa1111"]);
    assert_eq!(search(&["--kind", "note"]), ["note-1"]);
    assert_eq!(search(&["--source", "bbbb1111"]), ["note-1"]);
    assert_eq!(search(&["--meta", "project=yard"]), ["aaaa1111"]);
    assert_eq!(search(&["--conversation", "Garden plans"]), ["aaaa1111", "aaaa2222"]);
    assert!(search(&["--tag", "') OR 1=1 --"]).is_empty());
    let hit = &sandbox.json(&["search", "garlic in October", "-k", "1"])["hits"][0];
    assert_eq!(hit["tags"][0], "garden");
    assert_eq!((&hit["meta"]["project"], &hit["title"]), (&"yard".into(), &"Garden plans".into()));
    assert_eq!((&hit["importance"], &hit["sensitive"]), (&0.5.into(), &false.into()));
    assert_eq!(sandbox.done(&["export", "--tag", "food"]).lines().count(), 1);
    let refused = finish(&mut sandbox.command(&["search", "x", "--meta", "yard"]));
    assert!(refused.code == 2 && refused.stderr.contains("expected KEY=VALUE"), "{refused:?}");
    assert_snapshot!(sandbox.refusal(&["forget", "aaaa1111", "--tag", "garden", "--yes"]), @"");
    assert_snapshot!(sandbox.refusal(&["forget", "--speaker", "maya", "--yes"]), @"");
    assert_eq!(sandbox.json(&["forget", "--speaker", "Maya", "--yes"])["forgotten"]["turns"], 2);
    assert_eq!(sandbox.done(&["export"]).lines().count(), 2);
}

#[test]
fn what_is_stored_is_listed() {
    let sandbox = Sandbox::holding(LINES);
    assert_snapshot!(sandbox.done(&["list"]), @"");
    assert_snapshot!(sandbox.done(&["list", "sessions", "--limit", "1"]), @"");
    assert_snapshot!(sandbox.done(&["list", "recent", "--limit", "2"]), @"");
    assert_snapshot!(sandbox.done(&["list", "sessions", "--tag", "garden", "--json"]), @"");
    let recent = sandbox.json(&["list", "recent", "--limit", "1"]);
    assert_eq!((ids(&recent, "recent"), &recent["total"]), (vec!["note-1".to_owned()], &4.into()));
    assert_snapshot!(sandbox.refusal(&["list", "--conversation", "chat-3"]), @"");
}

#[test]
fn ids_are_named_by_how_they_begin() {
    let sandbox = Sandbox::holding(LINES);
    assert_eq!(sandbox.json(&["show", "bbbb"])["memory"]["id"], "bbbb1111");
    assert_eq!(sandbox.json(&["why", "aaaa1", "--query", "garlic"])["id"], "aaaa1111");
    assert_snapshot!(sandbox.refusal(&["show", "aaaa"]), @"");
    assert_snapshot!(sandbox.refusal(&["show", "bbb"]), @"");
    assert_snapshot!(sandbox.refusal(&["forget", "bbbb"]), @"");
    let forgotten = finish(&mut sandbox.command(&["forget", "bbbb", "--yes"]));
    assert!(forgotten.stderr.contains("bbbb stands for bbbb1111"), "{forgotten:?}");
    assert_eq!((forgotten.code, finish(&mut sandbox.command(&["show", "bbbb1111"])).code), (0, 3));
}

#[test]
fn notes_and_labels_change() {
    let sandbox = Sandbox::holding(LINES);
    let updated =
        sandbox.json(&["update", "note-1", "--text", "Maya avoids chillies.", "--tag", "health", "--sensitive"]);
    assert_eq!(updated["changed"].to_string(), r#"["text","tags","sensitive"]"#);
    assert_eq!(
        (&updated["memory"]["text"], &updated["erasure"]),
        (&"Maya avoids chillies.".into(), &"complete".into())
    );
    let holds_old = sandbox.files().into_iter().any(|(path, bytes)| {
        path.to_string_lossy().contains("memory.db") && bytes.windows(17).any(|window| window == b"Maya likes garlic")
    });
    assert!(!holds_old, "the old text is in no file of the store");
    assert_eq!(ids(&sandbox.json(&["search", "chillies"]), "hits"), ["note-1"]);
    let turn =
        sandbox.json(&["update", "aaaa1", "--meta", "project=", "--meta", "bed=3", "--no-tags", "--importance", "1"]);
    assert_eq!(turn["changed"].to_string(), r#"["importance","tags","meta"]"#);
    assert_eq!(turn["memory"]["meta"].to_string(), r#"{"bed":"3"}"#);
    assert_eq!(sandbox.done(&["update", "aaaa1", "--no-tags"]), "aaaa1111 is so already\n");
    assert_snapshot!(sandbox.refusal(&["update", "aaaa1111", "--text", "other words"]), @"");
    assert_snapshot!(sandbox.refusal(&["update", "note-1", "--meta", "a=b"]), @"");
    assert_snapshot!(sandbox.refusal(&["update", "note-1"]), @"");
    assert_snapshot!(sandbox.refusal(&["add", "text", "--id", "x", "--upsert"]), @"");
    assert_eq!(sandbox.done(&["add", "Maya eats all.", "--note", "--id", "note-1", "--upsert"]), "updated note-1\n");
    assert_eq!(sandbox.json(&["add", "Maya eats all.", "--note", "--id", "note-1", "--upsert"])["unchanged"], 1);
}
