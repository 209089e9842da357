//! Options of a reranker.

use std::{convert::Infallible, fmt, num::NonZeroUsize, path::Path, str::FromStr, sync::Arc};

use aforesaid::{
    Error, Explanations, LlmReranker, Memory, Pipeline, Reranking, SearchResponse,
    models::{ModelError, ModelKind, registry},
    rerank::{CrossEncoderReranker, Reranker, UnusableReranker},
    resolve::EvidenceChoice,
    types::Query,
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
    /// (llm). A language model on a server is sent the query and these hits. none is none, whatever is configured
    /// [default: evidence with the default pipeline, where its model is on this machine].
    #[arg(long, value_name = "evidence|llm|MODEL|FILE|none", env = "AFORESAID_RERANK", conflicts_with = "judge")]
    rerank: Option<Choice>,
    /// How the language model scores hits: by what each adds to the answer (conflict-aware), or by relevance
    /// [default: conflict-aware].
    #[arg(long, value_name = "BY")]
    rerank_by: Option<JudgePrompt>,
    /// Turns that the reranker scores, at most [default: 40 for a language model, 20 for the evidence reranker that is part of
    /// the program, 10 for another cross-encoder].
    #[arg(long, value_name = "N", alias = "judge-depth", env = "AFORESAID_RERANK_DEPTH", value_parser = at_least_one)]
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
    /// No reranker, though one is the default or configured.
    Nothing,
}

/// How the file of an evidence reranker ends.
const EVIDENCE_FILE: &str = ".safetensors";

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Llm => f.write_str("llm"),
            Self::Evidence(EvidenceChoice::Shipped) => f.write_str("evidence"),
            Self::Evidence(EvidenceChoice::File(file)) => write!(f, "{}", file.display()),
            Self::CrossEncoder(model) => f.write_str(model),
            Self::Nothing => f.write_str("none"),
        }
    }
}

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::of(text))
    }
}

impl Choice {
    /// The one that is named.
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "llm" => Self::Llm,
            "none" => Self::Nothing,
            "evidence" => Self::Evidence(EvidenceChoice::Shipped),
            file if file.ends_with(EVIDENCE_FILE) => Self::Evidence(EvidenceChoice::File(file.into())),
            model => Self::CrossEncoder(model.to_owned()),
        }
    }

    /// Checks that there is a reranker of that name, and loads nothing.
    pub(crate) fn check_name(&self) -> Result<(), Failure> {
        let is_reranker = |name: &str| registry::named(name).is_ok_and(|entry| entry.kind == ModelKind::Reranker);
        match self {
            Self::CrossEncoder(name) if !Path::new(name).is_dir() && !is_reranker(name) => Err(unknown_reranker(name)),
            Self::Llm | Self::Evidence(_) | Self::CrossEncoder(_) | Self::Nothing => Ok(()),
        }
    }

    /// Loads the reranker of this machine that is named, which must be usable.
    pub(crate) fn load_local(&self, settings: &Settings) -> Result<Arc<dyn Reranker>, Failure> {
        match self {
            Self::Llm => Err(Failure::Usage(
                "--rerank llm: expected a model of this machine, or none; `aforesaid-studies roxy` measures language models"
                    .to_owned(),
            )),
            Self::Evidence(choice) => settings.usable_evidence_reranker(choice),
            Self::CrossEncoder(name) => {
                let loaded = settings.cross_encoder(name).map_err(|failure| no_reranker(name, failure))?;
                Ok(Arc::new(CrossEncoderReranker::new(Arc::new(loaded))))
            }
            Self::Nothing => Err(Failure::Usage("--rerank none: expected a reranker; leave it out".to_owned())),
        }
    }

    /// The same; where it cannot be had, one that has every search go on without it and say why.
    pub(crate) fn load_or_say_why(&self, settings: &Settings) -> Arc<dyn Reranker> {
        self.load_local(settings).unwrap_or_else(|failure| {
            Arc::new(UnusableReranker { name: format!("--rerank {self}"), reason: failure.message() })
        })
    }
}

fn no_reranker(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Memory(Error::Model(ModelError::Unknown { .. })) => unknown_reranker(name),
        failure => failure,
    }
}

/// Of a name that is no reranker, which rerankers of this machine there are: most registered models are none.
fn unknown_reranker(name: &str) -> Failure {
    let rerankers = registry::all().filter(|entry| entry.kind == ModelKind::Reranker).map(|entry| entry.name);
    let rerankers = rerankers.collect::<Vec<_>>().join(", ");
    Failure::Usage(format!(
        "--rerank {name}: found no reranker of that name; expected evidence, one of {rerankers}, a file of `train evidence` \
         (.safetensors), or the directory of a cross-encoder"
    ))
}

