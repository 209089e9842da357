//! Slack exports: names, posts of programs, edits and deletions, and which conversation a file belongs to.

use std::sync::Arc;

use super::super::{Surroundings, Workspace, parse_among};
use super::*;

fn workspace() -> Arc<Workspace> {
    let mut workspace = Workspace::default();
    let users = r#"[{"id": "U1", "name": "priya", "profile": {"display_name": "Priya", "real_name": "Priya Raman"}},
        {"id": "U2", "name": "tom", "profile": {"real_name": "Tom Becker"}},
        {"id": "U3", "name": "github", "is_bot": true, "profile": {"real_name": "GitHub", "bot_id": "B3"}}]"#;
    workspace.add("users.json", users).unwrap();
    workspace.add("channels.json", r#"[{"id": "C1", "name": "ops"}]"#).unwrap();
    workspace.add("dms.json", r#"[{"id": "D1", "members": ["U1", "U2"]}]"#).unwrap();
    Arc::new(workspace)
}

fn read_at(stem: &str, folder: Option<&str>, named: bool, messages: &str) -> Result<Parsed, FormatError> {
    let around = Surroundings { folder: folder.map(str::to_owned), workspace: named.then(workspace) };
    let source = Source { file: "day.json", stem, ..source() };
    parse_among(Format::Slack, messages.as_bytes(), &source, &around)
}

/// The turns of messages as `speaker: text`, and why others are none.
fn said(messages: &str) -> (Vec<String>, Vec<String>) {
    let parsed = read_at("ops/2025-09-02", None, true, messages).unwrap();
    let line = |draft: &Draft| match draft {
        Draft::Turn(turn) => format!("{}: {}", turn.speaker, turn.text),
        Draft::Note(note) => note.text.clone(),
    };
    (parsed.drafts.iter().map(line).collect(), parsed.skipped.iter().map(|skipped| skipped.why.to_string()).collect())
}

#[test]
fn one_person_has_one_name() {
    let messages = r#"[{"ts": "1.1", "user": "U1", "text": "Thanks <@U2>", "user_profile": {"real_name": "P. Raman"}},
        {"ts": "2.1", "user": "U1", "text": "<!here> see <#C1>"}, {"ts": "3.1", "user": "U9", "text": "I am <@U9>"},
        {"ts": "4.1", "user": "U9", "text": "x", "user_profile": {"display_name": "Guest"}}, {"ts": "5.1", "text": "y"}]"#;
    let (turns, _) = said(messages);
    assert_eq!(
        turns,
        ["Priya: Thanks @Tom Becker", "Priya: @here see #ops", "Guest: I am @Guest", "Guest: x", "unknown: y"]
    );
}

#[test]
fn posts_of_programs_are_turns() {
    let messages = r##"[
        {"ts": "1.1", "subtype": "bot_message", "bot_id": "B1", "username": "PagerDuty", "text": "Triggered: INC-214"},
        {"ts": "2.1", "bot_id": "B3", "text": "", "attachments": [{"title": "#7", "title_link": "https://g.test/7", "text": "merged"}]},
        {"ts": "3.1", "bot_id": "B5", "bot_profile": {"name": "Deploy"}, "user": "U7",
         "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*4.2* is out"}}]},
        {"ts": "4.1", "subtype": "bot_message", "bot_id": "B6", "text": ""}, {"ts": "5.1", "bot_id": "B6", "text": "up"}]"##;
    let (turns, skipped) = said(messages);
    assert_eq!(
        turns,
        ["PagerDuty: Triggered: INC-214", "GitHub: #7 (https://g.test/7)\nmerged", "Deploy: *4.2* is out", "B6: up"]
    );
    assert_eq!(skipped, ["empty text"]);
}

