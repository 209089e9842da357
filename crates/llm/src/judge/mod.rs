//! A model's judgement of candidates: what each is worth as evidence, given the others (ROXY 3.4).

mod prompt;
mod scores;

use std::num::{NonZeroU32, NonZeroUsize};

use self::scores::{read, schema};
pub use self::{
    prompt::JudgePrompt,
    scores::{JudgeFault, order},
};
use crate::{
    Chat, ChatRequest, Format, LlmError, Message, Schema,
    quoted::{beginning, block, entry, quoted},
    reply::ask_until_read,
    sampling::check_sampling,
};

/// A memory that may be evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeCandidate {
    /// What was said.
    pub text: String,
    /// When, as a person would read it.
    pub said_at: Option<String>,
}

/// How candidates are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeSettings {
    /// By what.
    pub prompt: JudgePrompt,
    /// Candidates of one request; those of another are not weighed against them.
    pub batch: NonZeroUsize,
    /// Characters of a candidate's text that are shown.
    pub cut: NonZeroUsize,
    /// From 0 to 2.
    pub temperature: f64,
    /// Tokens of a reply at most.
    pub max_tokens: u32,
    /// How often a batch is judged before judging is given up.
    pub attempts: NonZeroU32,
}

impl Default for JudgeSettings {
    /// Fifty candidates a request, each cut at 1,000 characters, at temperature 0.1, as in the paper; and twice its
    /// 1,024 tokens, as fifty scores on lines of their own can take more than that.
    fn default() -> Self {
        Self {
            prompt: JudgePrompt::default(),
            batch: NonZeroUsize::MIN.saturating_add(49),
            cut: NonZeroUsize::MIN.saturating_add(999),
            temperature: 0.1,
            max_tokens: 2048,
            attempts: NonZeroU32::MIN.saturating_add(2),
        }
    }
}

impl JudgeSettings {
    /// Refuses settings that make no sense.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), LlmError> {
        check_sampling(self.temperature, self.max_tokens)
    }

    /// The requests that judge candidates, one a batch, in their order. The same arguments make the same requests.
    ///
    /// Candidates are numbered from 0 in each.
    pub fn requests(&self, query: &str, candidates: &[JudgeCandidate]) -> Vec<ChatRequest> {
        candidates.chunks(self.batch.get()).map(|batch| self.request(query, batch)).collect()
    }

    fn request(&self, query: &str, batch: &[JudgeCandidate]) -> ChatRequest {
        let lines = batch.iter().enumerate().map(|(id, candidate)| self.line(id, candidate));
        let user = block("question", [quoted(query)]) + &block("candidates", lines);
        let schema = Schema { name: "scores".to_owned(), schema: schema(batch.len()) };
        ChatRequest {
            temperature: Some(self.temperature),
            max_tokens: Some(self.max_tokens),
            format: Format::Json(schema),
            ..ChatRequest::new(vec![Message::system(self.prompt.instruction()), Message::user(user)])
        }
    }

    fn line(&self, id: usize, candidate: &JudgeCandidate) -> String {
        let said_at = match self.prompt {
            JudgePrompt::ConflictAware => candidate.said_at.as_deref(),
            JudgePrompt::Relevance => None,
        };
        entry(&id.to_string(), said_at, beginning(&candidate.text, self.cut.get()))
    }
}

/// What came of judging.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// The score of each candidate in [0, 1]; `None` for one that the model left out.
    Scored(Vec<Option<f64>>),
    /// A batch whose replies could not be read; this is what was wrong with the last one. No candidate is scored.
    Skipped(JudgeFault),
}

/// Scores candidates, a batch after the other. A faulty reply is asked for again; after all attempts judging is given
/// up, and later batches are not sent.
///
/// # Errors
/// When the settings make no sense, or as [`Chat::complete`].
pub fn judge(
    chat: &Chat,
    settings: &JudgeSettings,
    query: &str,
    candidates: &[JudgeCandidate],
) -> Result<Judgement, LlmError> {
    settings.check()?;
    let mut scores = Vec::with_capacity(candidates.len());
    for batch in candidates.chunks(settings.batch.get()) {
        let request = settings.request(query, batch);
        match ask_until_read(chat, &request, settings.attempts, |outcome| read(outcome, batch.len()))? {
            Ok(read) => scores.extend(read),
            Err(fault) => return Ok(Judgement::Skipped(fault)),
        }
    }
    Ok(Judgement::Scored(scores))
}

