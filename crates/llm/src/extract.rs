//! The JSON in a model's text.

use serde_json::{Deserializer, Value};

use crate::reasoning::without_reasoning;

/// The kinds of JSON value that hold others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// The first whole JSON object or array in a text, after its reasoning (`<think>`), be it fenced or amid prose.
///
/// Where the schema says which of the two it is, the other one is passed over. `None` if there is none.
pub(crate) fn json_in(text: &str, schema: &Value) -> Option<Value> {
    let wanted = match schema.get("type").and_then(Value::as_str) {
        Some("array") => Some(Container::Array),
        Some("object") => Some(Container::Object),
        _ => None,
    };
    let answer = without_reasoning(text);
    let mut from = 0;
    while let Some(found) = answer[from..].find(['{', '[']) {
        let start = from + found;
        let kind = if answer[start..].starts_with('{') { Container::Object } else { Container::Array };
        // serde_json gives up at a depth of 128, so that a wall of brackets costs little.
        let mut values = Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        from = match values.next() {
            Some(Ok(value)) if wanted.is_none_or(|wanted| wanted == kind) => return Some(value),
            Some(Ok(_)) => start + values.byte_offset(),
            _ => start + 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_what_models_write() {
        let object = json!({"type": "object"});
        for text in [
            r#"{"q": ["who?"]}"#,
            "```json\n{\"q\": [\"who?\"]}\n```",
            "Sure [1], here it is:\n{\"q\": [\"who?\"]} I hope {this} helps.",
            "<think>maybe {\"q\": []}?</think>\n{\"q\": [\"who?\"]}",
            "{ not this, {\"q\": [\"who?\"]}",
            "[1, 2] {\"q\": [\"who?\"]} {\"q\": [\"the model went on\"]}",
        ] {
            assert_eq!(json_in(text, &object), Some(json!({"q": ["who?"]})), "{text}");
        }
        assert_eq!(json_in("{\"a\": 1} [2]", &json!({"type": "array"})), Some(json!([2])));
        assert_eq!(json_in("so: [2]", &json!({"anyOf": []})), Some(json!([2])));
        for nothing in ["", "no", "{\"q\": [\"who?\"", "[1]", "<think>{\"q\": []}", "{".repeat(100_000).as_str()] {
            assert_eq!(json_in(nothing, &object), None);
        }
    }

    #[test]
    fn an_object_within_a_value_of_the_wrong_kind_is_not_the_answer() {
        assert_eq!(json_in("[{\"a\": 1}]", &json!({"type": "object"})), None);
    }

    proptest! {
        #[test]
        fn prose_around_it_changes_nothing(before in "[^\\[{<]*", after in "\\PC*", words in prop::collection::vec("\\PC*", 0..4)) {
            let value = json!({"q": words});
            prop_assert_eq!(json_in(&format!("{before}{value}"), &json!({})), Some(value.clone()));
            prop_assume!(!after.contains("</think>"));
            prop_assume!(!words.iter().any(|word| word.contains("</think>")));
            prop_assert_eq!(json_in(&format!("{before}{value}{after}"), &json!({})), Some(value));
        }

        #[test]
        fn nothing_makes_it_panic(text in "[\\[\\]{}\",:a0é ]*") {
            json_in(&text, &json!({"type": "object"}));
        }
    }
}
