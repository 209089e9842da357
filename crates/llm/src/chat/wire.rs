//! Answers as they come over the wire, whole and in pieces.

use serde::{
    Deserialize, Deserializer,
    de::{Error, Unexpected},
};
use serde_json::Value;

use super::{Completion, Finish};
use crate::{Counted, Usage, excerpt::error_text};

/// Bytes of what a model says at most: some 250,000 tokens.
///
/// A server may send more than a model was allowed to write. What is done with a text after it came is bounded by this.
pub(super) const LONGEST: usize = 1 << 20;

/// A whole answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Whole {
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    message: Said,
    finish_reason: Option<String>,
}

/// A message, or a piece of one.
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default, deserialize_with = "joined")]
    content: Option<String>,
    refusal: Option<String>,
}

/// A text, or the texts of parts one after the other: some servers answer as they may be asked.
fn joined<'de, D: Deserializer<'de>>(content: D) -> Result<Option<String>, D::Error> {
    let text_of = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
    let found = match Value::deserialize(content)? {
        Value::Null => return Ok(None),
        Value::String(text) => return Ok(Some(text)),
        Value::Array(parts) => return Ok(Some(parts.iter().filter_map(text_of).collect())),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::Object(_) => "object",
    };
    Err(Error::invalid_type(Unexpected::Other(found), &"a text, or a list of its parts"))
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// One event of a stream.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    #[serde(default)]
    choices: Vec<Piece>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Piece {
    delta: Option<Said>,
    finish_reason: Option<String>,
}

impl Whole {
    /// The first choice; or else what was found in its place.
    ///
    /// `sent` is the request's body, to guess from where the server does not count tokens.
    pub(crate) fn completion(self, sent: &Value) -> Result<Completion, String> {
        let Choice { message, finish_reason } = self.choices.into_iter().next().ok_or("no choice")?;
        let (text, refusal) = (message.content.unwrap_or_default(), message.refusal.unwrap_or_default());
        within_bounds(text.len() + refusal.len())?;
        Ok(Completion {
            usage: usage(self.usage, sent, text.len()),
            refusal: Some(refusal).filter(|refusal| !refusal.is_empty()),
            finish: Finish::named(finish_reason.as_deref()),
            text,
        })
    }
}

/// Refuses a text of more than [`LONGEST`] bytes.
fn within_bounds(bytes: usize) -> Result<(), String> {
    if bytes > LONGEST { Err(format!("a text of more than {LONGEST} bytes")) } else { Ok(()) }
}

/// What ends a stream before its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The server sent this error.
    Error(String),
    /// The pieces are no answer, for this reason.
    Unfit(String),
}

/// The pieces of an answer, put together.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    text: String,
    refusal: String,
    finish: Option<String>,
    usage: Option<Tokens>,
}

impl Pieces {
    /// Takes an event and hands its text on; or says what is wrong with it.
    pub(super) fn add(&mut self, event: Event, each: &mut dyn FnMut(&str)) -> Result<(), Stop> {
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(Stop::Error(error_text(&serde_json::json!({"error": error})).unwrap_or_default()));
        }
        self.usage = event.usage.or(self.usage);
        // With one choice asked for, more than one is not ours.
        let Some(Piece { delta, finish_reason }) = event.choices.into_iter().next() else { return Ok(()) };
        let Said { content, refusal } = delta.unwrap_or_default();
        let more = content.as_ref().map_or(0, String::len) + refusal.as_ref().map_or(0, String::len);
        within_bounds(self.text.len() + self.refusal.len() + more).map_err(Stop::Unfit)?;
        if let Some(content) = content.filter(|content| !content.is_empty()) {
            self.text.push_str(&content);
            each(&content);
        }
        self.refusal.push_str(&refusal.unwrap_or_default());
        self.finish = finish_reason.or(self.finish.take());
        Ok(())
    }

    /// Whether the model wrote anything.
    pub(super) fn begun(&self) -> bool {
        !self.text.is_empty() || !self.refusal.is_empty()
    }

    /// Whether the model said that it is done.
    pub(super) fn finished(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn into_completion(self, sent: &Value) -> Completion {
        Completion {
            usage: usage(self.usage, sent, self.text.len() + self.refusal.len()),
            refusal: Some(self.refusal).filter(|refusal| !refusal.is_empty()),
            finish: Finish::named(self.finish.as_deref()),
            text: self.text,
        }
    }
}

/// What the server counted, or a guess where it did not count both.
fn usage(tokens: Option<Tokens>, sent: &Value, came: usize) -> Usage {
    match tokens {
        Some(Tokens { prompt_tokens: Some(prompt), completion_tokens: Some(completion) }) => {
            Usage { prompt, completion, counted: Counted::Reported }
        }
        _ => Usage::estimated(sent["messages"].to_string().len(), came),
    }
}

/// What takes the events of a stream and hands their text on.
#[cfg(feature = "fuzzing")]
pub(crate) fn pieces_of(each: &mut dyn FnMut(&str)) -> impl FnMut(&[u8]) -> Result<(), ()> {
    let mut pieces = Pieces::default();
    move |data| pieces.add(serde_json::from_slice(data).map_err(drop)?, each).map_err(drop)
}
