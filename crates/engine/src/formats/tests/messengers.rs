//! Chats of messengers and transcripts, as people tell them.

use super::super::{Captions, Format, Source, detect, parse};
use aforesaid_core::types::Draft;

/// Turns as `conversation/session id time speaker: text`, and why what was left out.
fn told(stem: &str, file: &str, text: &str, format: Format) -> (Vec<String>, Vec<String>) {
    let source = Source { file, stem, conversation: None, captions: Captions::Keep };
    assert_eq!(detect(text.as_bytes(), file).unwrap(), format);
    let parsed = parse(format, text.as_bytes(), &source).unwrap();
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
        "slack:general/2024-12-31 1735600001.000200 2024-12-30T23:06:41Z Ann Kite: The reel & the tail jam.",
        "slack:general/2024-12-31 1735600002.000300 2024-12-30T23:06:42Z U2: Oil it.",
    ];
    assert_eq!(turns, expected);
    assert_eq!(skipped, ["channel_join", "empty text"]);
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

#[test]
fn a_chat_of_whatsapp_in_both_forms() {
    let (turns, skipped) = told("chat", "chat.txt", corpus!("import_whatsapp/chat.txt"), Format::WhatsApp);
    let expected = [
        "chat/session-1 session-1:1 2024-12-31T23:58:00Z Kites: Messages and calls are end-to-end encrypted.",
        "chat/session-1 session-1:3 2024-12-31T23:59:58Z Ann: The reel jams.\nIt is cold.",
        "chat/session-2 session-2:5 2025-01-01T09:00:00Z Bob: Oil it: now.",
    ];
    assert_eq!(turns, expected);
    assert_eq!(skipped, ["message of the program", "only attachments"]);
    let (turns, _) = told("chat", "chat.txt", corpus!("import_whatsapp/android.txt"), Format::WhatsApp);
    assert_eq!(turns, ["chat/session-1 session-1:3 2025-01-01T00:05:00Z Ann: Happy new year!"]);
}

#[test]
fn transcripts_in_both_forms() {
    let (turns, _) = told("talk", "talk.vtt", corpus!("import_subtitles/talk.vtt"), Format::Subtitles);
    let expected = ["talk/session-1 session-1:1  Ann: The reel jams.", "talk/session-1 session-1:2  Bob: Oil it."];
    assert_eq!(turns, expected);
    let (turns, _) = told("talk", "talk.srt", corpus!("import_subtitles/talk.srt"), Format::Subtitles);
    assert_eq!(turns, ["talk/session-1 session-1:1  Ann: The reel jams. In the cold."]);
}
