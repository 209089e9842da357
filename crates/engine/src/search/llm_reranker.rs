//! The language-model judge as a reranker (ROXY 3.4).

use std::num::NonZeroUsize;

use aforesaid_core::{
    Locality,
    rerank::{RerankCandidate, RerankError, Reranker},
};
use aforesaid_llm::{Chat, ChatRequest, JudgeCandidate, JudgeSettings, Judgement, LlmError, judge};

use crate::calendar::calendar;

/// A language model that scores what each candidate is worth as evidence, given the others.
///
/// It is shown turns and notes as they are indexed, with their dates; scores are from 0 to 1.
#[derive(Debug, Clone)]
pub struct LlmReranker<'a> {
    /// The model. What its cache holds is not asked for again, so that responses made elsewhere can be used: see
    /// [`crate::Memory::rerank_requests`].
    pub chat: &'a Chat,
    /// How candidates are judged.
    pub settings: JudgeSettings,
}

impl<'a> LlmReranker<'a> {
    /// Turns that it is shown by default (k_ret), as in the paper.
    pub const DEPTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(39);

    /// The paper's judge.
    pub fn new(chat: &'a Chat) -> Self {
        Self { chat, settings: JudgeSettings::default() }
    }
}

impl Reranker for LlmReranker<'_> {
    fn name(&self) -> String {
        format!("llm, {}", self.settings.prompt.id())
    }

    /// Wherever its server is: it keeps what it is sent as it likes.
    fn locality(&self) -> Locality {
        Locality::Remote
    }

    fn default_depth(&self) -> NonZeroUsize {
        Self::DEPTH
    }

    fn check(&self) -> Result<(), RerankError> {
        self.settings.check().map_err(|error| RerankError::Settings(error.to_string()))
    }

    fn score(&self, query: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        let failed = |reason: String| Err(RerankError::Failed(reason));
        match judge(self.chat, &self.settings, query, &shown(candidates)) {
            Ok(Judgement::Scored(scores)) => Ok(scores),
            Ok(Judgement::Skipped(fault)) => failed(fault.to_string()),
            Err(error @ LlmError::Setting { .. }) => Err(RerankError::Settings(error.to_string())),
            Err(error) => failed(error.to_string()),
        }
    }
}

/// The first requests that judge candidates.
pub(super) fn requests(settings: &JudgeSettings, query: &str, candidates: &[RerankCandidate]) -> Vec<ChatRequest> {
    settings.requests(query, &shown(candidates))
}

fn shown(candidates: &[RerankCandidate]) -> Vec<JudgeCandidate> {
    let shown = |candidate: &RerankCandidate| JudgeCandidate {
        text: candidate.text.clone(),
        said_at: candidate.said_at.map(calendar),
    };
    candidates.iter().map(shown).collect()
}
