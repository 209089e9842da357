//! A language model in a study: asked on a server, or answered by a batch service.

use std::{
    env,
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    time::Duration,
};

use aforesaid::{
    Error,
    llm::{Batch, Chat, JudgePrompt, JudgeSettings, Limits, LlmError, Prices, ResponseCache},
    models::files::read_regular,
    resolve::{ConfiguredKey, LlmSettings, Patience},
};
use aforesaid_eval::recipe::Equipment;
use aforesaid_studies::{ModelTasks, RoxyStudy, roxy_requests};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::{
    failure::Failure,
    machine::Machine,
    output::{Format, json_line, line, watched, write_file},
};

/// The variable with the key. No option has it: every user of a machine can read command lines.
const KEY: &str = "AFORESAID_LLM_KEY";
/// Bytes of a file of results at most.
const MOST_RESULTS: u64 = 1 << 30;

/// What a model does in a study.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Have a language model rerank the best turns, by what they add to the answer (conflict-aware, the default) or by
    /// the relevance of each (relevance).
    #[arg(
        long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "conflict-aware"
    )]
    judge: Option<JudgePrompt>,
    /// Have a model answer every question from the five best turns, and score the answers.
    #[arg(long)]
    answers: bool,
    /// Write the requests that --llm-cache cannot answer as a file for a batch service, and stop.
    #[arg(long, value_name = "FILE", requires = "llm_cache", value_hint = ValueHint::FilePath)]
    requests: Option<PathBuf>,
    /// Read the results of a batch service into --llm-cache first.
    #[arg(long, value_name = "FILE", requires = "llm_cache", value_hint = ValueHint::FilePath)]
    results: Option<PathBuf>,
    #[command(flatten)]
    server: Server,
}

/// The server, and what it may cost. Its key, if it needs one, is in the variable AFORESAID_LLM_KEY.
#[derive(Debug, Args)]
struct Server {
    /// An OpenAI-compatible server: its base URL, which often ends in /v1.
    #[arg(long, env = "AFORESAID_LLM_URL", hide_env_values = true, value_name = "URL", value_hint = ValueHint::Url)]
    llm_url: Option<String>,
    /// The server's name for the model.
    #[arg(long, env = "AFORESAID_LLM_MODEL", value_name = "NAME")]
    llm_model: Option<String>,
    /// Keep answers in this folder and take them from there.
    #[arg(long, env = "AFORESAID_LLM_CACHE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    llm_cache: Option<PathBuf>,
    /// Requests in flight at once [default: 4].
    #[arg(long, env = "AFORESAID_LLM_CONCURRENCY", value_name = "N")]
    llm_concurrency: Option<NonZeroUsize>,
    /// Seconds to wait for an answer [default: 300].
    #[arg(long, env = "AFORESAID_LLM_TIMEOUT", value_name = "SECONDS")]
    llm_timeout: Option<NonZeroU64>,
    /// Stop after this many tokens, read and written.
    #[arg(long, env = "AFORESAID_LLM_MAX_TOKENS", value_name = "N")]
    llm_max_tokens: Option<u64>,
    /// Stop after this cost, in the currency of --llm-prices.
    #[arg(long, env = "AFORESAID_LLM_MAX_COST", value_name = "AMOUNT", requires = "llm_prices")]
    llm_max_cost: Option<f64>,
    /// Prices of a million tokens, read and written, as in 0.15:0.60.
    #[arg(long, env = "AFORESAID_LLM_PRICES", value_name = "READ:WRITTEN", value_parser = prices)]
    llm_prices: Option<Prices>,
}

impl ModelArgs {
    fn is_given(&self) -> bool {
        self.judge.is_some() || self.answers
    }

    /// The model, where it has a task.
    pub(crate) fn connect(&self, machine: &Machine) -> Result<Option<Chat>, Failure> {
        if self.is_given() {
            return self.server.connect(machine).map(Some);
        }
        match self.requests.is_some() || self.results.is_some() {
            true => Err(Failure::Usage("--requests and --results need a task; add --judge or --answers".to_owned())),
            false => Ok(None),
        }
    }

