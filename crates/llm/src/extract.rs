//! The JSON in a model's text.

use serde_json::{Deserializer, Error, Value};

use crate::reasoning::without_reasoning;

/// How often the bytes of a text are read in vain, on average, before the search is given up.
///
/// Beginnings of JSON in prose end after a few bytes. Without a bound a text of brackets would be read again from
/// each of them.
const PASSES: usize = 4;
/// Bytes that may be read in vain in any text, however short.
const SHORT: usize = 4096;

/// The kinds of JSON value that hold others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// The first whole JSON object or array in a text, after its reasoning (`<think>`), be it fenced or amid prose.
///
/// Where the schema says which of the two it is, the other one is passed over. `None` if there is none, or if it stands
/// behind so many false beginnings that the search takes more than a few times the length of the text.
pub(crate) fn json_in(text: &str, schema: &Value) -> Option<Value> {
    search(text, schema).0
}

/// What [`json_in`] finds, and how many bytes it read in vain.
fn search(text: &str, schema: &Value) -> (Option<Value>, usize) {
    let wanted = match schema.get("type").and_then(Value::as_str) {
        Some("array") => Some(Container::Array),
        Some("object") => Some(Container::Object),
        _ => None,
    };
    let answer = without_reasoning(text);
    let allowed = answer.len().saturating_mul(PASSES).saturating_add(SHORT);
    let (mut from, mut wasted) = (0, 0);
    while let Some(found) = answer[from..].find(['{', '[']).filter(|_| wasted < allowed) {
        let start = from + found;
        let kind = if answer[start..].starts_with('{') { Container::Object } else { Container::Array };
        // serde_json gives up at a depth of 128.
        let mut values = Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        from = match values.next() {
            Some(Ok(value)) if wanted.is_none_or(|wanted| wanted == kind) => return (Some(value), wasted),
            Some(Ok(_)) => start + values.byte_offset(),
            Some(Err(error)) => {
                wasted += read_until(&error, &answer[start..]);
                start + 1
            }
            None => start + 1,
        };
    }
    (None, wasted)
}

/// How many bytes of a text were read when this error came up.
fn read_until(error: &Error, text: &str) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    (lines + error.column()).clamp(1, text.len())
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

    /// A reply of 200,000 brackets was read anew from each of them to a depth of 128, which took 8.8 s after the
    /// deadline of the request had been kept.
    #[test]
    fn what_is_read_in_vain_is_bounded_by_the_length_of_the_text() {
        let object = json!({"type": "object"});
        let walls = ["[", "{\"a\":", "[1,", "[\"", "[\n", "[[1],", "[\"a\",[1],", "{\"[\":[\"{", "[\"\\\"[\","];
        for wall in walls {
            for count in [1_000, 20_000] {
                let text = wall.repeat(count);
                let (found, wasted) = search(&text, &object);
                assert_eq!(found, None, "{wall}");
                // The last beginning may be read to the end of the text.
                assert!(wasted <= (PASSES + 1) * text.len() + SHORT, "{wall}: {wasted} of {}", text.len());
            }
        }
        let behind_a_wall = "[".repeat(20_000) + "{}";
        assert_eq!(json_in(&behind_a_wall, &object), None);
        let behind_prose = "{this} [1] ".repeat(20_000) + "{}";
        assert_eq!(json_in(&behind_prose, &object), Some(json!({})));
    }

    #[test]
    fn the_place_of_an_error_is_counted_over_lines() {
        for (text, read) in [("[1,\n2,\n x]", 9), ("[\n[\n", 4), ("{x", 2), ("[", 1)] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            assert_eq!(read_until(&error, text), read, "{text:?}: {error}");
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
