//! Files that came with a message of Claude.

use serde_json::Value;

use super::super::{FormatError, record::JsonFields};

/// What is known of the files of a message.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    /// Their names.
    pub(super) names: Vec<Value>,
    /// What was taken out of those that are text: the number of each, and what a turn says that stands for it.
    pub(super) texts: Vec<(usize, String)>,
}

pub(super) fn read(message: &mut JsonFields) -> Result<Attachments, FormatError> {
    let mut found = Attachments::default();
    for field in ["attachments", "files"] {
        for (index, file) in message.array(field)?.unwrap_or_default().into_iter().enumerate() {
            let is_name = |name: &&Value| name.as_str().is_some_and(|name| !name.trim().is_empty());
            let name = file.get("file_name").filter(is_name).cloned();
            let content = file.get("extracted_content").and_then(Value::as_str).unwrap_or_default();
            if !content.trim().is_empty() {
                let shown =
                    name.as_ref().and_then(Value::as_str).map(|name| format!(" \"{name}\"")).unwrap_or_default();
                found.texts.push((index + 1, format!("Attached file{shown}:\n\n{content}")));
            }
            found.names.extend(name);
        }
    }
    Ok(found)
}