impl RerankArgs {
    /// With what the configuration file says, where nothing is asked for.
    pub(crate) fn or_configured(&self, settings: &Settings) -> Self {
        let configured = || settings.rerank.clone().filter(|_| self.judge.is_none());
        let rerank = self.rerank.clone().or_else(configured);
        let rerank_depth = self.rerank_depth.or_else(|| configured_depth(rerank.as_ref(), settings));
        Self { rerank, rerank_depth, ..self.clone() }
    }

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
    ) -> Result<Option<Arc<dyn Reranker + 'a>>, Failure> {
        let by = self.judge.or(self.rerank_by);
        match (&self.rerank, model) {
            (Some(Choice::CrossEncoder(_) | Choice::Evidence(_)), _) if by.is_some() => {
                Err(Failure::Usage("--rerank-by: only a language model is told how to score; leave it out".to_owned()))
            }
            (Some(choice @ Choice::Evidence(_)), _) => Ok(Some(choice.load_or_say_why(settings))),
            (Some(choice @ Choice::CrossEncoder(_)), _) => choice.load_local(settings).map(|loaded| Some(loaded as _)),
            (_, Some(model)) if self.asks_model() => {
                let judge = JudgeSettings { prompt: by.unwrap_or_default(), ..JudgeSettings::default() };
                Ok(Some(Arc::new(LlmReranker { chat: &model.chat, settings: judge })))
            }
            _ if self.rerank_by.is_some() => {
                Err(Failure::Usage("--rerank-by: no language model reranks; add --rerank llm".to_owned()))
            }
            (chosen, _) => match chosen.is_none().then(|| settings.default_reranker()).flatten() {
                None if self.rerank_depth.is_some() => {
                    Err(Failure::Usage("--rerank-depth: nothing is reranked; add --rerank".to_owned()))
                }
                default => Ok(default.map(|reranker| reranker as _)),
            },
        }
    }

    /// To the depth that is asked for.
    pub(crate) fn reranking<'r>(&self, reranker: &'r (dyn Reranker + 'r)) -> Reranking<'r> {
        Reranking::new(reranker).to_depth(self.rerank_depth)
    }
}

/// The depth of the configuration file, which is that of a reranker that is named.
fn configured_depth(rerank: Option<&Choice>, settings: &Settings) -> Option<NonZeroUsize> {
    settings.rerank_depth.filter(|_| rerank.is_some_and(|choice| *choice != Choice::Nothing))
}

/// Searches, and reranks where there is something to.
pub(crate) fn search(
    memory: &Memory,
    query: &Query,
    pipeline: &Pipeline,
    explanations: Explanations,
    reranking: Option<Reranking<'_>>,
) -> Result<SearchResponse, Failure> {
    Ok(match reranking {
        Some(reranking) => memory.search_reranked(query, pipeline, explanations, reranking)?,
        None => memory.search(query, pipeline, explanations)?,
    })
}

/// Whether a model of this machine reranks what is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct LocalRerankArgs {
    /// Rerank the best hits by the evidence reranker that is part of the program (evidence), by one in a file of `train
    /// evidence`, or by another cross-encoder, given as a directory or a registered name; none is none
    /// [default: none on a data set; in the own store the one of searches, by the configuration file].
    #[arg(long, value_name = "evidence|MODEL|FILE|none")]
    rerank: Option<Choice>,
    /// Hits that the reranker orders, at most [default: 20 for the evidence reranker that is part of the program, 10 for
    /// another].
    #[arg(long, value_name = "N", requires = "rerank", value_parser = at_least_one)]
    rerank_depth: Option<NonZeroUsize>,
}

impl LocalRerankArgs {
    /// With what the configuration file says of searches, where no reranker is named.
    pub(crate) fn or_configured(&self, settings: &Settings) -> Self {
        match self.rerank {
            Some(_) => self.clone(),
            None => {
                let rerank_depth = configured_depth(settings.rerank.as_ref(), settings);
                Self { rerank: settings.rerank.clone(), rerank_depth }
            }
        }
    }

    /// Loads the one that is named, which must be usable.
    pub(crate) fn load(&self, settings: &Settings) -> Result<Option<Arc<dyn Reranker>>, Failure> {
        match &self.rerank {
            Some(Choice::Nothing) if self.rerank_depth.is_some() => {
                Err(Failure::Usage("--rerank-depth: nothing is reranked; leave it or --rerank none out".to_owned()))
            }
            None | Some(Choice::Nothing) => Ok(None),
            Some(choice) => choice.load_local(settings).map(Some),
        }
    }

    /// The same; where none is named, the one that searches have.
    pub(crate) fn load_as_search_does(&self, settings: &Settings) -> Result<Option<Arc<dyn Reranker>>, Failure> {
        match self.rerank {
            None => Ok(settings.default_reranker()),
            Some(_) => self.load(settings),
        }
    }

    /// To the depth that is asked for.
    pub(crate) fn reranking<'r>(&self, reranker: &'r dyn Reranker) -> Reranking<'r> {
        Reranking::new(reranker).to_depth(self.rerank_depth)
    }

    /// Whether one is named that is not part of the program.
    pub(crate) fn is_another(&self) -> bool {
        let is_another =
            |choice: &Choice| !matches!(choice, Choice::Nothing | Choice::Evidence(EvidenceChoice::Shipped));
        self.rerank.as_ref().is_some_and(is_another)
    }
}
