//! The text of attached files, which a tool gives to the model in a message that nobody sees.

use serde_json::Value;

/// What the tool is asked to do then.
const COMMAND: &str = "context_stuff";

/// How the text of a page begins; the rest of the line numbers it.
const PAGE: &str = "<PARSED TEXT FOR PAGE:";

/// What a turn says that stands for the attached files which the message at a place gives to the model.
pub(super) fn read(branch: &[Value], place: usize) -> Option<String> {
    let message = branch.get(place)?;
    if message.get("metadata")?.get("command")? != COMMAND {
        return None;
    }
    let parts = message.get("content")?.get("parts")?.as_array()?;
    let pages: Vec<&str> = parts.iter().filter_map(Value::as_str).filter(|text| text.contains(PAGE)).collect();
    let text: Vec<&str> = pages.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with(PAGE)).collect();
    let text = text.join("\n");
    if text.trim().is_empty() {
        return None;
    }
    let names = branch[..place].iter().rev().find_map(names).unwrap_or_default();
    // Of several files it is not said which one it is.
    let name = match &names[..] {
        [name] => format!(" \"{name}\""),
        _ => String::new(),
    };
    Some(format!("Attached file{name}:\n\n{text}"))
}

/// The names of the files that came with a message; `None` where none came.
fn names(message: &Value) -> Option<Vec<&str>> {
    let files = message.get("metadata")?.get("attachments")?.as_array()?;
    let names: Vec<&str> = files.iter().filter_map(|file| file.get("name")?.as_str()).collect();
    (!names.is_empty()).then_some(names)
}
