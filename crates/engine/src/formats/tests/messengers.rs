//! Chats of messengers and transcripts, as people tell them.

use super::super::{Captions, Format, Parsed, Source, detect, parse};
use aforesaid_core::types::Draft;

/// Turns as `conversation/session id time speaker: text`, and why what was left out.
fn told(stem: &str, file: &str, text: &str, format: Format) -> (Vec<String>, Vec<String>) {
    let source = Source { file, stem, conversation: None, captions: Captions::Keep, zone: None };
    assert_eq!(detect(text.as_bytes(), file).unwrap(), format);
    lines(&parse(format, text.as_bytes(), &source).unwrap())
}

fn lines(parsed: &Parsed) -> (Vec<String>, Vec<String>) {
    let line = |draft: &Draft| match draft {
        Draft::Turn(turn) => {
            let at = turn.said_at.map(|at| at.to_string()).unwrap_or_default();
            let id = turn.id.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{}/{} {id} {at} {}: {}", turn.conversation, turn.session, turn.speaker, turn.text)
        }
        Draft::Note(note) => note.text.clone(),
    };
    let skipped = parsed.skipped.iter().map(|skipped| skipped.why.to_string()).collect();
    (parsed.drafts.iter().map(line).collect(), skipped)
}

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../../../fuzz-targets/corpus/", $name))
    };
}

#[test]
fn a_day_of_a_slack_channel() {
    let text = corpus!("import_slack/2024-12-31.json");
    let (turns, skipped) = told("export/general/2024-12-31", "2024-12-31.json", text, Format::Slack);
    let expected = [
        "slack:general/2024-12-31 1735600001.000200 2024-12-30T23:06:41Z Ann Kite: The reel & the tail (https://kites.test/tail) jam.",
        "slack:general/2024-12-31 1735600002.000300 2024-12-30T23:06:42Z U2: Oil it.",
    ];
    assert_eq!(turns, expected);
    assert_eq!(skipped, ["channel_join", "only attachments"]);
}

#[test]
fn a_chat_of_telegram() {
    let (turns, skipped) = told("result", "result.json", corpus!("import_telegram/result.json"), Format::Telegram);
    let expected = [
        "telegram:4711/session-1 2 2024-12-31T10:01:00Z Ann: The reel jams.",
        "telegram:4711/session-2 3 2025-01-01T10:01:00Z Bob: Oil it.",
    ];
    assert_eq!(turns, expected);
    assert_eq!(skipped, ["service", "only attachments"]);
}

#[test]
fn a_channel_of_discord() {
    let (turns, skipped) = told("channel", "channel.json", corpus!("import_discord/channel.json"), Format::Discord);
    let expected = [
        "discord:99/session-1 11 2024-12-31T09:01:00.123Z Ann: The reel jams.",
        "discord:99/session-1 12 2024-12-31T09:02:00Z bob: Oil it.",
    ];
    assert_eq!(turns, expected);
    assert_eq!(skipped, ["GuildMemberJoin", "only attachments"]);
}

/// The turns of a chat, without the hashes of their ids.
fn chat(text: &str) -> Vec<String> {
    let (turns, _) = told("chat", "chat.txt", text, Format::WhatsApp);
    let without_hash = |turn: &String| {
        let (before, said) = turn.split_once("Z ").unwrap();
        let (before, at) = before.rsplit_once(' ').unwrap();
        format!("{} {at}Z {said}", before.rsplit_once(':').unwrap().0)
    };
    turns.iter().map(without_hash).collect()
}

