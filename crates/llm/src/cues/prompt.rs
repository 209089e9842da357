//! The words in which cue questions are asked for.

use std::{fmt, str::FromStr};

use aforesaid_core::types::UnknownChoice;

use crate::quoted::DATA;

/// What a model is shown of a passage when it writes cue questions for it (ROXY 3.2, A.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CuePrompt {
    /// The passage alone, as in the paper.
    Isolated,
    /// Also the dialogue before it and when it was said, so that pronouns and dates resolve.
    #[default]
    Contextual,
}

impl CuePrompt {
    /// The prompt's name and the version of its words; other words have another version.
    pub fn id(self) -> &'static str {
        match self {
            Self::Isolated => "isolated/1",
            Self::Contextual => "contextual/1",
        }
    }

    /// The system message that asks for `questions` questions.
    pub(super) fn instruction(self, questions: usize) -> String {
        let own = match self {
            Self::Isolated => ISOLATED,
            Self::Contextual => CONTEXTUAL,
        };
        format!(
            "You prepare a memory of conversations for search. For the passage you are given, you write questions that \
             somebody might ask later and to which the passage is the answer.\n\n{DATA}\n\nRules:\n\
             - Write {questions} question(s); fewer where the passage does not tell as much, and none where it tells \
             nothing, such as a greeting or small talk.\n\
             - Each question is about a different aspect of the passage.\n\
             - Ask for facts that the passage states as well as for what follows from it.\n\
             - Write in the third person and in the language of the passage. Each question must be understood without \
             the passage: use the names of people, places and things rather than pronouns, and never mention the \
             passage or the conversation itself.\n{own}\
             - A question is one sentence on one line, shorter than 200 characters, and does not hold its own answer."
        )
    }
}

const ISOLATED: &str = "\
- The name before the colon is who speaks: \"I\" and \"my\" in the passage mean that person.\n";

const CONTEXTUAL: &str = "\
- The name before the colon is who speaks: \"I\" and \"my\" in the passage mean that person. The dialogue before the \
passage is there for you to see whom and what the passage refers to. Do not ask about what only the dialogue tells.\n\
- Where <said_at> tells when the passage was said, work out which dates words such as \"yesterday\" or \"last week\" \
mean, and write those dates instead of such words.\n";

impl FromStr for CuePrompt {
    type Err = UnknownChoice;
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        match word {
            "isolated" => Ok(Self::Isolated),
            "contextual" => Ok(Self::Contextual),
            _ => Err(UnknownChoice { what: "cue prompt", found: word.into(), expected: "isolated or contextual" }),
        }
    }
}

impl fmt::Display for CuePrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Isolated => "isolated",
            Self::Contextual => "contextual",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_prompts() {
        for prompt in [CuePrompt::Isolated, CuePrompt::Contextual] {
            assert_eq!(prompt.to_string().parse(), Ok(prompt));
            assert!(prompt.id().starts_with(&format!("{prompt}/")));
        }
        let message = "alone".parse::<CuePrompt>().unwrap_err().to_string();
        assert_eq!(message, "cue prompt \"alone\": expected isolated or contextual");
    }
}
