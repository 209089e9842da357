//! A language model on a server: for cue questions, the judge and answers. Nothing else needs one.

use std::{
    env,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use aforesaid::Judging;
use aforesaid_llm::{
    BaseUrl, Budget, Chat, ChatSettings, Client, Endpoint, JudgePrompt, JudgeSettings, Limits, LlmError, Prices,
    ResponseCache, RetryPolicy, Secret, Timeouts,
};
use clap::{Args, ValueHint};

use crate::{
    args::at_least_one,
    failure::Failure,
    settings::{Network, Settings},
};

/// Holds the key. No option does: what stands on a command line, every user of the machine can read.
const KEY: &str = "AFORESAID_LLM_KEY";

const HEADING: &str = "Language model on a server (its key, if it needs one, is read from AFORESAID_LLM_KEY)";

/// Where the model is, and what it may cost.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct LlmArgs {
    /// An OpenAI-compatible server: its base URL, which often ends in /v1.
    // Parsed later: clap would quote a URL that it refuses, and there might be a password in it.
    #[arg(
        long, help_heading = HEADING, env = "AFORESAID_LLM_URL", hide_env_values = true, value_name = "URL",
        value_hint = ValueHint::Url
    )]
    pub(crate) llm_url: Option<String>,
    /// The server's name for the model.
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_MODEL", value_name = "NAME")]
    pub(crate) llm_model: Option<String>,
    /// Requests in flight at once [default: 4].
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_CONCURRENCY", value_name = "N", value_parser = at_least_one)]
    llm_concurrency: Option<NonZeroUsize>,
    /// Seconds to wait for an answer [default: 300].
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_TIMEOUT", value_name = "SECONDS")]
    llm_timeout: Option<NonZeroU64>,
    /// Keep answers in this folder and take them from there [default: keep none]. They quote what was said, and are
    /// sealed with a key of the namespace that goes with every forget.
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_CACHE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) llm_cache: Option<PathBuf>,
    /// Stop when so many tokens were read and written.
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_MAX_TOKENS", value_name = "N")]
    llm_max_tokens: Option<u64>,
    /// Stop when so much was spent, in the currency of --llm-prices.
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_MAX_COST", value_name = "AMOUNT")]
    llm_max_cost: Option<f64>,
    /// What a million tokens cost, read and written, as in 0.15:0.60.
    #[arg(long, help_heading = HEADING, env = "AFORESAID_LLM_PRICES", value_name = "READ:WRITTEN", value_parser = prices)]
    llm_prices: Option<Prices>,
}

/// Whether a language model puts hits in order.
#[derive(Debug, Clone, Args)]
pub(crate) struct JudgeArgs {
    /// Have a language model put the best hits in order, by what they add to the answer (conflict-aware, the default) or
    /// by how relevant each is (relevance). It is sent the question and these hits.
    #[arg(
        long, value_name = "BY", num_args = 0..=1, require_equals = true, default_missing_value = "conflict-aware"
    )]
    judge: Option<JudgePrompt>,
    /// How many turns it is shown.
    #[arg(long, value_name = "N", requires = "judge", default_value_t = Judging::DEPTH, value_parser = at_least_one)]
    judge_depth: NonZeroUsize,
}

impl JudgeArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.judge.is_some()
    }

    /// The judge asked for, by this model.
    pub(crate) fn judging<'a>(&self, chat: &'a Chat) -> Option<Judging<'a>> {
        let settings = |prompt| JudgeSettings { prompt, ..JudgeSettings::default() };
        self.judge.map(|prompt| Judging { chat, settings: settings(prompt), depth: self.judge_depth })
    }
}

/// A model that can be asked, and what that has cost.
pub(crate) struct LanguageModel {
    pub(crate) chat: Chat,
    pub(crate) budget: Arc<Budget>,
    /// Requests in flight at once.
    pub(crate) concurrency: NonZeroUsize,
}

impl LlmArgs {
    /// The server's name for the model; batch files and kept answers need no more.
    pub(crate) fn model(&self, settings: &Settings) -> Result<String, Failure> {
        let named = self.llm_model.clone().or_else(|| settings.llm_model.clone());
        named.filter(|name| !name.trim().is_empty()).ok_or_else(|| lacks("model's name", "--llm-model"))
    }

    /// Kept answers about data that is nobody's memory, where they are to be kept.
    pub(crate) fn open_cache(&self) -> Result<Option<ResponseCache>, Failure> {
        self.llm_cache.as_ref().map(ResponseCache::open).transpose().map_err(Failure::Llm)
    }

