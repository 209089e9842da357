//! Exports as the vendors ship them, folders, patterns, bad files among good ones, and messages that were edited.

use std::io::{Cursor, Write};

use insta::assert_snapshot;
use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::sandbox::{self, Sandbox, finish};

/// A node of a ChatGPT conversation.
fn node(id: &str, role: &str, text: &str, parent: Value) -> Value {
    let content = json!({"content_type": "text", "parts": [text]});
    json!({"message": {"id": id, "author": {"role": role}, "content": content, "recipient": "all"}, "parent": parent})
}

/// A ChatGPT conversation of one question and one answer.
fn chat(id: &str, question: &str, answer: &str) -> Value {
    let (asked, answered) = (format!("{id}-u"), format!("{id}-a"));
    let mapping = json!({"u": node(&asked, "user", question, json!(null)), "a": node(&answered, "assistant", answer, json!("u"))});
    json!({"conversation_id": id, "title": format!("About {id}"), "mapping": mapping, "current_node": "a"})
}

fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An export in two pieces, with what else is in one.
fn export() -> Vec<u8> {
    let json = |value: Value| value.to_string().into_bytes();
    zip(&[
        ("user.json", json(json!({"id": "user-1", "email": "a@example.org"}))),
        ("conversations-000.json", json(json!([chat("kites", "Who has the red kite?", "Your sister.")]))),
        ("conversations-001.json", json(json!([chat("boats", "Did the boat sink?", "It did.")]))),
        ("chat.html", b"<html>".to_vec()),
        ("file_1.png", b"PNG".to_vec()),
        ("file_2.png", b"PNG".to_vec()),
    ])
}

