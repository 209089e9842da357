//! Every format read whole, and what no input may do.

mod damage;
mod exports;
mod fixtures;
mod messengers;
mod refusals;
mod round_trip;
mod slack;

use aforesaid_core::types::{Draft, Turn};

use super::{Captions, Format, FormatError, Parsed, Source, parse};

const LOCOMO: &[u8] = include_bytes!("../../tests/formats/locomo.json");
const EXPORT: &[u8] = include_bytes!("../../tests/formats/export.jsonl");
const MESSAGES: &[u8] = include_bytes!("../../tests/formats/messages.json");
const MESSAGES_LINES: &[u8] = include_bytes!("../../tests/formats/messages.jsonl");
const CHATGPT: &[u8] = include_bytes!("../../tests/formats/chatgpt.json");
const CLAUDE: &[u8] = include_bytes!("../../tests/formats/claude.json");

const FIXTURES: [(Format, &[u8]); 6] = [
    (Format::Locomo, LOCOMO),
    (Format::Messages, MESSAGES),
    (Format::MessagesJsonl, MESSAGES_LINES),
    (Format::ChatGpt, CHATGPT),
    (Format::Claude, CLAUDE),
    (Format::Jsonl, EXPORT),
];

fn source() -> Source<'static> {
    Source { file: "chat.json", stem: "chat", conversation: None, captions: Captions::Keep, zone: None }
}

fn read(format: Format, bytes: &[u8]) -> Result<Parsed, FormatError> {
    parse(format, bytes, &source())
}

/// The message of the error that reading `text` gives; it has every part.
fn refused(format: Format, text: &str, parts: &[&str]) {
    let message = read(format, text.as_bytes()).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

fn turn(draft: &Draft) -> &Turn {
    match draft {
        Draft::Turn(turn) => turn,
        Draft::Note(note) => panic!("a note: {note:?}"),
    }
}

/// A line for every draft and every omission of a file.
fn summary(parsed: &Parsed) -> Vec<String> {
    let drafts = parsed.drafts.iter().map(turn).map(|turn| {
        let id = turn.id.as_ref().unwrap();
        let time = turn.said_at.map(|time| format!(" {time}")).unwrap_or_default();
        let meta =
            turn.meta.as_ref().map(|meta| format!(" {}", serde_json::to_string(meta).unwrap())).unwrap_or_default();
        let caption = turn.image_caption.as_ref().map(|caption| format!(" [{caption}]")).unwrap_or_default();
        let title = turn.title.as_ref().map(|title| format!(" # {title}")).unwrap_or_default();
        format!(
            "{}/{}/{id}{time} {}: {}{caption}{title}{meta}",
            turn.conversation, turn.session, turn.speaker, turn.text
        )
    });
    drafts.chain(parsed.skipped.iter().map(|skipped| format!("- {skipped}"))).collect()
}
