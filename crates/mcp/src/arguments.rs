//! What a tool takes: one table makes both its schema and the check of what it is given.

use serde_json::{Map, Value, json};

use crate::failure::ToolError;

/// Elements of a list at the most.
const LONGEST: usize = 100;

/// An argument of a tool, or a field of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    /// What it is for, for the model; empty where the name says it.
    pub(crate) about: &'static str,
    pub(crate) kind: Kind,
    pub(crate) need: Need,
}

/// What an argument is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A text that is not blank.
    Text,
    /// A whole number.
    Whole {
        least: u64,
        most: u64,
    },
    Flag,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of objects.
    Objects(&'static [Argument]),
}

/// Whether a call goes without an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
}

/// An argument that a call needs.
pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, about, kind, need: Need::Required }
}

/// An argument that a call may leave out.
pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, about, kind, need: Need::Optional }
}

/// The JSON schema of an object with these arguments and no others.
pub(crate) fn schema(arguments: &[Argument]) -> Map<String, Value> {
    let properties: Map<String, Value> = arguments.iter().map(|one| (one.name.to_owned(), one.schema())).collect();
    let required = arguments.iter().filter(|one| one.need == Need::Required).map(|one| one.name);
    let required: Vec<&str> = required.collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), json!(false));
    schema
}

impl Argument {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Whole { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Choice(words) => json!({"type": "string", "enum": words}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Objects(fields) => json!({"type": "array", "items": schema(fields)}),
        };
        if !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        schema
    }

