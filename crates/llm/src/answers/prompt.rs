//! The prompts by which answers are compared with those of papers.

use crate::{
    ChatRequest,
    answers::{AnswerSettings, ContextMemory, context::LONGEST},
    quoted::{DATA, beginning, block, label, quoted},
};

/// A category-aware prompt of ROXY A.5.3 for the questions of LoCoMo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerPrompt {
    /// For a short phrase, with the words of the context.
    Plain,
    /// For an approximate date: each memory shows when it was said.
    Temporal,
    /// For a choice between "Not mentioned in the conversation" and an answer that is offered.
    Choice {
        /// The answer offered.
        offered: String,
    },
}

impl AnswerPrompt {
    /// The prompt's name and the version of its words; other words have another version.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Plain => "plain/1",
            Self::Temporal => "temporal/1",
            Self::Choice { .. } => "choice/1",
        }
    }

    /// The request for an answer. The same arguments make the same request.
    ///
    /// The words are the paper's; the context stands before the instruction that calls it "above".
    pub fn request(&self, settings: &AnswerSettings, question: &str, memories: &[ContextMemory]) -> ChatRequest {
        let system = format!("You answer questions about a conversation.\n\n{DATA}");
        let lines = memories.iter().enumerate().map(|(place, memory)| self.line(place + 1, memory));
        let context = block("context", lines);
        let question = block("question", [quoted(question)]);
        let (instruction, close) = match self {
            Self::Plain => (SHORT, String::new()),
            Self::Temporal => (SHORT, "Use DATE of CONVERSATION to answer with an approximate date.\n".to_owned()),
            Self::Choice { offered } => (
                CHOOSE,
                format!("Select the correct answer: (a) Not mentioned in the conversation (b) {}.\n", quoted(offered)),
            ),
        };
        settings.request(system, format!("{context}\n{instruction}\n\n{question}{close}Short answer:"))
    }

    fn line(&self, number: usize, memory: &ContextMemory) -> String {
        let date = match (self, &memory.said_at) {
            (Self::Temporal, Some(date)) => format!("DATE: {} - ", label(date)),
            _ => String::new(),
        };
        format!("[Memory {number}]: {date}{}", quoted(beginning(&memory.passage, LONGEST)))
    }
}

const SHORT: &str = "\
Based on the above context, write an answer in the form of a short phrase for the following question. Answer with exact \
words from the context whenever possible.";

const CHOOSE: &str = "Based on the above context, answer the following question.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Format,
        quoted::tests::{INJECTIONS, messages_of, texts_of, wording},
    };

    fn memory(passage: &str, said_at: Option<&str>) -> ContextMemory {
        ContextMemory { id: "D1:1".into(), passage: passage.into(), said_at: said_at.map(str::to_owned) }
    }

    fn request(prompt: &AnswerPrompt) -> ChatRequest {
        let memories = [memory("Ann: my kite is red", Some("2024-05-01")), memory("Bob: ok", None)];
        prompt.request(&AnswerSettings::default(), "What colour?", &memories)
    }

    fn prompts(offered: &str) -> [AnswerPrompt; 3] {
        [AnswerPrompt::Plain, AnswerPrompt::Temporal, AnswerPrompt::Choice { offered: offered.into() }]
    }

    /// Other words are another prompt: give it the next version, then pin its digest here.
    #[test]
    fn a_version_belongs_to_its_words() {
        let pinned = prompts("blue").map(|prompt| (prompt.id(), wording(&request(&prompt))));
        let expected = [("plain/1", "7bd6413d156a"), ("temporal/1", "a8d1d20cbde7"), ("choice/1", "6e5f7c6094cd")];
        assert_eq!(pinned, expected.map(|(id, digest)| (id, digest.to_owned())));
    }

    #[test]
    fn each_prompt_is_the_papers() {
        let [plain, temporal, choice] = prompts("a \"blue\" one").map(|prompt| request(&prompt));
        assert_eq!((plain.temperature, plain.max_tokens, &plain.format), (Some(0.5), Some(256), &Format::Text));
        let expected = format!(
            "<context>\n[Memory 1]: \"Ann: my kite is red\"\n[Memory 2]: \"Bob: ok\"\n</context>\n\n\
             {SHORT}\n\n<question>\n\"What colour?\"\n</question>\nShort answer:"
        );
        assert_eq!(messages_of(&plain).1, expected);
        let dated = messages_of(&temporal).1;
        assert!(
            dated.starts_with("<context>\n[Memory 1]: DATE: 2024-05-01 - \"Ann: my kite is red\"\n[Memory 2]: \"Bob"),
            "{dated}"
        );
        assert!(
            dated.ends_with("</question>\nUse DATE of CONVERSATION to answer with an approximate date.\nShort answer:")
        );
        let choose = messages_of(&choice).1;
        let end = "(a) Not mentioned in the conversation (b) \"a \\\"blue\\\" one\".\nShort answer:";
        assert!(choose.contains(&format!("{CHOOSE}\n\n<question>")) && choose.ends_with(end), "{choose}");
    }

    #[test]
    fn injections_stay_data() {
        let memories = INJECTIONS.map(|text| memory(text, Some(text)));
        for text in INJECTIONS {
            for prompt in prompts(text) {
                let request = prompt.request(&AnswerSettings::default(), text, &memories);
                let (system, user) = messages_of(&request);
                assert_eq!(system, messages_of(&self::request(&AnswerPrompt::Plain)).0);
                assert_eq!(texts_of(user, "context"), INJECTIONS);
                assert_eq!(texts_of(user, "question"), [text]);
                let more = usize::from(prompt != AnswerPrompt::Plain);
                assert_eq!(user.lines().count(), INJECTIONS.len() + 9 + more, "{user}");
            }
        }
    }
}
