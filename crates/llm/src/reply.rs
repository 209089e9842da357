//! Replies that should be JSON of a known shape, asked for until they are.

use std::num::NonZeroU32;

use serde::de::DeserializeOwned;

use crate::{Chat, ChatRequest, Freshness, LlmError, Outcome, excerpt::excerpt};

/// A model answered, but not with the JSON asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyFault {
    /// It declined.
    #[error("the model declined: {0}; ask another model")]
    Refused(String),
    /// It ran out of tokens.
    #[error("the reply is cut; allow more tokens")]
    Cut,
    /// A filter stopped it.
    #[error("a filter of the server stopped the reply; ask another server")]
    Filtered,
    /// There is no JSON in it.
    #[error("reply \"{0}\": expected JSON; ask a model that can write it")]
    NoJson(String),
    /// There is JSON, but not as the schema has it.
    #[error("reply: found {0}, expected JSON that obeys the schema; ask a model or server that can")]
    Shape(String),
}

/// What a reply says, in the shape of its schema, which must be that of an object.
pub(crate) fn parsed<T: DeserializeOwned>(outcome: &Outcome) -> Result<T, ReplyFault> {
    match outcome {
        // An array would pass for the fields of an object in their order.
        Outcome::Json(value) if !value.is_object() => Err(ReplyFault::Shape("an array".to_owned())),
        Outcome::Json(value) => T::deserialize(value).map_err(|error| ReplyFault::Shape(shown(&error.to_string()))),
        Outcome::Text(text) | Outcome::Malformed(text) => Err(ReplyFault::NoJson(shown(text))),
        Outcome::Refused(reason) => Err(ReplyFault::Refused(shown(reason))),
        Outcome::Cut(_) => Err(ReplyFault::Cut),
        Outcome::Filtered => Err(ReplyFault::Filtered),
    }
}

fn shown(text: &str) -> String {
    excerpt(text, None)
}

/// Asks until a reply can be read, `attempts` times at most, and gives the last reading.
///
/// A kept reply is read first. One that cannot be read was no good: from then on replies are new.
pub(crate) fn ask_until_read<T, F>(
    chat: &Chat,
    request: &ChatRequest,
    attempts: NonZeroU32,
    read: impl Fn(&Outcome) -> Result<T, F>,
) -> Result<Result<T, F>, LlmError> {
    let mut reading = read(&chat.complete(request, Freshness::CacheAllowed)?.outcome);
    for _ in 1..attempts.get() {
        if reading.is_ok() {
            break;
        }
        reading = read(&chat.complete(request, Freshness::Renewed)?.outcome);
    }
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn each_outcome_that_is_no_json_has_its_fault() {
        for (outcome, message) in [
            (Outcome::Refused("I\u{1b} won't".into()), "the model declined: I\\u{1b} won't; ask another model"),
            (Outcome::Cut("{".into()), "the reply is cut; allow more tokens"),
            (Outcome::Filtered, "a filter of the server stopped the reply; ask another server"),
            (Outcome::Malformed("well\n".into()), "reply \"well\": expected JSON; ask a model that can write it"),
            (Outcome::Text("well".into()), "reply \"well\": expected JSON; ask a model that can write it"),
        ] {
            assert_eq!(parsed::<Value>(&outcome).unwrap_err().to_string(), message);
        }
        let read = |value| parsed::<BTreeMap<String, u8>>(&Outcome::Json(value));
        assert_eq!(read(json!({"a": 1})), Ok(BTreeMap::from([("a".to_owned(), 1)])));
        assert_eq!(read(json!([])), Err(ReplyFault::Shape("an array".into())));
        let shape = read(json!({"a": "x"})).unwrap_err().to_string();
        assert!(shape.contains("expected u8") && shape.contains("obeys the schema"), "{shape}");
    }
}