    fn expected(&self) -> String {
        match self.kind {
            Kind::Text => "a text that is not blank".to_owned(),
            Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Choice(words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or "),
            Kind::Texts => format!("a list of 1 to {LONGEST} texts that are not blank"),
            Kind::Objects(fields) => format!("a list of 1 to {LONGEST} objects with {}", names(fields)),
        }
    }

    fn check(&self, place: &str, value: &Value) -> Result<(), ToolError> {
        let is_list = |list: &[Value]| (1..=LONGEST).contains(&list.len());
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let fits = match (self.kind, value) {
            (Kind::Text, value) => is_text(value),
            (Kind::Whole { least, most }, value) => whole(value).is_some_and(|n| (least..=most).contains(&n)),
            (Kind::Flag, value) => value.is_boolean(),
            (Kind::Choice(words), value) => value.as_str().is_some_and(|found| words.contains(&found)),
            (Kind::Texts, Value::Array(list)) => is_list(list) && list.iter().all(is_text),
            (Kind::Objects(fields), Value::Array(list)) if is_list(list) => {
                for (at, element) in list.iter().enumerate() {
                    let place = format!("{place}[{at}]");
                    match element {
                        Value::Object(given) => check(&place, fields, given)?,
                        other => return Err(self.refused(&place, other)),
                    }
                }
                true
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.refused(place, value)) }
    }

    fn refused(&self, place: &str, value: &Value) -> ToolError {
        ToolError::arguments(format!("{place}: found {}, expected {}", shown(value), self.expected()))
    }
}

/// A number without a fraction, however it is written.
fn whole(value: &Value) -> Option<u64> {
    let of_float = |n: f64| (n.fract() == 0.0 && (0.0..9e15).contains(&n)).then_some(n as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(of_float))
}

/// What a value is, without what a text in it says.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.trim().is_empty() => "a blank text".to_owned(),
        Value::String(text) if text.len() <= 20 => format!("the text {text:?}"),
        Value::String(text) => format!("a text of {} bytes", text.len()),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn names(arguments: &[Argument]) -> String {
    arguments.iter().map(|one| one.name).collect::<Vec<_>>().join(", ")
}

fn check(place: &str, arguments: &[Argument], given: &Map<String, Value>) -> Result<(), ToolError> {
    for name in given.keys() {
        if !arguments.iter().any(|one| one.name == name) {
            let name: String = name.chars().take(60).collect();
            let takes = names(arguments);
            return Err(ToolError::arguments(format!("{place}: unknown argument {name:?}; it takes {takes}")));
        }
    }
    for one in arguments {
        match given.get(one.name) {
            // Some clients send null for what is left out.
            None | Some(Value::Null) if one.need == Need::Optional => {}
            None | Some(Value::Null) => {
                let missing = format!("{place}: the argument {:?} is missing; expected {}", one.name, one.expected());
                return Err(ToolError::arguments(missing));
            }
            Some(value) => one.check(&format!("{place}: {}", one.name), value)?,
        }
    }
    Ok(())
}

/// Arguments that were checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a>(&'a Map<String, Value>);

impl<'a> Given<'a> {
    /// Checks what a tool was given.
    ///
    /// # Errors
    /// When an argument is unknown, missing, or not what it should be; the message names it.
    pub(crate) fn check(tool: &str, arguments: &[Argument], given: &'a Map<String, Value>) -> Result<Self, ToolError> {
        check(tool, arguments, given).map(|()| Self(given))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        whole(self.0.get(name)?)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn texts(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.list(name).iter().filter_map(Value::as_str)
    }

    pub(crate) fn objects(&self, name: &str) -> impl Iterator<Item = Given<'a>> {
        self.list(name).iter().filter_map(Value::as_object).map(Given)
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGUMENTS: &[Argument] = &[
        required("query", Kind::Text, "What to look for."),
        optional("k", Kind::Whole { least: 1, most: 50 }, ""),
        optional("turns", Kind::Objects(&[required("text", Kind::Text, ""), optional("loud", Kind::Flag, "")]), ""),
        optional("unit", Kind::Choice(&["turn", "session"]), ""),
        optional("tags", Kind::Texts, ""),
    ];

    fn refused(given: Value) -> String {
        let error = Given::check("find", ARGUMENTS, given.as_object().unwrap()).unwrap_err();
        assert_eq!(error.code, "invalid_arguments");
        error.message
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            refused(json!({"querry": "x"})),
            "find: unknown argument \"querry\"; it takes query, k, turns, unit, tags"
        );
        let missing = "find: the argument \"query\" is missing; expected a text that is not blank";
        assert_eq!(refused(json!({})), missing);
        assert_eq!(refused(json!({"query": null})), missing);
        let with = |name: &str, value: Value| {
            let mut given = json!({"query": "x"});
            given[name] = value;
            refused(given)
        };
        assert_eq!(with("query", json!(" ")), "find: query: found a blank text, expected a text that is not blank");
        assert_eq!(with("k", json!(0)), "find: k: found 0, expected a whole number from 1 to 50");
        assert_eq!(with("k", json!(1.5)), "find: k: found 1.5, expected a whole number from 1 to 50");
        assert_eq!(with("k", json!("5")), "find: k: found the text \"5\", expected a whole number from 1 to 50");
        assert_eq!(
            with("unit", json!("page")),
            "find: unit: found the text \"page\", expected \"turn\" or \"session\""
        );
        let listed = "expected a list of 1 to 100 objects with text, loud";
        assert_eq!(with("turns", json!([])), format!("find: turns: found a list of 0, {listed}"));
        assert_eq!(with("turns", json!([{"text": "a"}, 3])), format!("find: turns[1]: found 3, {listed}"));
        assert_eq!(
            with("turns", json!([{"text": "a", "id": 1}])),
            "find: turns[0]: unknown argument \"id\"; it takes text, loud"
        );
        assert_eq!(
            with("turns", json!([{"text": "a", "loud": 1}])),
            "find: turns[0]: loud: found 1, expected true or false"
        );
        assert_eq!(
            with("tags", json!([""])),
            "find: tags: found a list of 1, expected a list of 1 to 100 texts that are not blank"
        );
    }

    #[test]
    fn what_is_given_is_read() {
        let given =
            json!({"query": "x", "k": 5.0, "turns": [{"text": "a", "loud": true}], "unit": null, "tags": ["b"]});
        let given = Given::check("find", ARGUMENTS, given.as_object().unwrap()).unwrap();
        assert_eq!((given.text("query"), given.whole("k"), given.text("unit")), (Some("x"), Some(5), None));
        assert!(!given.has("unit") && given.has("tags") && given.texts("tags").eq(["b"]));
        let turn = given.objects("turns").next().unwrap();
        assert!(turn.text("text") == Some("a") && turn.flag("loud") && !turn.flag("quiet"));
    }

    #[test]
    fn a_schema_has_all_arguments_and_no_others() {
        let expected = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "k": {"type": "integer", "minimum": 1, "maximum": 50},
                "turns": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "loud": {"type": "boolean"}},
                    "required": ["text"],
                    "additionalProperties": false,
                }},
                "unit": {"type": "string", "enum": ["turn", "session"]},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        assert_eq!(Value::Object(schema(ARGUMENTS)), expected);
    }
}
