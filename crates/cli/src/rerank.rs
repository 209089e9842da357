//! Options of a reranker.

use std::{convert::Infallible, num::NonZeroUsize, str::FromStr, sync::Arc};

use aforesaid::{
    LlmReranker, Reranking,
    rerank::{CrossEncoderReranker, Reranker},
    resolve::EvidenceChoice,
};
use aforesaid_llm::{JudgePrompt, JudgeSettings};
use clap::Args;

use crate::{
    failure::Failure,
    llm::{LanguageModel, LlmArgs},
    settings::Settings,
    values::at_least_one,
};

/// Whether the best hits are reranked, and by what.
#[derive(Debug, Clone, Args)]
pub(crate) struct RerankArgs {
    /// Rerank the best hits: by the evidence reranker that is part of the program (evidence), by one in the file of `train
    /// evidence` (.safetensors), by another cross-encoder, given as a directory or a registered name, or by a language model
    /// (llm). A language model on a server is sent the query and these hits.
    #[arg(long, value_name = "evidence|llm|MODEL|FILE", conflicts_with = "judge")]
    rerank: Option<Choice>,
    /// How the language model scores hits: by what each adds to the answer (conflict-aware), or by relevance
    /// [default: conflict-aware].
    #[arg(long, value_name = "BY", requires = "rerank")]
    rerank_by: Option<JudgePrompt>,
    /// Turns that the reranker scores [default: 40 for a language model, 10 for a cross-encoder].
    #[arg(long, value_name = "N", alias = "judge-depth", value_parser = at_least_one)]
    rerank_depth: Option<NonZeroUsize>,
    /// The same as --rerank llm --rerank-by BY, in the words of the last release.
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "conflict-aware")]
    judge: Option<JudgePrompt>,
}

/// A reranker as it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    Llm,
    Evidence(EvidenceChoice),
    CrossEncoder(String),
}

/// How the file of an evidence reranker ends.
const EVIDENCE_FILE: &str = ".safetensors";

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "llm" => Self::Llm,
            "evidence" => Self::Evidence(EvidenceChoice::Shipped),
            file if file.ends_with(EVIDENCE_FILE) => Self::Evidence(EvidenceChoice::File(file.into())),
            model => Self::CrossEncoder(model.to_owned()),
        })
    }
}

impl Choice {
    /// Loads the reranker of this machine that is named, which must be usable.
    pub(crate) fn load_local(&self, settings: &Settings) -> Result<Arc<dyn Reranker>, Failure> {
        match self {
            Self::Llm => Err(Failure::Usage(
                "--rerank llm: expected a model of this machine; `aforesaid-studies roxy` measures language models"
                    .to_owned(),
            )),
            Self::Evidence(choice) => settings.usable_evidence_reranker(choice),
            Self::CrossEncoder(name) => {
                Ok(Arc::new(CrossEncoderReranker::new(Arc::new(settings.cross_encoder(name)?))))
            }
        }
    }

    /// Whether it is the one that is part of the program.
    pub(crate) fn is_shipped(&self) -> bool {
        *self == Self::Evidence(EvidenceChoice::Shipped)
    }
}

impl RerankArgs {
    /// Whether a language model reranks.
    pub(crate) fn asks_model(&self) -> bool {
        self.judge.is_some() || self.rerank == Some(Choice::Llm)
    }

    /// Whether a model of this machine reranks, to which the options of models apply.
    pub(crate) fn runs_model(&self) -> bool {
        matches!(self.rerank, Some(Choice::Evidence(_) | Choice::CrossEncoder(_)))
    }

    /// The model to ask, where one reranks.
    pub(crate) fn connect(&self, llm: &LlmArgs, settings: &Settings) -> Result<Option<LanguageModel>, Failure> {
        self.asks_model().then(|| llm.connect_promptly(settings)).transpose()
    }

    /// Loads the reranker that is asked for, if one is; `model` is the one that [`RerankArgs::connect`] gave.
    pub(crate) fn load<'a>(
        &self,
        settings: &Settings,
        model: Option<&'a LanguageModel>,
    ) -> Result<Option<Box<dyn Reranker + 'a>>, Failure> {
        let by = self.judge.or(self.rerank_by);
        match (&self.rerank, model) {
            (Some(Choice::CrossEncoder(_) | Choice::Evidence(_)), _) if by.is_some() => {
                Err(Failure::Usage("--rerank-by: only a language model is told how to score; leave it out".to_owned()))
            }
            (Some(Choice::Evidence(choice)), _) => Ok(Some(settings.evidence_reranker(choice))),
            (Some(Choice::CrossEncoder(name)), _) => {
                Ok(Some(Box::new(CrossEncoderReranker::new(Arc::new(settings.cross_encoder(name)?)))))
            }
            (_, Some(model)) if self.asks_model() => {
                let judge = JudgeSettings { prompt: by.unwrap_or_default(), ..JudgeSettings::default() };
                Ok(Some(Box::new(LlmReranker { chat: &model.chat, settings: judge })))
            }
            _ if self.rerank_depth.is_some() => {
                Err(Failure::Usage("--rerank-depth: nothing is reranked; add --rerank".to_owned()))
            }
            _ => Ok(None),
        }
    }

    /// To the depth that is asked for.
    pub(crate) fn reranking<'r>(&self, reranker: &'r (dyn Reranker + 'r)) -> Reranking<'r> {
        let usual = Reranking::new(reranker);
        Reranking { depth: self.rerank_depth.unwrap_or(usual.depth), ..usual }
    }
}
