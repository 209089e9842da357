//! Message content that comes in parts.

use serde_json::Value;

use super::{FormatError, Place, record::JsonFields, record::wrong_type};

/// Kinds of parts whose `text` somebody said or wrote.
const TEXTUAL: [&str; 5] = ["text", "input_text", "output_text", "audio_transcription", "voice_note"];

/// What the parts of a message hold.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Content {
    /// Texts that are not blank, a line break between two.
    pub(super) text: String,
    /// The kind of the first part that is no text.
    pub(super) other: Option<String>,
}

impl Content {
    fn add(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// Reads parts: strings, and objects whose field `tag` names their kind.
pub(super) fn read_parts(parts: Vec<Value>, tag: &'static str, place: Place<'_>) -> Result<Content, FormatError> {
    let mut content = Content::default();
    for part in parts {
        match part {
            Value::String(text) => content.add(&text),
            Value::Object(fields) => read_part(JsonFields::new(fields, place), tag, &mut content)?,
            Value::Null => {}
            other => {
                return Err(wrong_type("a part of the content".into(), &other, "a string or an object", place));
            }
        }
    }
    Ok(content)
}

/// The text of parts as [`read_parts`] joins it, of parts that it may yet refuse.
pub(super) fn text_of(parts: &[Value]) -> String {
    let mut content = Content::default();
    for part in parts {
        let field = |name: &str| part.get(name).and_then(Value::as_str);
        let textual = || field("text").filter(|_| field("type").is_some_and(|kind| TEXTUAL.contains(&kind)));
        content.add(part.as_str().or_else(textual).unwrap_or_default());
    }
    content.text
}

fn read_part(mut part: JsonFields, tag: &'static str, content: &mut Content) -> Result<(), FormatError> {
    let kind = part.required_text(tag)?;
    if TEXTUAL.contains(&kind.as_str()) {
        content.add(&part.text("text")?.unwrap_or_default());
    } else if content.other.is_none() {
        content.other = Some(kind);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Spot;
    use super::*;

    fn read(parts: Value) -> Result<Content, FormatError> {
        let Value::Array(parts) = parts else { unreachable!() };
        read_parts(parts, "type", Place { file: "f", spot: Spot::default().message(2) })
    }

    #[test]
    fn texts_are_joined_and_the_first_other_kind_is_told() {
        let parts = json!(["a", "", {"type": "text", "text": "b"}, {"type": "image_url"}, {"type": "file"}, null]);
        assert_eq!(read(parts).unwrap(), Content { text: "a\nb".into(), other: Some("image_url".into()) });
    }

    #[test]
    fn parts_without_sense_are_errors() {
        for (part, expected) in [
            (json!(3), "a part of the content is the number 3"),
            (json!({}), "no field \"type\""),
            (json!({"type": "text", "text": 3}), "field \"text\" is the number 3"),
        ] {
            let message = read(json!([part])).unwrap_err().to_string();
            assert!(message.starts_with("f, message 2: ") && message.contains(expected), "{message}");
        }
    }
}
