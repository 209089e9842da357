//! Cue questions: what somebody might ask later, to which a passage is the answer (ROXY 3.2).

mod fault;
mod prompt;

use std::{collections::BTreeSet, num::NonZeroU32};

use aforesaid_core::types::{MOST_BEFORE, USUAL_BEFORE};
use serde::Deserialize;
use serde_json::json;

pub use self::{fault::CueFault, prompt::CuePrompt};
use crate::{
    Chat, ChatRequest, Format, LlmError, Message, Outcome, Schema,
    quoted::{acts, beginning, block, quoted},
    reply::{ask_until_read, parsed},
    sampling::{check_sampling, within},
};

/// Characters of a cue question at most.
const LONGEST: usize = 300;

/// Characters shown of a passage that questions are written for,
const LONGEST_PASSAGE: usize = 8_000;
/// and of each of those before it.
const LONGEST_BEFORE: usize = 1_000;

/// A passage to write cue questions for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CueSubject {
    /// `speaker: text [image: caption]`.
    pub passage: String,
    /// When it was said, as a person would read it.
    pub said_at: Option<String>,
    /// The passages before it in the dialogue, the last one nearest.
    pub before: Vec<String>,
}

/// How cue questions are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CueSettings {
    /// What the model is shown.
    pub prompt: CuePrompt,
    /// Questions a passage, from 1 to 10: `n_q` of the paper.
    pub questions: usize,
    /// From 0 to 2.
    pub temperature: f64,
    /// Tokens of a reply at most.
    pub max_tokens: u32,
    /// How often a passage is asked about before it is skipped.
    pub attempts: NonZeroU32,
    /// Passages before it that [`CuePrompt::Contextual`] shows, the nearest ones.
    pub before: usize,
}

impl Default for CueSettings {
    /// Three questions at temperature 0.1, as in the paper, with six turns before the passage.
    fn default() -> Self {
        Self {
            prompt: CuePrompt::default(),
            questions: 3,
            temperature: 0.1,
            max_tokens: 1024,
            attempts: NonZeroU32::MIN.saturating_add(2),
            before: USUAL_BEFORE as usize,
        }
    }
}

/// The reply that the schema asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cues {
    questions: Vec<String>,
}

impl CueSettings {
    /// Refuses settings that make no sense.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), LlmError> {
        within("cue questions a passage", self.questions, 1..=10, "a number from 1 to 10")?;
        within("turns before a passage", self.before, 0..=MOST_BEFORE as usize, "a number from 0 to 16")?;
        check_sampling(self.temperature, self.max_tokens)
    }

    /// The prompt as a [`CueSource`](aforesaid_core::types::CueSource) has it.
    pub fn prompt_of_source(&self) -> String {
        let id = self.prompt.id();
        match self.prompt {
            CuePrompt::Contextual if self.before != USUAL_BEFORE as usize => format!("{id} before={}", self.before),
            _ => id.to_owned(),
        }
    }

    /// The request for the cue questions of a passage. The same settings and subject make the same request.
    ///
    /// [`CuePrompt::Isolated`] leaves out the date and the dialogue, so that they do not make it another request.
    pub fn request(&self, subject: &CueSubject) -> ChatRequest {
        let passage = block("passage", [quoted(beginning(&subject.passage, LONGEST_PASSAGE))]);
        let user = match self.prompt {
            CuePrompt::Isolated => passage,
            CuePrompt::Contextual => {
                let from = subject.before.len().saturating_sub(self.before);
                let before: Vec<_> =
                    subject.before[from..].iter().map(|passage| quoted(beginning(passage, LONGEST_BEFORE))).collect();
                let before = if before.is_empty() { String::new() } else { block("dialogue", before) };
                let said_at = subject.said_at.as_ref().map(|date| block("said_at", [quoted(date)]));
                before + &said_at.unwrap_or_default() + &passage
            }
        };
        ChatRequest {
            temperature: Some(self.temperature),
            max_tokens: Some(self.max_tokens),
            format: Format::Json(self.schema()),
            ..ChatRequest::new(vec![Message::system(self.prompt.instruction(self.questions)), Message::user(user)])
        }
    }

    fn schema(&self) -> Schema {
        let questions = json!({"type": "array", "items": {"type": "string"}, "maxItems": self.questions});
        let schema = json!({
            "type": "object",
            "properties": {"questions": questions},
            "required": ["questions"],
            "additionalProperties": false,
        });
        Schema { name: "cue_questions".to_owned(), schema }
    }

    /// The questions of a reply: trimmed, without empty and repeated ones, none of them shortened. There may be none.
    ///
    /// # Errors
    /// When the reply is no JSON of the schema, or there are more questions than asked for, or one has more than
    /// 300 characters or a control character.
    pub fn read(&self, outcome: &Outcome) -> Result<Vec<String>, CueFault> {
        let cues: Cues = parsed(outcome)?;
        let mut known = BTreeSet::new();
        let mut questions: Vec<String> = Vec::new();
        for question in cues.questions.iter().map(|question| question.trim()) {
            if !question.is_empty() && known.insert(question) {
                questions.push(sound(question)?.to_owned());
            }
        }
        match questions.len() {
            found if found > self.questions => Err(CueFault::TooMany { found, asked: self.questions }),
            _ => Ok(questions),
        }
    }
}

/// A question that may be kept.
fn sound(question: &str) -> Result<&str, CueFault> {
    let found = question.chars().count();
    match question.chars().find(|c| acts(*c)) {
        _ if found > LONGEST => Err(CueFault::TooLong { found }),
        Some(found) => Err(CueFault::ControlCharacter { found }),
        None => Ok(question),
    }
}

/// What came of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// Its cue questions; none where there is nothing to ask.
    Questions(Vec<String>),
    /// No reply could be read; this is what was wrong with the last one.
    Skipped(CueFault),
}

/// Writes the cue questions of a passage. A faulty reply is asked for again, and after all attempts the passage
/// is skipped.
///
/// # Errors
/// When the settings make no sense, or as [`Chat::complete`].
pub fn write_cues(chat: &Chat, settings: &CueSettings, subject: &CueSubject) -> Result<Written, LlmError> {
    settings.check()?;
    let reading =
        ask_until_read(chat, &settings.request(subject), settings.attempts, |outcome| settings.read(outcome))?;
    Ok(reading.map_or_else(Written::Skipped, Written::Questions))
}

#[cfg(test)]
mod tests;
