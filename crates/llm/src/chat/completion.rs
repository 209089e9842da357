//! What was answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Format, Usage, extract::json_in};

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// It ran out of tokens.
    Length,
    /// A filter stopped it.
    ContentFilter,
    /// For another reason, by the server's word for it.
    Other(String),
}

impl Finish {
    /// A server that gives no reason has nothing to object to.
    pub(crate) fn named(reason: Option<&str>) -> Self {
        match reason {
            None | Some("stop" | "eos" | "end_turn") => Self::Stop,
            Some("length" | "max_tokens") => Self::Length,
            Some("content_filter") => Self::ContentFilter,
            Some(other) => Self::Other(other.to_owned()),
        }
    }
}

/// An answer as a server gave it; what the cache keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// The model's reason for not answering.
    pub refusal: Option<String>,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens it took.
    pub usage: Usage,
}

/// What an answer amounts to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The text asked for.
    Text(String),
    /// The JSON asked for. It is an object or array; whether it obeys the schema shows when it is deserialized.
    Json(Value),
    /// The model declined, for this reason.
    Refused(String),
    /// The text is cut: the model ran out of tokens.
    Cut(String),
    /// A filter of the server stopped the answer.
    Filtered,
    /// There is text, but not the JSON asked for; or no text at all.
    Malformed(String),
}

impl Outcome {
    /// Whether it is what was asked for.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Json(_))
    }
}

impl Completion {
    /// What the answer amounts to under the format asked for.
    pub fn outcome(&self, format: &Format) -> Outcome {
        let text = || self.text.clone();
        match (&self.finish, &self.refusal, format) {
            (Finish::ContentFilter, ..) => Outcome::Filtered,
            (_, Some(refusal), _) => Outcome::Refused(refusal.clone()),
            (Finish::Length, ..) => Outcome::Cut(text()),
            _ if self.text.trim().is_empty() => Outcome::Malformed(text()),
            (.., Format::Text) => Outcome::Text(text()),
            (.., Format::Json(schema)) => {
                json_in(&self.text, &schema.schema).map_or_else(|| Outcome::Malformed(text()), Outcome::Json)
            }
        }
    }
}