/// The scores of a reply about so many candidates.
#[cfg(feature = "fuzzing")]
pub(crate) fn scores_of(outcome: &crate::Outcome, candidates: usize) -> Option<Vec<Option<f64>>> {
    read(outcome, candidates).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quoted::tests::{INJECTIONS, block_of, messages_of, texts_of, wording};

    fn candidates() -> Vec<JudgeCandidate> {
        let candidate =
            |text: &str, date: Option<&str>| JudgeCandidate { text: text.into(), said_at: date.map(str::to_owned) };
        vec![
            candidate("Ann: my kite is red", Some("2024-05-01")),
            candidate("Ann: it is blue now", Some("2024-06-01")),
            candidate("Bob: \"ok\"", None),
        ]
    }

    fn settings(prompt: JudgePrompt) -> JudgeSettings {
        JudgeSettings { prompt, ..JudgeSettings::default() }
    }

    /// Other words are another prompt: give it the next version, then pin its digest here.
    #[test]
    fn a_version_belongs_to_its_words() {
        let pinned = [JudgePrompt::ConflictAware, JudgePrompt::Relevance]
            .map(|prompt| (prompt.id(), wording(&settings(prompt).requests("What colour?", &candidates())[0])));
        assert_eq!(
            pinned,
            [("conflict-aware/1", "e11e97908e2a".to_owned()), ("relevance/1", "0ba244332bc9".to_owned())]
        );
    }

    #[test]
    fn a_request_shows_question_and_candidates() {
        let requests = settings(JudgePrompt::ConflictAware).requests("What colour?", &candidates());
        let expected = "<question>\n\"What colour?\"\n</question>\n<candidates>\n\
                        [0] (2024-05-01) \"Ann: my kite is red\"\n\
                        [1] (2024-06-01) \"Ann: it is blue now\"\n\
                        [2] \"Bob: \\\"ok\\\"\"\n</candidates>\n";
        assert_eq!(messages_of(&requests[0]).1, expected);
        assert_eq!((requests[0].temperature, requests[0].max_tokens, requests.len()), (Some(0.1), Some(2048), 1));
        let relevance = settings(JudgePrompt::Relevance).requests("What colour?", &candidates());
        assert!(!messages_of(&relevance[0]).1.contains("2024"));
    }

    #[test]
    fn batches_number_their_candidates_from_nought() {
        let many: Vec<_> = (0..101).map(|n| JudgeCandidate { text: format!("Ann: {n}"), said_at: None }).collect();
        let requests = JudgeSettings::default().requests("?", &many);
        let sizes: Vec<_> =
            requests.iter().map(|request| block_of(messages_of(request).1, "candidates").len()).collect();
        assert_eq!(sizes, [50, 50, 1]);
        assert_eq!(block_of(messages_of(&requests[2]).1, "candidates"), ["[0] \"Ann: 100\""]);
        let Format::Json(schema) = &requests[2].format else { panic!("{requests:?}") };
        assert_eq!(schema.schema, super::schema(1));
        assert!(JudgeSettings::default().requests("?", &[]).is_empty());
    }

    #[test]
    fn long_texts_are_cut_by_characters() {
        let long = JudgeCandidate { text: "é".repeat(1001), said_at: None };
        let requests = JudgeSettings::default().requests("?", &[long]);
        assert_eq!(texts_of(messages_of(&requests[0]).1, "candidates"), ["é".repeat(1000)]);
    }

    #[test]
    fn injections_stay_data() {
        let injected: Vec<_> = INJECTIONS
            .iter()
            .map(|text| JudgeCandidate { text: (*text).into(), said_at: Some((*text).into()) })
            .collect();
        for query in INJECTIONS {
            let request = &settings(JudgePrompt::ConflictAware).requests(query, &injected)[0];
            let (system, user) = messages_of(request);
            assert_eq!(system, JudgePrompt::ConflictAware.instruction());
            assert_eq!(texts_of(user, "question"), [query]);
            assert_eq!(texts_of(user, "candidates"), INJECTIONS);
            assert_eq!(user.lines().count(), 5 + INJECTIONS.len());
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        JudgeSettings::default().check().unwrap();
        assert!(JudgeSettings { temperature: -1.0, ..JudgeSettings::default() }.check().is_err());
        assert!(JudgeSettings { max_tokens: 0, ..JudgeSettings::default() }.check().is_err());
    }
}