#[test]
fn a_zip_is_imported_as_it_was_downloaded() {
    let sandbox = Sandbox::new();
    sandbox.write("export.zip", export());
    assert_snapshot!(sandbox.done(&["import", "export.zip"]), @r"
    export.zip/conversations-000.json: 1 conversation, 1 session; 2 added, 0 already there, 0 skipped (chatgpt)
    export.zip/conversations-001.json: 1 conversation, 1 session; 2 added, 0 already there, 0 skipped (chatgpt)
    left out: 1 other JSON file, 2 images, 1 web page
    2 files in all: 2 conversations; 4 added, 0 already there, 0 skipped
    ");
    let hit = &sandbox.json(&["search", "red kite", "-k", "1"])["hits"][0];
    assert_eq!((&hit["text"], &hit["title"]), (&json!("Who has the red kite?"), &json!("About kites")));
    let again = sandbox.json(&["import", "export.zip"]);
    assert_eq!((&again["added"], &again["unchanged"]), (&json!(0), &json!(4)));
    assert_eq!(again["left_out"], json!({"json_without_conversations": 1, "image": 2, "web_page": 1}));
}

#[test]
fn a_zip_comes_through_standard_input_too() {
    let sandbox = Sandbox::new();
    let said = sandbox::feed(&mut sandbox.command(&["import", "-"]), &export()).succeeded();
    assert!(said.starts_with("-/conversations-000.json: 1 conversation"), "{said}");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.json", json!([chat("kites", "Who has the red kite?", "Your sister.")]).to_string());
    sandbox.write("in/b.json", "[{\"mapping\": {]");
    sandbox.write("in/c.zip", export());
    sandbox.write("in/d.zip", zip(&[("inner.zip", zip(&[]))]));
    let outcome = finish(&mut sandbox.command(&["import", "in"]));
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert_snapshot!(outcome.stdout, @r"
    in/a.json: 1 conversation, 1 session; 2 added, 0 already there, 0 skipped (chatgpt)
    in/c.zip/conversations-000.json: 1 conversation, 1 session; 0 added, 2 already there, 0 skipped (chatgpt)
    in/c.zip/conversations-001.json: 1 conversation, 1 session; 2 added, 0 already there, 0 skipped (chatgpt)
    left out: 1 other JSON file, 2 images, 1 web page
    3 files in all: 2 conversations; 4 added, 2 already there, 0 skipped
    ");
    for said in [
        "not imported: in/b.json, line 1, column 15: broken JSON",
        "not imported: in/d.zip/inner.zip: found an archive in",
        "2 of 5 files could not be imported",
    ] {
        assert!(outcome.stderr.contains(said), "{said}: {}", outcome.stderr);
    }
    let outcome = finish(&mut sandbox.command(&["import", "in/*.json", "nope.json", "--json"]));
    assert_eq!(outcome.code, 6, "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let failed = report["failed"].as_array().unwrap();
    assert_eq!(failed.iter().map(|file| &file["file"]).collect::<Vec<_>>(), [&json!("in/b.json"), &json!("nope.json")]);
    assert_eq!(
        (&failed[0]["error"]["code"], &failed[1]["error"]["kind"]),
        (&json!("broken_json"), &json!("not_found"))
    );
    let error: Value = serde_json::from_str(outcome.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "some_files");
}

#[test]
fn an_edited_message_is_replaced_kept_or_refused() {
    let sandbox = Sandbox::new();
    let write =
        |question: &str| sandbox.write("chats.json", json!([chat("kites", question, "Your sister.")]).to_string());
    let text = |sandbox: &Sandbox| sandbox.json(&["show", "kites-u"])["memory"]["text"].clone();
    write("Who has the red kite?");
    sandbox.done(&["import", "chats.json"]);
    write("Who has the green kite?");
    assert_snapshot!(sandbox.refusal(&["import", "chats.json", "--on-conflict", "fail"]), @r#"4 invalid_input: file chats.json: id "kites-u" in conversation "kites": already stored with another text; give the new one another id, or forget the old one first, or import with --on-conflict newest or keep"#);
    assert_snapshot!(sandbox.done(&["import", "chats.json", "--on-conflict", "keep"]), @"chats.json: 1 conversation, 1 session; 0 added, 1 already there, 1 kept as stored, 0 skipped (chatgpt)");
    assert_eq!(text(&sandbox), "Who has the red kite?");
    assert_snapshot!(sandbox.done(&["import", "chats.json"]), @"chats.json: 1 conversation, 1 session; 0 added, 1 already there, 1 replaced, 0 skipped (chatgpt)");
    assert_eq!(text(&sandbox), "Who has the green kite?");
    assert_eq!(sandbox.json(&["search", "red"])["hits"], json!([]), "the old text is not found");
    let exported = sandbox.done(&["export"]);
    let ids: Vec<&str> = exported.lines().map(|line| if line.contains("kites-u") { "u" } else { "a" }).collect();
    assert_eq!(ids, ["u", "a"], "it stays where it was");
    // Nothing of the old text is left in any file.
    for (path, bytes) in sandbox.files() {
        assert!(path.ends_with("chats.json") || !bytes.windows(8).any(|bytes| bytes == b"red kite"), "{path:?}");
    }
}

/// A conversation in which a question was asked again in other words: both are in the export, one is shown.
fn asked_again(shown: &str) -> Value {
    let mut chat = chat("kites", "Who has the red kite?", "Your sister.");
    chat["mapping"]["u2"] = node("kites-u2", "user", "Who has the purple kite?", json!(null));
    chat["mapping"]["a2"] = node("kites-a2", "assistant", "Your brother.", json!("u2"));
    chat["current_node"] = json!(shown);
    chat
}

#[test]
fn a_branch_that_is_not_shown_any_more_is_taken_out() {
    let sandbox = Sandbox::new();
    let write = |shown: &str| sandbox.write("chats.json", json!([asked_again(shown)]).to_string());
    let ids = |sandbox: &Sandbox| -> Vec<String> {
        let exported = sandbox.done(&["export"]);
        let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|turn| turn["id"].as_str().unwrap().to_owned()).collect()
    };
    write("a");
    sandbox.done(&["import", "chats.json"]);
    assert_eq!(ids(&sandbox), ["kites-u", "kites-a"]);
    write("a2");
    for kept in ["keep", "fail"] {
        let both = Sandbox::new();
        both.write("old.json", json!([asked_again("a")]).to_string());
        both.write("new.json", json!([asked_again("a2")]).to_string());
        both.done(&["import", "old.json"]);
        assert_eq!(both.json(&["import", "new.json", "--on-conflict", kept])["removed"], 0);
        assert_eq!(ids(&both), ["kites-u", "kites-a", "kites-u2", "kites-a2"], "{kept}");
    }
    assert_snapshot!(sandbox.done(&["import", "chats.json"]), @r"
    chats.json: 1 conversation, 1 session; 2 added, 0 already there, 2 taken out with the branch they were on, 2 skipped (chatgpt)
      skipped 2: other branch; the first at conversation 1, node u
    ");
    assert_eq!(ids(&sandbox), ["kites-u2", "kites-a2"]);
    assert_eq!(sandbox.json(&["search", "red sister"])["hits"], json!([]), "the old branch is not found");
    for (path, bytes) in sandbox.files() {
        assert!(path.ends_with("chats.json") || !bytes.windows(8).any(|bytes| bytes == b"red kite"), "{path:?}");
    }
    let again = sandbox.json(&["import", "chats.json"]);
    assert_eq!((&again["added"], &again["removed"]), (&json!(0), &json!(0)));
}

#[test]
fn an_id_that_is_a_place_is_not_replaced_unasked() {
    let sandbox = Sandbox::new();
    for (folder, text) in [("one", "The kite is red."), ("two", "The boat is blue.")] {
        sandbox.write(&format!("{folder}/chat.json"), json!([{"role": "user", "content": text}]).to_string());
    }
    sandbox.done(&["import", "one/chat.json"]);
    let refused = sandbox.refusal(&["import", "two/chat.json"]);
    assert!(refused.starts_with("4 invalid_input: file two/chat.json: id \"session-1:1\""), "{refused}");
    let all = Sandbox::new();
    all.write("in/one/chat.json", json!([{"role": "user", "content": "The kite is red."}]).to_string());
    all.write("in/two/chat.json", json!([{"role": "user", "content": "The boat is blue."}]).to_string());
    assert_eq!(all.json(&["import", "in"])["added"], 2, "in a folder the path names the conversation");
}

/// Two days of a chat, as an iPhone writes them.
const CHAT: &str = "[06.07.24, 22:48:10] Handball: \u{200e}Messages and calls are end-to-end encrypted.\n\
    [06.07.24, 22:48:10] Ann: Training is at six.\n[07.07.24, 09:00:00] Bob: \u{200e}image omitted\n\
    [07.07.24, 09:01:00] Bob: The hall has a new floor.\n";

#[test]
fn a_chat_of_a_telephone_is_named_by_its_archive_or_folder() {
    let sandbox = Sandbox::new();
    let packed = zip(&[("_chat.txt", CHAT.into()), ("00000001-PHOTO.jpg", b"JPG".to_vec())]);
    sandbox.write("in/WhatsApp Chat - Handball.zip", packed);
    sandbox.write("in/lucia/_chat.txt", CHAT.replace("Ann", "Lucia"));
    sandbox.write("in/WhatsApp Chat mit Ann.txt", CHAT);
    sandbox.write("in/WhatsApp notes.txt", "nothing of the kind");
    assert_snapshot!(sandbox.done(&["import", "in"]), @r"
    in/WhatsApp Chat - Handball.zip/_chat.txt: 1 conversation, 2 sessions; 2 added, 0 already there, 2 skipped (whatsapp)
      skipped line 1: message of the program
      skipped line 3: only attachments
    in/WhatsApp Chat mit Ann.txt: 1 conversation, 2 sessions; 2 added, 0 already there, 2 skipped (whatsapp)
      skipped line 1: message of the program
      skipped line 3: only attachments
    in/lucia/_chat.txt: 1 conversation, 2 sessions; 2 added, 0 already there, 2 skipped (whatsapp)
      skipped line 1: message of the program
      skipped line 3: only attachments
    left out: 1 image, 1 document
    3 files in all: 3 conversations; 6 added, 0 already there, 6 skipped: 3 message of the program, 3 only attachments
    ");
    let names = |listed: serde_json::Value| -> Vec<String> {
        let all = listed["conversations"].as_array().unwrap().clone();
        all.iter().map(|one| one["conversation"].as_str().unwrap().to_owned()).collect()
    };
    let mut names = names(sandbox.json(&["list"]));
    names.sort();
    assert_eq!(names, ["WhatsApp Chat - Handball", "WhatsApp Chat mit Ann", "lucia"]);
    // Named itself, the file takes the name of its folder, too.
    let again = sandbox.json(&["import", "in/lucia/_chat.txt"]);
    assert_eq!((&again["added"], &again["unchanged"]), (&json!(0), &json!(2)));
    // The chat has grown, its beginning is cut off, and Bob has another name.
    let later = CHAT.lines().skip(3).collect::<Vec<_>>().join("\n").replace("Bob", "Robert");
    sandbox.write("in/lucia/_chat.txt", format!("{later}\n[08.07.24, 10:00:00] Lucia: Good.\n"));
    let grown = sandbox.json(&["import", "in/lucia/_chat.txt"]);
    assert_eq!((&grown["added"], &grown["replaced"]), (&json!(1), &json!(1)), "{grown}");
}

#[test]
fn times_of_a_chat_are_of_the_zone_that_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("chat.txt", CHAT);
    sandbox.done(&["import", "chat.txt", "--time-zone", "+02:00"]);
    let hits = sandbox.json(&["search", "training"]);
    assert_eq!(hits["hits"][0]["said_at"], "2024-07-06T20:48:10Z");
}

/// A Slack export of two channels: messages of people and programs, a join, a deletion and a picture.
fn workspace(deleted: bool) -> Vec<(&'static str, Vec<u8>)> {
    let json = |value: Value| value.to_string().into_bytes();
    let said = |ts: &str, user: &str, text: &str| json!({"type": "message", "user": user, "ts": ts, "text": text});
    let gone = json!({"type": "message", "subtype": "tombstone", "hidden": true, "ts": "1756800100.000100", "text": "This message was deleted."});
    let secret = if deleted { gone } else { said("1756800100.000100", "U2", "The door code is 4471.") };
    vec![
        (
            "ops/2025-09-02.json",
            json(json!([said("1756800000.000100", "U1", "The pager is with <@U2>, see <#C2>."), secret])),
        ),
        (
            "ops/2025-09-03.json",
            json(json!([
            {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1756886400.000100", "text": "<@U2> has joined the channel"},
            {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "PagerDuty", "ts": "1756886500.000100",
             "text": "", "attachments": [{"fallback": "Triggered: checkout is down"}]},
            {"type": "message", "user": "U2", "ts": "1756886600.000100", "thread_ts": "1756886500.000100", "text": "On it."}])),
        ),
        ("dev/2025-09-03.json", json(json!([said("1756886700.000100", "U1", "Index is in.")]))),
        (
            "users.json",
            json(json!([{"id": "U1", "name": "priya", "profile": {"real_name": "Priya Raman"}},
            {"id": "U2", "name": "tom", "profile": {"display_name": "Tom"}}])),
        ),
        ("channels.json", json(json!([{"id": "C1", "name": "ops"}, {"id": "C2", "name": "dev"}]))),
        ("integration_logs.json", b"[]".to_vec()),
    ]
}

/// A day of a channel was a conversation of its own where its folder was imported alone, so that what the whole export had
/// came in twice; mentions and most speakers were ids, and posts of programs were left out.
#[test]
fn a_workspace_of_slack_is_the_same_whole_and_by_its_channels() {
    let sandbox = Sandbox::new();
    for (name, bytes) in workspace(false) {
        sandbox.write(&format!("halden/{name}"), bytes);
    }
    sandbox.write("halden.zip", zip(&workspace(false)));
    assert_snapshot!(sandbox.done(&["import", "halden.zip"]), @r"
    halden.zip/ops/2025-09-02.json: 1 conversation, 1 session; 2 added, 0 already there, 0 skipped (slack)
    halden.zip/ops/2025-09-03.json: 1 conversation, 1 session; 2 added, 0 already there, 1 skipped (slack)
      skipped message 1: channel_join
    halden.zip/dev/2025-09-03.json: 1 conversation, 1 session; 1 added, 0 already there, 0 skipped (slack)
    left out: 1 other JSON file
    3 files in all: 2 conversations; 5 added, 0 already there, 1 skipped: 1 channel_join
    ");
    for (path, there) in [("halden", 5), ("halden/ops", 4), ("halden/ops/2025-09-03.json", 2)] {
        let again = sandbox.json(&["import", path]);
        assert_eq!(
            (&again["added"], &again["unchanged"], &again["replaced"]),
            (&json!(0), &json!(there), &json!(0)),
            "{path}"
        );
    }
    // As a shell expands `halden/*`, the lists of names among it.
    let named = ["import", "halden/channels.json", "halden/dev", "halden/integration_logs.json", "halden/users.json"];
    assert_snapshot!(sandbox.done(&named), @"
    halden/dev/2025-09-03.json: 1 conversation, 1 session; 0 added, 1 already there, 0 skipped (slack)
    left out: 1 other JSON file
    ");
    for name in ["slack:ops", "#ops", "ops"] {
        let turns = sandbox.json(&["show", "--conversation", name]);
        assert!(turns.to_string().contains("The pager is with @Tom, see #dev."), "{name}: {turns}");
    }
    let exported = sandbox.done(&["export"]);
    let speakers: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["speaker"].clone()).collect();
    assert_eq!(speakers, ["Priya Raman", "Tom", "PagerDuty", "Tom", "Priya Raman"]);
    // One name made one conversation of all channels, in which messages of one moment took each other's place.
    let refused = finish(&mut sandbox.command(&["import", "halden.zip", "-c", "all"]));
    let expected = "--conversation all: nothing in file halden.zip/ops/2025-09-02.json takes it";
    assert!(refused.code == 2 && refused.stderr.contains(expected), "{refused:?}");
    // What was deleted since is taken out, as what was edited is replaced.
    sandbox.write("later.zip", zip(&workspace(true)));
    let later = sandbox.done(&["import", "later.zip"]);
    assert!(later.starts_with("later.zip/ops/2025-09-02.json: 1 conversation, 1 session; 0 added, 1 already there, 1 taken out as deleted there, 1 skipped (slack)"), "{later}");
    assert!(!sandbox.done(&["export"]).contains("4471"), "the deleted message is not stored");
}