    /// Kept answers about the namespace, where they are to be kept.
    pub(crate) fn sealed_cache(&self, settings: &Settings) -> Result<Option<ResponseCache>, Failure> {
        let Some(folder) = &self.llm_cache else { return Ok(None) };
        let Some(key) = settings.open_plain()?.cache_key(&settings.namespace)? else { return Ok(None) };
        ResponseCache::sealed(folder, key).map(Some).map_err(Failure::Llm)
    }

    /// The model, ready to be asked; nothing is sent yet.
    pub(crate) fn connect(&self, settings: &Settings) -> Result<LanguageModel, Failure> {
        self.connected(settings, RetryPolicy::default(), || self.sealed_cache(settings))
    }

    /// [`LlmArgs::connect`] for somebody who waits for the answer: what fails is tried once more.
    pub(crate) fn connect_promptly(&self, settings: &Settings) -> Result<LanguageModel, Failure> {
        let once_more = NonZeroU32::MIN.saturating_add(1);
        let retry = RetryPolicy { attempts: once_more, ..RetryPolicy::default() };
        self.connected(settings, retry, || self.sealed_cache(settings))
    }

    /// [`LlmArgs::connect`] to be asked about data that is nobody's memory.
    pub(crate) fn connect_for_data(&self, settings: &Settings) -> Result<LanguageModel, Failure> {
        self.connected(settings, RetryPolicy::default(), || self.open_cache())
    }

    fn connected(
        &self,
        settings: &Settings,
        retry: RetryPolicy,
        cache: impl FnOnce() -> Result<Option<ResponseCache>, Failure>,
    ) -> Result<LanguageModel, Failure> {
        let url = self.llm_url.clone().or_else(|| settings.llm_url.clone()).ok_or_else(|| lacks("URL", "--llm-url"))?;
        let url: BaseUrl = url.parse().map_err(Failure::Llm)?;
        if settings.network == Network::Forbidden && !url.is_loopback() {
            return Err(Failure::Usage(format!(
                "--offline was given, and the language model at {url} is not on this machine; leave out the one or the other"
            )));
        }
        let usual = Endpoint::new(url, self.model(settings)?);
        let call = self.llm_timeout.map_or(usual.timeouts.call, |seconds| Duration::from_secs(seconds.get()));
        let concurrency = self.llm_concurrency.unwrap_or(usual.concurrency);
        let timeouts = Timeouts { call, ..usual.timeouts };
        let endpoint = Endpoint { key: key()?, timeouts, concurrency, retry, ..usual };
        let limits = Limits { tokens: self.llm_max_tokens, money: self.llm_max_cost };
        let budget = Arc::new(Budget::new(limits, self.llm_prices).map_err(refused)?);
        let kept = ChatSettings { cache: cache()?, budget: Some(Arc::clone(&budget)) };
        let client = Client::new(endpoint).map_err(Failure::Llm)?;
        Ok(LanguageModel { chat: Chat::new(client, kept), budget, concurrency })
    }
}

fn lacks(what: &str, option: &str) -> Failure {
    Failure::Usage(format!("a language model: found no {what}; give {option}, or set it in the configuration file"))
}

fn refused(error: LlmError) -> Failure {
    Failure::Usage(error.to_string())
}

/// The key; an empty one is none.
fn key() -> Result<Option<Secret>, Failure> {
    let key = env::var_os(KEY).filter(|key| !key.is_empty());
    // What is no Unicode is refused as what is no ASCII is.
    let key = key.map(|key| Secret::new(&key.to_string_lossy())).transpose();
    key.map_err(|error| Failure::Usage(format!("{KEY}: {error}")))
}

fn prices(text: &str) -> Result<Prices, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0);
    let prices = text.split_once(':').and_then(|(read, written)| Some((number(read)?, number(written)?)));
    let prices = prices.map(|(prompt_million, completion_million)| Prices { prompt_million, completion_million });
    prices.ok_or_else(|| "expected two prices of a million tokens, as in 0.15:0.60".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_prices_from_zero() {
        let expected = Prices { prompt_million: 0.15, completion_million: 0.6 };
        assert_eq!(prices("0.15:0.60"), Ok(expected));
        for wrong in ["1", "a:1", "-1:1", "NaN:1", "1:inf"] {
            assert!(prices(wrong).is_err(), "{wrong}");
        }
    }
}
