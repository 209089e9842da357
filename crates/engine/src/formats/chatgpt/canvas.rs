//! Documents of a ChatGPT conversation: a canvas is written and changed by calls of the tool `canmore`.

use serde_json::Value;

use super::super::documents::{Documents, Occurrences};

const CREATE: &str = "canmore.create_textdoc";
const UPDATE: &str = "canmore.update_textdoc";

/// Patterns that mean the whole text.
const WHOLE: [&str; 5] = [".*", "^.*$", "(?s).*", "(?s)^.*$", "[\\s\\S]*"];

/// The canvases of a branch, by the place of the call that made each.
///
/// A change is a regular expression as Python has them; one that is no plain text, nor the whole, is not run: its text
/// comes at the end of the document.
pub(super) fn read(branch: &[Value]) -> Documents {
    let mut documents = Documents::default();
    for (place, message) in branch.iter().enumerate() {
        let recipient = message.get("recipient").and_then(Value::as_str).unwrap_or_default();
        if recipient != CREATE && recipient != UPDATE {
            continue;
        }
        let Some(given) = call(message) else { continue };
        let known = branch.get(place + 1).and_then(textdoc);
        match recipient {
            CREATE => {
                let key = known.map_or_else(|| format!("at {place}"), str::to_owned);
                documents.create(place, &key, text(&given, "name"), text(&given, "type"), text(&given, "content"));
            }
            _ => {
                let Some(key) = known.map(str::to_owned).or_else(|| documents.last()) else { continue };
                for update in given.get("updates").and_then(Value::as_array).into_iter().flatten() {
                    change(&mut documents, place, &key, update);
                }
            }
        }
    }
    documents
}

fn change(documents: &mut Documents, place: usize, key: &str, update: &Value) {
    let (pattern, new) = (text(update, "pattern"), text(update, "replacement"));
    if WHOLE.contains(&pattern) {
        return documents.rewrite(place, key, new);
    }
    let occurrences = match update.get("multiple") {
        Some(Value::Bool(true)) => Occurrences::All,
        _ => Occurrences::First,
    };
    let plain = unescaped(pattern);
    let old = if documents.has(key, pattern) { pattern } else { &plain };
    documents.update(key, old, new, occurrences);
}

/// What a call says: JSON in a text.
fn call(message: &Value) -> Option<Value> {
    let content = message.get("content")?;
    let said = content.get("text").and_then(Value::as_str);
    let said = said.or_else(|| content.get("parts")?.as_array()?.first()?.as_str())?;
    serde_json::from_str(said).ok()
}

/// The document that a tool's answer is about.
fn textdoc(answer: &Value) -> Option<&str> {
    answer.get("metadata")?.get("canvas")?.get("textdoc_id")?.as_str()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A pattern without the signs that make others plain.
fn unescaped(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('\\', Some(next)) if next.is_ascii_punctuation() || *next == ' ' => plain.extend(signs.next()),
            _ => plain.push(sign),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_canvas_is_what_its_changes_left() {
        let call = |tool: &str, given: Value| json!({"recipient": tool, "content": {"content_type": "code", "text": given.to_string()}});
        let answer = |id: &str| json!({"author": {"role": "tool"}, "metadata": {"canvas": {"textdoc_id": id}}});
        let update = |pattern: &str, new: &str| json!({"updates": [{"pattern": pattern, "multiple": false, "replacement": new}]});
        let branch = [
            call(CREATE, json!({"name": "Plan", "type": "document", "content": "Cost: 5 (five)."})),
            answer("x"),
            call(CREATE, json!({"name": "Code", "type": "code/python", "content": "print(1)"})),
            answer("y"),
            call(UPDATE, update("5 \\(five\\)", "6")),
            answer("x"),
            call(UPDATE, update(".*", "print(2)")),
            call(UPDATE, json!("no object")),
            json!({"recipient": UPDATE, "content": {"text": "{broken"}}),
        ];
        let documents = read(&branch);
        let at = |place| documents.begun_at(place).map(|document| document.turn("Canvas").unwrap()).collect::<Vec<_>>();
        assert_eq!(at(0), ["Canvas \"Plan\" (document):\n\nCost: 6."]);
        assert_eq!(at(2), ["Canvas \"Code\" (code/python):\n\nprint(2)"]);
    }
}