fn ids(text: &str) -> Vec<String> {
    let (turns, _) = told("chat", "chat.txt", text, Format::WhatsApp);
    turns.iter().map(|turn| turn.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn a_chat_of_whatsapp_in_both_forms() {
    let iphone = corpus!("import_whatsapp/chat.txt");
    let expected = [
        "chat/2024-12-31 2024-12-31 2024-12-31T23:59:58Z Ann: The reel jams.\nIt is cold.",
        "chat/2025-01-01 2025-01-01 2025-01-01T09:00:00Z Bob: Oil it: now.",
    ];
    assert_eq!(chat(iphone), expected);
    let (_, skipped) = told("chat", "chat.txt", iphone, Format::WhatsApp);
    assert_eq!(skipped, ["message of the program", "message of the program", "only attachments"]);
    let android = chat(corpus!("import_whatsapp/android.txt"));
    assert_eq!(android, ["chat/2025-01-01 2025-01-01 2025-01-01T00:05:00Z Ann: Happy new year!"]);
}

/// Ids were places: a chat whose beginning was cut off came in twice, and one that lacked a message in the middle was refused.
#[test]
fn a_message_of_whatsapp_is_the_same_wherever_it_stands() {
    let lines = [
        "01.12.24, 10:00 - Ann: Hi",
        "01.12.24, 10:00 - Ann: Hi",
        "01.12.24, 10:01 - Bob: Yes?",
        "02.12.24, 9:00 - Ann: The reel.",
    ];
    let all = ids(&lines.join("\n"));
    assert!(all[0] != all[1] && all[1].ends_with("-2"), "{all:?}");
    assert_eq!(ids(&lines[2..].join("\n")), all[2..]);
    assert_eq!(ids(&[lines[0], lines[1], lines[3]].join("\n")), [&all[0], &all[1], &all[3]].map(String::clone));
    assert_eq!(ids(&lines.join("\n").replace("Ann:", "Ann K.:")), all, "somebody has another name now");
}

#[test]
fn a_chat_of_whatsapp_has_the_clock_of_its_telephone() {
    let zone: aforesaid_core::types::Zone = "+02:00".parse().unwrap();
    let source = Source { file: "c.txt", stem: "c", conversation: None, captions: Captions::Keep, zone: Some(&zone) };
    let parsed =
        parse(Format::WhatsApp, b"06.07.24, 22:48 - Ann: Late.\n06.12.24, 22:48 - Ann: Later.", &source).unwrap();
    let at = |place: usize| match &parsed.drafts[place] {
        Draft::Turn(turn) => (turn.session.to_string(), turn.said_at.unwrap().to_string()),
        Draft::Note(_) => unreachable!(),
    };
    assert_eq!(at(0), ("2024-07-06".to_owned(), "2024-07-06T20:48:00Z".to_owned()));
    assert_eq!(at(1), ("2024-12-06".to_owned(), "2024-12-06T20:48:00Z".to_owned()));
}

#[test]
fn transcripts_in_both_forms() {
    let (turns, _) = told("talk", "talk.vtt", corpus!("import_subtitles/talk.vtt"), Format::Subtitles);
    let expected = ["talk/session-1 session-1:1  Ann: The reel jams.", "talk/session-1 session-1:2  Bob: Oil it."];
    assert_eq!(turns, expected);
    let (turns, _) = told("talk", "talk.srt", corpus!("import_subtitles/talk.srt"), Format::Subtitles);
    assert_eq!(turns, ["talk/session-1 session-1:1  Ann: The reel jams. In the cold."]);
}

#[test]
fn a_mailbox_with_its_threads() {
    let bytes = include_bytes!("../../../../fuzz-targets/corpus/import_mbox/reel.mbox");
    assert_eq!(detect(bytes, "reel.mbox").unwrap(), Format::Mbox);
    let source = Source { file: "reel.mbox", stem: "reel", conversation: None, captions: Captions::Keep, zone: None };
    let parsed = parse(Format::Mbox, bytes, &source).unwrap();
    let (turns, skipped) = lines(&parsed);
    let expected = [
        "reel/reel-1@example.org reel-1@example.org 2024-01-01T10:00:00Z Ann König: Die Winde klemmt bei Kälte, und das ist eine \
         lange Zeile, die umbrochen wird.\n\nFrom the start, it did.",
        // What it quotes is left out.
        "reel/reel-1@example.org reel-2@example.org 2024-01-02T09:30:00Z bob@example.org: Öl sie.",
        // It names no message, but its subject does.
        "reel/reel-1@example.org reel-3@example.org 2024-01-03T08:00:00Z Ann K.: Thanks.\nFrom now on it turns.",
    ];
    assert_eq!(turns[..3], expected);
    assert!(turns[3].starts_with("reel/mail-") && turns[3].ends_with("The list: Only a page, at 5€."), "{turns:?}");
    assert_eq!(turns.len(), 4);
    assert_eq!(skipped, ["repeats id \"reel-2@example.org\" of line 24", "only quoted text"]);
    let title = |at: usize| match &parsed.drafts[at] {
        Draft::Turn(turn) => turn.title.clone(),
        Draft::Note(_) => None,
    };
    assert_eq!((title(0).as_deref(), title(1)), (Some("Warum klemmt die Winde?"), None));
    // A sentence that begins so is no message, wherever it stands.
    assert!(detect(b"From the start, it did.\nIt jams.", "a.txt").is_err());
    // Carriage returns before line ends, as other systems write them, change nothing.
    let with_returns: Vec<u8> =
        bytes.iter().flat_map(|b| if *b == b'\n' { vec![b'\r', b'\n'] } else { vec![*b] }).collect();
    assert_eq!(lines(&parse(Format::Mbox, &with_returns, &source).unwrap()).0[..3], expected);
}

#[test]
fn a_note_with_headings() {
    let (turns, skipped) = told("vault/kites", "kites.md", corpus!("import_markdown/kites.md"), Format::Markdown);
    // An id is the session and a hash of the text.
    let without_hash = |turn: &String| {
        let (before, after) = turn.split_once("T00:00:00Z ").unwrap();
        let (before, day) = before.split_at(before.len() - 10);
        format!("{} {day}T00:00:00Z {after}", before.rsplit_once(':').unwrap().0)
    };
    let expected = [
        "vault/kites/Kites Kites 2024-05-01T00:00:00Z Ann: The red kite flew over the harbour.",
        "vault/kites/The reel The reel 2024-05-01T00:00:00Z Ann: It jams in the cold:\nthe pawl is bent.",
        "vault/kites/The reel The reel 2024-05-01T00:00:00Z Ann: ```rust\nfn reel() {\n\n    // # not a heading\n}\n```",
        "vault/kites/2024-05-03 2024-05-03 2024-05-03T00:00:00Z Ann: - oil\n- spring",
        "vault/kites/The reel (2) The reel (2) 2024-05-01T00:00:00Z Ann: Mended.",
    ];
    assert_eq!(turns.iter().map(without_hash).collect::<Vec<_>>(), expected);
    assert_eq!(skipped.len(), 1);
    assert!(skipped[0].starts_with("repeats id \"The reel:") && skipped[0].ends_with("of line 11"), "{skipped:?}");
}
