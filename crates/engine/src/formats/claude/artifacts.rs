//! Documents of a Claude conversation: the tools `artifacts`, `create_file` and `str_replace` write and change them, and in older exports
//! an assistant writes them between tags.

use serde_json::Value;

use super::{
    super::{
        content::text_of,
        documents::{Documents, Occurrences},
    },
    tags::{Part, WrittenArtifact, parts},
};

/// The artifacts of messages, each by the place of the message that began it.
pub(super) fn read<'m>(messages: impl Iterator<Item = (usize, &'m Value)>) -> Documents {
    let mut documents = Documents::default();
    for (place, message) in messages {
        if text(message, "sender") == "assistant" {
            written(&mut documents, place, message);
        }
        for part in message.get("content").and_then(Value::as_array).into_iter().flatten() {
            if text(part, "type") != "tool_use" {
                continue;
            }
            let Some(given) = part.get("input") else { continue };
            match text(part, "name") {
                "artifacts" => artifact(&mut documents, place, given),
                "create_file" => {
                    let path = text(given, "path");
                    documents.create(place, path, path, "", text(given, "file_text"));
                }
                "str_replace" => change(&mut documents, text(given, "path"), given),
                _ => {}
            }
        }
    }
    documents
}

/// The artifacts in the text of a message.
fn written(documents: &mut Documents, place: usize, message: &Value) {
    let content = message.get("content").and_then(Value::as_array).map(|parts| text_of(parts)).unwrap_or_default();
    let said = if content.is_empty() { text(message, "text") } else { &content };
    for part in parts(said) {
        if let Part::Artifact(WrittenArtifact { key, title, kind, text }) = part {
            documents.create(place, key, title, kind, text);
        }
    }
}

fn artifact(documents: &mut Documents, place: usize, given: &Value) {
    let key = text(given, "id");
    match text(given, "command") {
        "create" => documents.create(place, key, text(given, "title"), text(given, "type"), text(given, "content")),
        "rewrite" => documents.rewrite(place, key, text(given, "content")),
        "update" => change(documents, key, given),
        _ => {}
    }
}

fn change(documents: &mut Documents, key: &str, given: &Value) {
    documents.update(key, text(given, "old_str"), text(given, "new_str"), Occurrences::First);
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