    /// Its tasks.
    pub(crate) fn tasks<'a>(&self, chat: &'a Chat) -> ModelTasks<'a> {
        let judge = self.judge.map(|prompt| JudgeSettings { prompt, ..JudgeSettings::default() });
        ModelTasks { chat, judge, answers: self.answers }
    }

    /// Reads results of a batch service and writes the requests that are left, where files are named for them; returns
    /// whether the command is done with that.
    pub(crate) fn exchange(
        &self,
        study: &RoxyStudy<'_>,
        equipment: &Equipment,
        machine: &Machine,
    ) -> Result<bool, Failure> {
        let (false, Some(cache)) = (self.requests.is_none() && self.results.is_none(), self.server.cache()?) else {
            return Ok(false);
        };
        let requests = watched(machine.format(), |observe| roxy_requests(study, equipment, observe))?;
        let batch = Batch::new(self.server.settings(machine).model().map_err(unusable)?, requests);
        if let Some(results) = &self.results {
            let bytes = read_regular(results, MOST_RESULTS);
            let bytes = bytes.map_err(Failure::io(format!("file {}", results.display())))?;
            let report = batch.read(&bytes[..], &cache).map_err(Failure::Llm)?;
            if machine.format() == Format::Text {
                line(&format!("{}: {report}", results.display()))?;
            }
        }
        let Some(file) = &self.requests else { return Ok(false) };
        let left = batch.unanswered(&cache).map_err(Failure::Llm)?;
        let mut bytes = Vec::new();
        left.write(&mut bytes).map_err(Failure::Llm)?;
        write_file(file, &bytes)?;
        match machine.format() {
            Format::Json => json_line(&json!({"requests": left.len(), "file": file}))?,
            Format::Text => line(&format!("requests in {}: {}", file.display(), left.len()))?,
        }
        Ok(true)
    }
}

impl Server {
    fn settings(&self, machine: &Machine) -> LlmSettings {
        let key = env::var_os(KEY).map(|key| ConfiguredKey::new(key.to_string_lossy()));
        LlmSettings {
            url: self.llm_url.clone(),
            model: self.llm_model.clone(),
            key: key.unwrap_or_default(),
            concurrency: self.llm_concurrency,
            timeout: self.llm_timeout.map(|seconds| Duration::from_secs(seconds.get())),
            limits: Limits { tokens: self.llm_max_tokens, money: self.llm_max_cost },
            prices: self.llm_prices,
            network: machine.network(),
        }
    }

    fn cache(&self) -> Result<Option<ResponseCache>, Failure> {
        self.llm_cache.as_ref().map(ResponseCache::open).transpose().map_err(Failure::Llm)
    }

    fn connect(&self, machine: &Machine) -> Result<Chat, Failure> {
        let cache = self.cache()?;
        let connected = self.settings(machine).connect(Patience::Patient, || Ok(cache));
        Ok(connected.map_err(unusable)?.chat)
    }
}

/// What is missing or contradicts another option is named by its option.
fn unusable(error: Error) -> Failure {
    match &error {
        Error::MissingSetting { .. } => Failure::Usage(format!("{error}; give --llm-url and --llm-model")),
        Error::LlmOffline { .. } => Failure::Usage(format!("{error}: leave out --offline, or --llm-url")),
        Error::Llm(LlmError::Key { .. }) => Failure::Usage(format!("{error}; it is read from {KEY}")),
        _ => error.into(),
    }
}

fn prices(text: &str) -> Result<Prices, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
    let prices = text.split_once(':').and_then(|(read, written)| Some((number(read)?, number(written)?)));
    let prices = prices.map(|(prompt_million, completion_million)| Prices { prompt_million, completion_million });
    prices.ok_or_else(|| "expected two prices of a million tokens, as in 0.15:0.60".to_owned())
}