#[test]
fn an_edited_message_has_its_latest_text_and_a_deleted_one_none() {
    let messages = r#"[{"ts": "1.1", "user": "U1", "text": "at ten"}, {"ts": "2.1", "user": "U1", "text": "gone"},
        {"ts": "3.1", "subtype": "message_changed", "hidden": true, "message": {"ts": "1.1", "user": "U1", "text": "at nine"}},
        {"ts": "4.1", "subtype": "message_changed", "message": {"ts": "1.1", "user": "U1", "text": "at eight", "edited": {}}},
        {"ts": "5.1", "subtype": "message_deleted", "hidden": true, "deleted_ts": "2.1"},
        {"ts": "6.1", "subtype": "tombstone", "hidden": true, "user": "USLACKBOT", "text": "This message was deleted."},
        {"ts": "7.1", "hidden": true, "user": "U1", "text": "hidden"},
        {"ts": "8.1", "subtype": "message_changed", "message": {"ts": "0.1", "user": "U2", "text": "of the day before"}},
        {"ts": "9.1", "subtype": "channel_leave", "user": "U2", "text": "left"},
        {"ts": "9.2", "subtype": "message_changed"}, {"ts": "9.3", "subtype": "message_deleted"}]"#;
    let (turns, skipped) = said(messages);
    assert_eq!(turns, ["Priya: at eight", "Tom Becker: of the day before"]);
    let (changed, deleted) = ("message_changed", "deleted message");
    let expected = [deleted, changed, changed, deleted, deleted, "hidden message", "channel_leave", changed, deleted];
    assert_eq!(skipped, expected);
    let parsed = read_at("ops/2025-09-02", None, true, messages).unwrap();
    let left: Vec<_> = parsed.left.iter().map(|left| left.id.to_string()).collect();
    assert_eq!(left, ["2.1", "2.1", "6.1"], "an earlier import may have stored them");
}

#[test]
fn a_file_belongs_to_the_channel_that_its_folder_is() {
    let message = r#"[{"ts": "1756800000.1", "user": "U1", "text": "hi", "thread_ts": "1756700000.1"}]"#;
    let turn = |stem: &str, folder: Option<&str>| match read_at(stem, folder, true, message).unwrap().drafts.remove(0) {
        Draft::Turn(turn) => format!("{}/{} {}", turn.conversation, turn.session, turn.title.unwrap_or_default()),
        Draft::Note(note) => note.text,
    };
    for (stem, folder) in [("ops/2025-09-02", None), ("2025-09-02", Some("ops")), ("a/ops/2025-09-02", Some("x"))] {
        assert_eq!(turn(stem, folder), "slack:ops/2025-09-02 #ops");
    }
    assert_eq!(turn("2025-09-02", Some("D1")), "slack:D1/2025-09-02 Priya, Tom Becker");
    // A file of many days is the channel itself, and each of its days a session.
    assert_eq!(turn("export/ops", Some("export")), "slack:ops/2025-09-02 ");
    assert_eq!(turn("2025-09-02", None), "slack:2025-09-02/2025-09-02 ");
    let parsed = read_at("2025-09-02", Some("ops"), true, message).unwrap();
    let Draft::Turn(turn) = &parsed.drafts[0] else { unreachable!() };
    assert_eq!(turn.meta.as_ref().unwrap()["reply_to"], "1756700000.1");
}

#[test]
fn what_slack_does_not_write_is_an_error_or_left_out() {
    for (messages, expected) in [
        ("[7]", "message 1: the message is the number 7; expected an object"),
        (r#"[{"user": "U1", "text": "hi"}]"#, "message 1: there is no field \"ts\""),
        (r#"[{"ts": "1.1", "text": 3}]"#, "message 1: field \"text\" is the number 3; expected a string"),
        (r#"[{"ts": {}, "text": "hi"}]"#, "message 1: field \"ts\" is an empty object"),
        (r#"[{"ts": "1.1", "text": "hi"}"#, "broken JSON"),
    ] {
        let message = read_at("ops/2025-09-02", None, false, messages).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let message = read_at("ops", None, false, r#"[{"ts": "noon", "text": "hi"}]"#).unwrap_err().to_string();
    assert!(message.contains("field \"ts\" is the string \"noon\"; expected seconds since 1970"), "{message}");
}
