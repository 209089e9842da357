//! How a model is asked to write an answer.

use crate::{ChatRequest, LlmError, Message, sampling::check_sampling};

/// How a model is asked to write an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSettings {
    /// From 0 to 2.
    pub temperature: f64,
    /// Tokens of the answer at most.
    pub max_tokens: u32,
}

impl Default for AnswerSettings {
    /// 256 tokens at temperature 0.5, as in ROXY A.4.1.
    fn default() -> Self {
        Self { temperature: 0.5, max_tokens: 256 }
    }
}

impl AnswerSettings {
    /// Refuses settings that make no sense.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), LlmError> {
        check_sampling(self.temperature, self.max_tokens)
    }

    /// A request for text.
    pub(super) fn request(&self, system: String, user: String) -> ChatRequest {
        ChatRequest {
            temperature: Some(self.temperature),
            max_tokens: Some(self.max_tokens),
            ..ChatRequest::new(vec![Message::system(system), Message::user(user)])
        }
    }
}
