//! Options that describe a language model on a server: for cue questions, the judge and answers.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    path::PathBuf,
    time::Duration,
};

pub(crate) use aforesaid::resolve::LanguageModel;
use aforesaid::{
    Creation, Memory,
    resolve::{LlmSettings, Patience},
};
use aforesaid_llm::{Limits, Prices, ResponseCache};
use clap::{Args, ValueHint};

use crate::{
    failure::Failure,
    settings::{Settings, key},
    values::at_least_one,
};

/// Holds the key. There is no option: every user of the machine can read a command line.
const KEY: &str = "AFORESAID_LLM_KEY";

const HEADING: &str = "Language model (AFORESAID_LLM_KEY holds its API key)";

/// Options of a language model.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct LlmArgs {
    /// An OpenAI-compatible server: its base URL, which often ends in /v1.
    // Parsed later: clap would quote a URL that it refuses, and there might be a password in it.
    #[arg(
        long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_URL", hide_env_values = true, value_name = "URL",
        value_hint = ValueHint::Url
    )]
    pub(crate) llm_url: Option<String>,
    /// The server's name for the model.
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_MODEL", value_name = "NAME")]
    pub(crate) llm_model: Option<String>,
    /// Concurrent requests [default: 4].
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_CONCURRENCY", value_name = "N", value_parser = at_least_one)]
    llm_concurrency: Option<NonZeroUsize>,
    /// Seconds to wait for a response [default: 300].
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_TIMEOUT", value_name = "SECONDS")]
    llm_timeout: Option<NonZeroU64>,
    /// Cache responses in this directory [default: no cache]. They quote stored text, and are encrypted with a key of the
    /// namespace that every forget replaces.
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_CACHE", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) llm_cache: Option<PathBuf>,
    /// Stop after this many tokens, prompt and completion together.
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_MAX_TOKENS", value_name = "N")]
    llm_max_tokens: Option<u64>,
    /// Stop after spending this much, in the currency of --llm-prices.
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_MAX_COST", value_name = "AMOUNT")]
    llm_max_cost: Option<f64>,
    /// Prices of a million prompt and completion tokens, as in 0.15:0.60.
    #[arg(long, help_heading = HEADING, hide_short_help = true, env = "AFORESAID_LLM_PRICES", value_name = "READ:WRITTEN", value_parser = prices)]
    llm_prices: Option<Prices>,
}

impl LlmArgs {
    /// The options, and the configuration file where they say nothing, as plain settings.
    fn settings(&self, settings: &Settings) -> LlmSettings {
        LlmSettings {
            url: self.llm_url.clone().or_else(|| settings.llm_url.clone()),
            model: self.llm_model.clone().or_else(|| settings.llm_model.clone()),
            key: key(KEY),
            concurrency: self.llm_concurrency,
            timeout: self.llm_timeout.map(|seconds| Duration::from_secs(seconds.get())),
            limits: Limits { tokens: self.llm_max_tokens, money: self.llm_max_cost },
            prices: self.llm_prices,
            network: settings.models.network,
        }
    }

    /// The server's name for the model; batch files and stored responses need no more.
    pub(crate) fn model(&self, settings: &Settings) -> Result<String, Failure> {
        Ok(self.settings(settings).model()?)
    }

    /// Stored responses about the namespace, where they are to be stored.
    pub(crate) fn sealed_cache(&self, settings: &Settings) -> Result<Option<ResponseCache>, Failure> {
        let Some(folder) = &self.llm_cache else { return Ok(None) };
        Ok(settings.open_plain()?.response_cache(&settings.namespace, folder)?)
    }

    /// The model, ready to be asked; nothing is sent yet.
    pub(crate) fn connect(&self, settings: &Settings) -> Result<LanguageModel, Failure> {
        self.connected(settings, Patience::Patient)
    }

    /// [`LlmArgs::connect`] for a person who waits for the answer.
    pub(crate) fn connect_promptly(&self, settings: &Settings) -> Result<LanguageModel, Failure> {
        self.connected(settings, Patience::Prompt)
    }

    fn connected(&self, settings: &Settings, patience: Patience) -> Result<LanguageModel, Failure> {
        let sealed = || {
            let Some(folder) = &self.llm_cache else { return Ok(None) };
            let memory = Memory::builder().creation(Creation::Forbidden).open(&settings.store)?;
            memory.response_cache(&settings.namespace, folder)
        };
        Ok(self.settings(settings).connect(patience, sealed)?)
    }
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
