//! A large JSON document, one element at a time.

use std::{fmt, ops::ControlFlow};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde_json::Value;

use super::FormatError;

const DOCUMENT: &str = "a JSON array of conversations or one conversation as a JSON object";

/// One element of a document.
pub(super) enum Element {
    /// The document is this one object.
    Whole(Value),
    /// The element at this place of the array, from 1.
    Item(usize, Value),
}

/// Hands every element of the array that `text` is, or the object that it is, to `take`.
///
/// Only one element is held at a time.
///
/// # Errors
/// When the text is no such JSON, and whatever `take` returns.
pub(super) fn each(
    text: &str,
    file: &str,
    mut take: impl FnMut(Element) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    walk(text, file, |element| match take(element) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(Err(error)),
    })
}

/// The first element of the array that `text` is; nothing after it is read.
pub(super) fn first(text: &str, file: &str) -> Result<Option<Value>, FormatError> {
    let mut found = None;
    walk(text, file, |element| {
        let (Element::Whole(value) | Element::Item(_, value)) = element;
        found = Some(value);
        ControlFlow::Break(Ok(()))
    })?;
    Ok(found)
}

/// The error for JSON that could not be read, `lines_before` lines into the file.
pub(super) fn broken(
    error: &serde_json::Error,
    file: &str,
    lines_before: usize,
    expected: &'static str,
) -> FormatError {
    let mut found = error.to_string();
    // Both say again what the rest of the message says better.
    for repetition in [" at line ", ", expected an array"] {
        found.truncate(found.rfind(repetition).unwrap_or(found.len()));
    }
    FormatError::Json { file: file.into(), line: lines_before + error.line(), column: error.column(), found, expected }
}

type Step = ControlFlow<Result<(), FormatError>>;

fn walk(text: &str, file: &str, mut take: impl FnMut(Element) -> Step) -> Result<(), FormatError> {
    let mut end = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let read = (&mut json).deserialize_any(Elements { take: &mut take, end: &mut end }).and_then(|()| json.end());
    match (end, read) {
        (Some(end), _) => end,
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(broken(&error, file, 0, DOCUMENT)),
    }
}

struct Elements<'t> {
    take: &'t mut dyn FnMut(Element) -> Step,
    end: &'t mut Option<Result<(), FormatError>>,
}

impl Elements<'_> {
    fn hand_over<E: Error>(&mut self, element: Element) -> Result<(), E> {
        match (self.take)(element) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(end) => {
                *self.end = Some(end);
                Err(E::custom("stopped"))
            }
        }
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(value) = array.next_element()? {
            number += 1;
            self.hand_over(Element::Item(number, value))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, object: A) -> Result<(), A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(object))?;
        self.hand_over(Element::Whole(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(usize, Value)>, FormatError> {
        let mut found = Vec::new();
        each(text, "f.json", |element| {
            found.push(match element {
                Element::Whole(value) => (0, value),
                Element::Item(number, value) => (number, value),
            });
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn arrays_are_read_by_element_and_objects_whole() {
        assert_eq!(read(" [1, \"a\"] ").unwrap(), [(1, 1.into()), (2, "a".into())]);
        assert_eq!(read("{\"a\": 1}").unwrap(), [(0, serde_json::json!({"a": 1}))]);
        assert!(read("[]").unwrap().is_empty());
    }

    #[test]
    fn broken_json_is_named_by_line_and_column() {
        for (text, parts) in [
            ("[1,\n 2", &["f.json, line 2, column 2", "EOF"][..]),
            ("[1] x", &["line 1, column 5", "trailing"]),
            ("3", &["invalid type: integer `3`", "expected a JSON array of conversations"]),
            ("", &["line 1, column 0", "EOF"]),
            ("[1e999]", &["number out of range"]),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let message = read(&"[".repeat(1 << 20)).unwrap_err().to_string();
        assert!(message.contains("recursion limit"), "{message}");
    }

    #[test]
    fn only_the_first_element_is_read_for_a_glance() {
        assert_eq!(first("[7, broken", "f").unwrap(), Some(7.into()));
        assert_eq!(first("[]", "f").unwrap(), None);
    }

    #[test]
    fn an_error_of_the_taker_comes_back_unchanged() {
        let error = FormatError::Utf16 { file: "x".into() };
        assert_eq!(each("[1]", "f", |_| Err(error.clone())), Err(error));
    }
}
