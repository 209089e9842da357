//! The fields of a JSON object, read with errors that name them.

use aforesaid_core::types::{InvalidName, Timestamp};
use serde_json::{Map, Value};

use super::{FormatError, Place};

const TIME: &str = "ISO 8601 such as 2023-05-08T13:56:00Z, or seconds since 1970 as a number";

/// A JSON object at some place of a file, consumed field by field.
///
/// A field that is `null` reads like one that is absent.
pub(super) struct JsonFields<'a> {
    fields: Map<String, Value>,
    place: Place<'a>,
}

impl<'a> JsonFields<'a> {
    /// The record that `value` is; `what` names it where it is none.
    pub(super) fn of(value: Value, what: &str, place: Place<'a>) -> Result<Self, FormatError> {
        match value {
            Value::Object(fields) => Ok(Self::new(fields, place)),
            other => Err(wrong_type(what.to_owned(), &other, "an object", place)),
        }
    }

    pub(super) fn new(fields: Map<String, Value>, place: Place<'a>) -> Self {
        Self { fields, place }
    }

    /// The same record, called by another place.
    pub(super) fn at(self, place: Place<'a>) -> Self {
        Self { place, ..self }
    }

    pub(super) fn place(&self) -> Place<'a> {
        self.place
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|value| !value.is_null())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// Moves a field out.
    pub(super) fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.get_mut(field).map(Value::take).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, field: &str) -> Result<Option<String>, FormatError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(field, &other, "a string")),
        }
    }

    pub(super) fn required_text(&mut self, field: &'static str) -> Result<String, FormatError> {
        self.text(field)?.ok_or_else(|| self.missing(field, "a string"))
    }

    /// A string, or a whole number as its digits.
    pub(super) fn label(&mut self, field: &str) -> Result<Option<String>, FormatError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) if !number.is_f64() => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong_type(field, &other, "a string or a whole number")),
        }
    }

    /// A name given by a string.
    pub(super) fn name<T>(&mut self, field: &str) -> Result<Option<T>, FormatError>
    where
        T: TryFrom<String, Error = InvalidName>,
    {
        self.text(field)?.map(|text| self.named(field, text)).transpose()
    }

    /// A name given by a string or a whole number.
    pub(super) fn label_name<T>(&mut self, field: &str) -> Result<Option<T>, FormatError>
    where
        T: TryFrom<String, Error = InvalidName>,
    {
        self.label(field)?.map(|text| self.named(field, text)).transpose()
    }

    fn named<T>(&self, field: &str, text: String) -> Result<T, FormatError>
    where
        T: TryFrom<String, Error = InvalidName>,
    {
        name(text, field, self.place)
    }

    pub(super) fn time(&mut self, field: &str) -> Result<Option<Timestamp>, FormatError> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let time = match &value {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_f64().and_then(|seconds| Timestamp::from_seconds(seconds).ok()),
            _ => return Err(self.wrong_type(field, &value, TIME)),
        };
        time.map(Some).ok_or_else(|| self.wrong_value(field, &value, TIME))
    }

    pub(super) fn array(&mut self, field: &str) -> Result<Option<Vec<Value>>, FormatError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(self.wrong_type(field, &other, "an array")),
        }
    }

    pub(super) fn object(&mut self, field: &str) -> Result<Option<Map<String, Value>>, FormatError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(other) => Err(self.wrong_type(field, &other, "an object")),
        }
    }

    pub(super) fn missing(&self, field: &'static str, expected: &'static str) -> FormatError {
        FormatError::Missing { place: self.place.to_string(), field, expected }
    }

    pub(super) fn wrong_type(&self, field: &str, found: &Value, expected: &'static str) -> FormatError {
        wrong_type(format!("field {field:?}"), found, expected, self.place)
    }

    pub(super) fn wrong_value(&self, field: &str, found: &Value, expected: &'static str) -> FormatError {
        FormatError::WrongValue {
            place: self.place.to_string(),
            what: format!("field {field:?}"),
            found: describe(found),
            expected,
        }
    }
}

/// Checks a name read from `field`.
pub(super) fn name<T>(text: String, field: &str, place: Place<'_>) -> Result<T, FormatError>
where
    T: TryFrom<String, Error = InvalidName>,
{
    T::try_from(text).map_err(|why| FormatError::Name {
        place: place.to_string(),
        what: format!("field {field:?}"),
        why,
    })
}

pub(super) fn wrong_type(what: String, found: &Value, expected: &'static str, place: Place<'_>) -> FormatError {
    FormatError::WrongType { place: place.to_string(), what, found: describe(found), expected }
}

/// A value as messages show it: its type, and what it is if that is short.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {:?}", shortened(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(fields) => match fields.keys().next() {
            Some(field) => format!("an object with the field {:?}", shortened(field)),
            None => "an empty object".to_owned(),
        },
    }
}

/// At most forty characters of a text.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use aforesaid_core::types::MemoryId;
    use serde_json::json;

    use super::super::Spot;
    use super::*;

    fn record(value: Value) -> JsonFields<'static> {
        JsonFields::of(value, "the record", Place { file: "f", spot: Spot::line(3) }).unwrap()
    }

    #[test]
    fn null_is_absent() {
        let mut record = record(json!({"a": null}));
        assert!(!record.has("a") && record.text("a").unwrap().is_none() && record.time("a").unwrap().is_none());
    }

    #[test]
    fn wrong_types_name_place_field_found_and_expected() {
        let all = || json!({"x": [1]});
        for (error, expected) in [
            (record(all()).text("x").unwrap_err(), "expected a string"),
            (record(all()).label("x").unwrap_err(), "a string or a whole number"),
            (record(all()).time("x").unwrap_err(), "ISO 8601"),
            (record(all()).object("x").unwrap_err(), "an object"),
            (record(json!({"x": 1.5})).label("x").unwrap_err(), "a whole number"),
        ] {
            let message = error.to_string();
            assert!(message.starts_with("f, line 3: field \"x\" is ") && message.contains(expected), "{message}");
        }
        let message = JsonFields::of(json!("text"), "the message", Place { file: "f", spot: Spot::line(1) })
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains("the message is the string \"text\"; expected an object"), "{message}");
    }

    #[test]
    fn times_are_text_or_seconds() {
        let mut record = record(json!({"a": "2023-05-08", "b": 1683504000, "c": 1683504000.25, "d": 1683504000000i64}));
        let a = record.time("a").unwrap().unwrap();
        assert_eq!(record.time("b").unwrap(), Some(a));
        assert_eq!(record.time("c").unwrap().unwrap().millis(), a.millis() + 250);
        let message = record.time("d").unwrap_err().to_string();
        assert!(message.contains("the number 1683504000000") && message.contains("seconds since 1970"), "{message}");
    }

    #[test]
    fn names_are_checked() {
        let message = record(json!({"id": "a\tb"})).name::<MemoryId>("id").unwrap_err().to_string();
        assert!(message.contains("line 3") && message.contains("\"id\"") && message.contains("control"), "{message}");
        assert_eq!(record(json!({"id": 17})).label_name::<MemoryId>("id").unwrap().unwrap().as_str(), "17");
    }

    #[test]
    fn long_values_are_shortened_between_characters() {
        let shown = describe(&json!("é".repeat(100)));
        assert!(shown.contains('…') && shown.chars().count() < 60, "{shown}");
    }
}
