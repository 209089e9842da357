//! What is asked.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    Schema,
    canonical::{canonical, sha256_hex},
    schema::Enforcement,
};

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The one who gives the instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// A message to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// An instruction.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// A question.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// What the model said, or should take for its own words.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// What an answer should be.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Format {
    /// Text.
    #[default]
    Text,
    /// One JSON value that obeys a schema.
    Json(Schema),
}

/// A request to a chat model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// From 0 for the likeliest answer; the server's own where `None`.
    pub temperature: Option<f64>,
    /// Tokens to write at most, as `max_tokens`; where a server wants another field, put that into `extra`.
    pub max_tokens: Option<u32>,
    /// Makes sampling repeatable where the server can.
    pub seed: Option<u64>,
    /// What the answer should be.
    pub format: Format,
    /// Further fields of the request, laid over those above; `null` takes a field out.
    pub extra: Map<String, Value>,
}

impl ChatRequest {
    /// A request for text with the server's own settings.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// The request's name: the same wherever it is sent, another for whatever may change the answer.
    pub fn key(&self, model: &str) -> RequestKey {
        RequestKey(sha256_hex(&canonical(&self.body(model, Enforcement::Schema))))
    }

    /// The body of the HTTP request.
    pub(crate) fn body(&self, model: &str, way: Enforcement) -> Value {
        let (messages, response_format) = match &self.format {
            Format::Text => (self.messages.clone(), None),
            Format::Json(schema) => (way.messages(&self.messages, schema), way.response_format(schema)),
        };
        let fields = [
            ("model", Some(model.into())),
            ("messages", Some(json!(messages))),
            ("temperature", self.temperature.map(Value::from)),
            ("max_tokens", self.max_tokens.map(Value::from)),
            ("seed", self.seed.map(Value::from)),
            ("response_format", response_format),
        ];
        let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        self.overlaid(present.collect())
    }

    /// The body of the same request for an answer in pieces.
    pub(crate) fn streaming(&self, body: &Value) -> Value {
        let mut fields = body.as_object().cloned().unwrap_or_default();
        fields.insert("stream".to_owned(), true.into());
        fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
        self.overlaid(fields)
    }

    fn overlaid(&self, mut fields: Map<String, Value>) -> Value {
        fields.extend(self.extra.clone());
        fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>().into()
    }
}

/// The sha256 of a request in lower-case hex: what it is called in a cache and in a batch file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey(String);

impl RequestKey {
    /// 64 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ChatRequest {
        let schema = Schema { name: "cues".to_owned(), schema: json!({"type": "object"}) };
        ChatRequest {
            temperature: Some(0.1),
            max_tokens: Some(200),
            seed: Some(7),
            format: Format::Json(schema),
            ..ChatRequest::new(vec![Message::system("S"), Message::user("U")])
        }
    }

    #[test]
    fn a_body_is_as_the_protocol_wants_it() {
        let expected = r#"{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"temperature":0.1,"max_tokens":200,"seed":7,"response_format":{"type":"json_schema","json_schema":{"name":"cues","strict":true,"schema":{"type":"object"}}}}"#;
        assert_eq!(request().body("m", Enforcement::Schema).to_string(), expected);
        let plain = ChatRequest::new(vec![Message::assistant("A")]);
        let expected = r#"{"model":"m","messages":[{"role":"assistant","content":"A"}]}"#;
        assert_eq!(plain.body("m", Enforcement::Prompt).to_string(), expected);
    }

    #[test]
    fn extra_fields_replace_and_null_takes_out() {
        let mut extra = request();
        for (name, value) in [("max_tokens", json!(null)), ("max_completion_tokens", json!(50)), ("seed", json!(8))] {
            extra.extra.insert(name.to_owned(), value);
        }
        extra.extra.insert("stream_options".to_owned(), Value::Null);
        let body = extra.streaming(&extra.body("m", Enforcement::Object));
        assert_eq!(
            (&body["max_completion_tokens"], &body["seed"], &body["stream"]),
            (&json!(50), &json!(8), &json!(true))
        );
        assert!(body.get("max_tokens").is_none() && body.get("stream_options").is_none());
    }

    #[test]
    fn the_key_changes_with_whatever_may_change_the_answer() {
        let key = request().key("m");
        assert_eq!(key.as_str().len(), 64);
        assert_eq!(key, request().key("m"));
        let changes: [fn(&mut ChatRequest); 6] = [
            |request| request.messages[1].content.push('?'),
            |request| request.messages[1].role = Role::Assistant,
            |request| request.temperature = Some(0.2),
            |request| request.max_tokens = None,
            |request| request.seed = None,
            |request| request.format = Format::Text,
        ];
        for change in changes {
            let mut other = request();
            change(&mut other);
            assert_ne!(key, other.key("m"), "{other:?}");
        }
        assert_ne!(key, request().key("n"));
    }
}
