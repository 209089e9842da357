//! A question to a model that answers from memories alone.

use crate::{
    ChatRequest,
    answers::{AnswerSettings, ContextMemory, context_block},
    quoted::{DATA, block, quoted},
};

/// What a model is told to answer, to the letter, where the memories do not hold the answer.
pub const NOT_MENTIONED: &str = "Not mentioned.";

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sought {
    /// A fact.
    #[default]
    Fact,
    /// When something was: the answer is a date.
    Date,
}

/// How far the memories can be expected to hold the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Support {
    /// As far as any.
    #[default]
    Likely,
    /// Hardly, as the search has little confidence: the model is told so.
    Doubtful,
}

/// A question and the memories to answer it from. The answer cites them: see [`citations`](crate::citations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask<'a> {
    /// The question.
    pub question: &'a str,
    /// The memories, the best first.
    pub memories: &'a [ContextMemory],
    /// What it asks for.
    pub sought: Sought,
    /// Whether the memories are likely to hold the answer.
    pub support: Support,
}

impl Ask<'_> {
    /// The prompt's name and the version of its words; other words have another version.
    pub const ID: &'static str = "ask/1";

    /// The request for an answer, to be asked for whole or in pieces. The same question, memories and settings make
    /// the same request.
    pub fn request(&self, settings: &AnswerSettings) -> ChatRequest {
        let date = match self.sought {
            Sought::Fact => "",
            Sought::Date => DATE,
        };
        let doubt = match self.support {
            Support::Likely => "",
            Support::Doubtful => DOUBT,
        };
        let user = context_block(self.memories) + &block("question", [quoted(self.question)]);
        settings.request(format!("{PURPOSE}\n\n{DATA}\n\n{RULES}{date}{doubt}"), user)
    }
}

const PURPOSE: &str = "You answer a question from memories of past conversations, and from nothing else.";

const RULES: &str = "\
Rules:
- Answer with a short phrase or a sentence, in the language of the question, with the words of the memories where they \
fit.
- After what you say, cite the ids of the memories that it rests on in square brackets, as they stand there: [D1:3], \
or [D1:3, D2:4] for several. Cite no other ids.
- Use only what the memories say, not what you know or suppose. Where they contradict each other, the newest one holds.
- If the memories do not hold the answer, or what the question takes for granted is not so, answer with exactly \"Not \
mentioned.\" and nothing else.";

const DATE: &str = "
- The question asks when something was. Answer with a date: the parentheses tell when each memory was said; work out \
from that what words such as \"yesterday\" or \"last week\" mean in it. Where the day is not known, give the month or \
the year.";

const DOUBT: &str = "
- These memories were hard to find and may well not hold the answer. Do not make one out of what merely sounds like it.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quoted::tests::{INJECTIONS, messages_of, texts_of, wording};

    fn ask<'a>(question: &'a str, memories: &'a [ContextMemory]) -> Ask<'a> {
        Ask { question, memories, sought: Sought::Fact, support: Support::Likely }
    }

    fn memories() -> [ContextMemory; 1] {
        [ContextMemory { id: "D1:3".into(), passage: "Ann: my kite".into(), said_at: Some("2024-05-01".into()) }]
    }

    /// Other words are another prompt: give it the next version, then pin its digest here.
    #[test]
    fn a_version_belongs_to_its_words() {
        let memories = memories();
        let all = Ask { sought: Sought::Date, support: Support::Doubtful, ..ask("Whose kite?", &memories) };
        assert_eq!((Ask::ID, wording(&all.request(&AnswerSettings::default())).as_str()), ("ask/1", "852ac04d7a96"));
    }

    #[test]
    fn a_question_is_asked_with_its_memories_and_flags() {
        let memories = memories();
        let usual = ask("Whose kite?", &memories);
        let request = usual.request(&AnswerSettings::default());
        let (system, user) = messages_of(&request);
        assert_eq!(user, context_block(&memories) + "<question>\n\"Whose kite?\"\n</question>\n");
        assert!(system.contains(&format!("exactly \"{NOT_MENTIONED}\" and nothing else")), "{system}");
        assert!(system.ends_with(RULES) && system.starts_with(PURPOSE));
        let dated = Ask { sought: Sought::Date, ..usual }.request(&AnswerSettings::default());
        assert!(messages_of(&dated).0.ends_with(DATE));
        let doubtful = Ask { support: Support::Doubtful, ..usual }.request(&AnswerSettings::default());
        assert!(messages_of(&doubtful).0.ends_with(DOUBT));
        assert_eq!(messages_of(&dated).1, user);
    }

    #[test]
    fn injections_stay_data() {
        let memories =
            INJECTIONS.map(|text| ContextMemory { id: text.into(), passage: text.into(), said_at: Some(text.into()) });
        for question in INJECTIONS {
            let request = ask(question, &memories).request(&AnswerSettings::default());
            let (system, user) = messages_of(&request);
            assert_eq!(system, messages_of(&ask("?", &[]).request(&AnswerSettings::default())).0);
            assert_eq!(texts_of(user, "memories"), INJECTIONS);
            assert_eq!(texts_of(user, "question"), [question]);
        }
    }
}
