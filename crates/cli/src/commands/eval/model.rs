//! A language model in a study: asked on a server, or answered by a batch service.

use std::path::PathBuf;

use aforesaid_eval::{
    recipe::Equipment,
    studies::{Asked, RoxyStudy, roxy_requests},
};
use aforesaid_llm::{Batch, Chat, JudgePrompt, JudgeSettings};
use clap::{Args, ValueHint};
use serde_json::json;

use super::{equipment::watched, print_json};
use crate::{
    failure::Failure,
    files::{read_input, write_whole},
    llm::{LanguageModel, LlmArgs},
    render::{count, path, say},
    settings::{Output, Settings},
};

/// What a model does in a study.
#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// Have a language model judge the best turns, by what they add to the answer (conflict-aware, the default) or by how
    /// relevant each is (relevance).
    #[arg(
        long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "conflict-aware"
    )]
    judge: Option<JudgePrompt>,
    /// Have a model answer every question from the five best turns, and score the answers.
    #[arg(long)]
    answers: bool,
    /// Write the requests that --llm-cache has no answer to as a file for a batch service, and stop.
    #[arg(long, value_name = "FILE", requires = "llm_cache", value_hint = ValueHint::FilePath)]
    requests: Option<PathBuf>,
    /// Read the results of a batch service into --llm-cache first.
    #[arg(long, value_name = "FILE", requires = "llm_cache", value_hint = ValueHint::FilePath)]
    results: Option<PathBuf>,
    #[command(flatten)]
    llm: LlmArgs,
}

impl ModelArgs {
    pub(super) fn is_given(&self) -> bool {
        self.judge.is_some() || self.answers
    }

    /// The model, where it is to judge or to answer.
    pub(super) fn connect(&self, settings: &Settings) -> Result<Option<LanguageModel>, Failure> {
        if !self.is_given() {
            let without = self.requests.is_some() || self.results.is_some();
            let message = "--requests and --results are of what a model is asked for; add --judge or --answers";
            return if without { Err(Failure::Usage(message.to_owned())) } else { Ok(None) };
        }
        self.llm.connect(settings).map(Some)
    }

    /// What it is asked for.
    pub(super) fn asked<'a>(&self, chat: &'a Chat) -> Asked<'a> {
        let judge = self.judge.map(|prompt| JudgeSettings { prompt, ..JudgeSettings::default() });
        Asked { chat, judge, answers: self.answers }
    }

    /// Takes the results of a batch service in and writes what is still to be asked, as far as files for them were named;
    /// says whether that was all there is to do.
    pub(super) fn exchange(
        &self,
        study: &RoxyStudy<'_>,
        equipment: &Equipment,
        settings: &Settings,
    ) -> Result<bool, Failure> {
        let (false, Some(cache)) = (self.requests.is_none() && self.results.is_none(), self.llm.cache()?) else {
            return Ok(false);
        };
        let batch = self.batch(study, equipment, settings)?;
        if let Some(results) = &self.results {
            let bytes = read_input(results).map_err(Failure::io(format!("file {}", results.display())))?;
            let report = batch.read(&bytes[..], &cache).map_err(Failure::Llm)?;
            if settings.output == Output::People {
                say!("{}: {report}", path(results))?;
            }
        }
        let Some(file) = &self.requests else { return Ok(false) };
        let left = batch.unanswered(&cache).map_err(Failure::Llm)?;
        let mut bytes = Vec::new();
        left.write(&mut bytes).map_err(Failure::Llm)?;
        write_whole(file, &bytes)?;
        match settings.output {
            Output::Programs => print_json(&json!({"requests": left.len(), "file": file}))?,
            Output::People => say!("{} in {}", count(left.len(), "request"), path(file))?,
        }
        Ok(true)
    }

    fn batch(&self, study: &RoxyStudy<'_>, equipment: &Equipment, settings: &Settings) -> Result<Batch, Failure> {
        let requests = watched(settings, |observe| roxy_requests(study, equipment, observe))?;
        Ok(Batch::new(self.llm.model(settings)?, requests))
    }
}
