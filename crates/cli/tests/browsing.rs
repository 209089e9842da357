//! Looking around and changing what is stored, as a program does it.

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::{Sandbox, finish};

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
    assert_snapshot!(sandbox.refusal(&["forget", "aaaa1111", "--tag", "garden", "--yes"]), @"2 usage: --tag: an id goes with --conversation only; leave --tag out");
    let forgotten = finish(&mut sandbox.command(&["forget", "--speaker", "maya", "--yes", "--json"]));
    assert!(forgotten.stderr.contains("maya stands for Maya"), "{forgotten:?}");
    let forgotten: Value = serde_json::from_str(&forgotten.succeeded()).unwrap();
    assert_eq!(forgotten["forgotten"]["turns"], 2);
    assert_eq!(sandbox.done(&["export"]).lines().count(), 2);
}

/// `search --speaker X` said "no hits" and ended with 0 where nobody is called so; `list`, `forget` and `export` ended with 3.
#[test]
fn a_speaker_who_is_not_there_is_told_by_every_command_alike() {
    let sandbox = Sandbox::holding(LINES);
    let expected = sandbox.refusal(&["search", "garlic", "--speaker", "Mya"]);
    assert_snapshot!(expected, @r#"3 not_found: speaker "Mya": nobody is called so in namespace "default"; there are: "Maya", "Tomas"; `aforesaid list speakers` shows them"#);
    for args in [
        &["list"][..],
        &["list", "recent"],
        &["list", "speakers"],
        &["export"],
        &["forget", "--yes"],
        &["why", "aaaa1111", "-q", "garlic"],
        &["ask", "garlic", "--context"],
        &["cues", "list"],
    ] {
        assert_eq!(sandbox.refusal(&[args, &["--speaker", "Mya"]].concat()), expected, "{args:?}");
    }
}

#[test]
fn a_speaker_goes_by_the_name_in_any_case_and_by_its_first_words() {
    let said = |id: &str, speaker: &str| {
        format!(r#"{{"id":"{id}","conversation":"c","session":"s","speaker":"{speaker}","text":"garlic"}}"#) + "\n"
    };
    let lines = [("t1", "Priya Raman"), ("t2", "Priyanka"), ("t3", "Bo Berg"), ("t4", "Bo Lund")];
    let sandbox = Sandbox::holding(&lines.map(|(id, speaker)| said(id, speaker)).concat());
    for name in ["priya", "Priya", "PRIYA RAMAN"] {
        assert_eq!(ids(&sandbox.json(&["search", "garlic", "--speaker", name]), "hits"), ["t1"], "{name}");
        assert_eq!(ids(&sandbox.json(&["list", "recent", "--speaker", name]), "recent"), ["t1"], "{name}");
        assert_eq!(sandbox.done(&["export", "--speaker", name]).lines().count(), 1, "{name}");
    }
    assert_snapshot!(sandbox.refusal(&["search", "garlic", "--speaker", "bo"]), @r#"4 invalid_input: speaker "bo": may be any of 2 ("Bo Lund", "Bo Berg"); give the whole name as it is written"#);
    // What is deleted is named whole: whoever forgets Priya twice does not forget Priya Raman.
    let refusal = sandbox.refusal(&["forget", "--speaker", "priya", "--yes"]);
    assert!(refusal.starts_with(r#"3 not_found: speaker "priya": nobody is called so"#), "{refusal}");
    assert!(refusal.contains(r#""Priya Raman""#), "{refusal}");
    let forgotten = finish(&mut sandbox.command(&["forget", "--speaker", "priya raman", "--yes"]));
    assert!(forgotten.code == 0 && forgotten.stderr.contains("priya raman stands for Priya Raman"), "{forgotten:?}");
    assert_eq!(sandbox.done(&["export"]).lines().count(), 3);
}

#[test]
fn speakers_are_listed() {
    let sandbox = Sandbox::holding(LINES);
    assert_snapshot!(sandbox.done(&["list", "speakers"]), @"
    Maya  2 turns  2024-10-01 to 2025-01-05
    Tomas  1 turn  2024-10-01
    ");
    assert_snapshot!(sandbox.done(&["list", "speakers", "--limit", "1"]), @"
    Maya  2 turns  2024-10-01 to 2025-01-05
    1 of 2 speakers; --limit shows more
    ");
    assert_snapshot!(sandbox.done(&["list", "speakers", "-c", "chat-2", "--json"]), @r#"{"namespace":"default","speakers":[{"speaker":"Maya","turns":1,"first":"2025-01-05T18:00:00Z","last":"2025-01-05T18:00:00Z"}],"total":1}"#);
    assert!(sandbox.refusal(&["list", "speakers", "-c", "chat-9"]).starts_with("3 not_found: conversation"));
}

#[test]
fn several_memories_are_forgotten_at_once_or_none() {
    let sandbox = Sandbox::holding(LINES);
    let wrong = ["forget", "aaaa1111", "nothere", "note-1", "--yes"];
    assert_snapshot!(sandbox.refusal(&wrong), @r#"3 not_found: id "nothere": no such turn or note in namespace "default"; `aforesaid search` prints ids"#);
    assert_snapshot!(sandbox.refusal(&["forget", "aaaa1", "note-1"]), @r#"2 usage: this would forget "aaaa1111", "note-1" for good, and there is nobody to ask; add --yes"#);
    assert_snapshot!(sandbox.refusal(&["forget", "aaaa1111", "note-1"]), @"2 usage: this would forget 2 memories for good, and there is nobody to ask; add --yes");
    let forgotten = sandbox.json(&["forget", "aaaa1111", "note-1", "aaaa1", "--yes"]);
    assert_eq!((&forgotten["forgotten"]["turns"], &forgotten["forgotten"]["notes"]), (&1.into(), &1.into()));
    assert_eq!(sandbox.done(&["export"]).lines().count(), 2);
}

#[test]
fn what_is_stored_is_listed() {
    let sandbox = Sandbox::holding(LINES);
    assert_snapshot!(sandbox.done(&["list"]), @"
    (no conversation)  1 note  2025-02-01
    chat-2  1 session, 1 turn  2025-01-05
    chat-1  Garden plans  1 session, 2 turns  2024-10-01
    ");
    assert_snapshot!(sandbox.done(&["list", "sessions", "--limit", "1"]), @"
    chat-2 / s1  1 turn  2025-01-05 18:00
    1 of 2 sessions; --limit shows more
    ");
    assert_snapshot!(sandbox.done(&["list", "recent", "--limit", "2"]), @"
    note-1  2025-02-01 00:00   Maya likes garlic.
    bbbb1111  2025-01-05 18:00   Maya: The garlic soup was good.
    2 of 4 memories; --limit shows more
    ");
    assert_snapshot!(sandbox.done(&["list", "sessions", "--tag", "garden", "--json"]), @r#"{"namespace":"default","sessions":[{"conversation":"chat-1","session":"s1","title":"Garden plans","turns":1,"first":"2024-10-01T09:00:00Z","last":"2024-10-01T09:00:00Z"}],"total":1}"#);
    let recent = sandbox.json(&["list", "recent", "--limit", "1"]);
    assert_eq!((ids(&recent, "recent"), &recent["total"]), (vec!["note-1".to_owned()], &4.into()));
    assert_snapshot!(sandbox.refusal(&["list", "--conversation", "chat-3"]), @r#"3 not_found: conversation "chat-3": nothing in namespace "default" matches; `aforesaid list` shows conversations, `aforesaid export` all names"#);
}

#[test]
fn ids_are_named_by_how_they_begin() {
    let sandbox = Sandbox::holding(LINES);
    assert_eq!(sandbox.json(&["show", "bbbb"])["memory"]["id"], "bbbb1111");
    assert_eq!(sandbox.json(&["why", "aaaa1", "--query", "garlic"])["id"], "aaaa1111");
    assert_snapshot!(sandbox.refusal(&["show", "aaaa"]), @r#"4 invalid_input: id "aaaa": several ids begin so ("aaaa1111" in "chat-1", "aaaa2222" in "chat-1"); give more of it"#);
    assert_snapshot!(sandbox.refusal(&["show", "bbb"]), @r#"3 not_found: id "bbb": no such turn or note in namespace "default"; the beginning of an id has at least 4 characters; `aforesaid search` prints ids"#);
    assert_snapshot!(sandbox.refusal(&["show", "2024-10-01"]), @r#"3 not_found: id "2024-10-01": no such turn or note in namespace "default"; `aforesaid list recent --from 2024-10-01 --to 2024-10-01` shows what was said then, with ids"#);
    assert_eq!(ids(&sandbox.json(&["search", "garlic", "--before", "bbbb"]), "hits"), ["aaaa1111", "aaaa2222"]);
    assert_eq!(ids(&sandbox.json(&["search", "garlic", "--source", "bbbb"]), "hits"), ["note-1"]);
    let why = sandbox.json(&["why", "bbbb", "-q", "garlic", "--before", "bbbb"]);
    assert!(why["summary"].as_str().unwrap().starts_with("not searched"), "{why}");
    assert_snapshot!(sandbox.refusal(&["forget", "bbbb"]), @r#"2 usage: this would forget "bbbb1111" for good, and there is nobody to ask; add --yes"#);
    let forgotten = finish(&mut sandbox.command(&["forget", "bbbb", "--yes"]));
    assert!(forgotten.stderr.contains("bbbb stands for bbbb1111"), "{forgotten:?}");
    assert_eq!((forgotten.code, finish(&mut sandbox.command(&["show", "bbbb1111"])).code), (0, 3));
}

#[test]
fn a_conversation_is_shown_as_it_was_said() {
    let more = r#"{"id":"aaaa3333","conversation":"chat-1","session":"s2","speaker":"Tomas","text":"It sprouts.","said_at":"2024-11-01T09:01:00Z"}"#;
    let sandbox = Sandbox::holding(&format!("{LINES}{more}\n"));
    assert_snapshot!(sandbox.done(&["show", "--conversation", "garden PLANS"]), @"
    Garden plans · chat-1 / s1
    aaaa1111  2024-10-01 09:00  Maya
    tags garden · project=yard
     │ Plant the garlic in October.
    aaaa2222  2024-10-01 09:01  Tomas
     │ And the beans?

    chat-1 / s2
    aaaa3333  2024-11-01 09:01  Tomas
     │ It sprouts.
    ");
    assert_eq!(
        sandbox.done(&["show", "--session", "s2"]),
        "chat-1 / s2\naaaa3333  2024-11-01 09:01  Tomas\n \u{2502} It sprouts.\n"
    );
    assert_eq!(
        sandbox.done(&["show", "chat-1"]),
        sandbox.done(&["show", "--conversation", "chat-1"]),
        "as `list` names it"
    );
    let read = sandbox.json(&["show", "-c", "chat-1", "-s", "s1"]);
    assert_eq!(ids(&read, "memories"), ["aaaa1111", "aaaa2222"]);
    assert_snapshot!(sandbox.refusal(&["show", "-c", "chat-9"]), @r#"3 not_found: conversation "chat-9": nothing in namespace "default" matches; `aforesaid list` shows conversations, `aforesaid export` all names"#);
    assert!(sandbox.refusal(&["show", "--session", "s1"]).contains("2 conversations"));
    let forgotten = finish(&mut sandbox.command(&["forget", "-c", "GARDEN plans", "-s", "s2", "--yes"]));
    assert!(forgotten.code == 0 && forgotten.stderr.contains("GARDEN plans stands for chat-1"), "{forgotten:?}");
    assert_eq!(ids(&sandbox.json(&["show", "-c", "chat-1"]), "memories"), ["aaaa1111", "aaaa2222"]);
    for (args, named) in [(&["show"][..], "<ID|--conversation"), (&["show", "-c", "chat-1", "-C", "2"], "<ID>")] {
        let refused = finish(&mut sandbox.command(args));
        assert!(refused.code == 2 && refused.stderr.contains(named), "{refused:?}");
    }
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
    let more = sandbox.json(&["update", "aaaa1", "--add-tag", "oven", "--add-tag", "shop", "--add-tag", "oven"]);
    assert_eq!(more["memory"]["tags"].to_string(), r#"["oven","shop"]"#);
    let changed =
        sandbox.json(&["update", "aaaa1", "--remove-tag", "oven", "--remove-tag", "none", "--add-tag", "bed"]);
    assert_eq!(changed["memory"]["tags"].to_string(), r#"["shop","bed"]"#);
    let shown = sandbox.done(&["show", "aaaa1"]);
    assert!(shown.contains("tags shop, bed \u{b7} importance 1 \u{b7} bed=3\n"), "{shown}");
    assert_snapshot!(sandbox.refusal(&["update", "aaaa1111", "--text", "other words"]), @r#"4 invalid_input: turn "aaaa1111": what was said, and when, is not changed; forget the turn, or add a note that says what is right"#);
    assert_snapshot!(sandbox.refusal(&["update", "note-1", "--meta", "a=b"]), @r#"4 invalid_input: note "note-1": a note has no metadata; give it a tag, or put it in the text"#);
    assert_snapshot!(sandbox.refusal(&["update", "note-1"]), @"2 usage: nothing to change was named; give --text, --importance, --tag, --add-tag, --remove-tag, --no-tags, --sensitive, --not-sensitive or --meta");
    assert_snapshot!(sandbox.refusal(&["add", "text", "--id", "x", "--upsert"]), @"2 usage: --upsert: what was said is not replaced, only a note is; add --note; leave --upsert out");
    assert_eq!(sandbox.done(&["add", "Maya eats all.", "--note", "--id", "note-1", "--upsert"]), "updated note-1\n");
    assert_eq!(sandbox.json(&["add", "Maya eats all.", "--note", "--id", "note-1", "--upsert"])["unchanged"], 1);
}

/// What was printed of an id told it from the others on the page alone, and `show` said that several begin so.
#[test]
fn the_beginning_of_an_id_that_is_printed_stands_for_it_alone() {
    let sandbox = Sandbox::new();
    let turn = |id: &str, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"conversation\":\"WhatsApp\",\"session\":\"s\",\"speaker\":\"Ann\",\"text\":\"{text}\"}}\n"
        )
    };
    let (one, other) = ("019ada5b-1000-4000-8000-000000000001", "019ada5b-2000-4000-8000-000000000002");
    sandbox.write("turns.jsonl", turn(one, "The red kite flew.") + &turn(other, "The sea is cold."));
    sandbox.done(&["import", "turns.jsonl"]);
    let found = sandbox.done(&["search", "kite", "-k", "1"]);
    assert!(found.contains("019ada5b-1\n") && !found.contains(one), "{found}");
    assert!(sandbox.done(&["show", "019ada5b-1"]).contains("red kite"));
    let shown = sandbox.done(&["show", one, "-C", "0"]);
    assert!(shown.contains("019ada5b-1") && !shown.contains(one), "{shown}");
    assert!(sandbox.done(&["search", "kite", "--full"]).contains(one));
    // The beginning of a conversation's name in any case, as its whole name.
    assert!(sandbox.done(&["search", "kite", "--conversation", "whats"]).contains("red kite"));
    // A note is drawn from the turn that the beginning stands for.
    sandbox.done(&["add", "Ann has a kite.", "--note", "--id", "n", "--source", "019ada5b-1"]);
    assert_eq!(sandbox.json(&["show", "n"])["memory"]["source"], serde_json::json!([one]));
    let unknown = finish(&mut sandbox.command(&["add", "So it is.", "--note", "--source", "nothing"]));
    assert!(unknown.code == 0 && unknown.stderr.contains("nothing has the id nothing"), "{unknown:?}");
}
