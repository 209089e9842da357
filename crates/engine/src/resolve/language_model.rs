//! A language model on a server, from settings: for cue questions, reranking and answers. Nothing else needs one.

use std::{
    num::{NonZeroU32, NonZeroUsize},
    path::Path,
    sync::Arc,
    time::Duration,
};

use aforesaid_core::types::Namespace;
use aforesaid_llm::{
    BaseUrl, Budget, Chat, ChatSettings, Client, Endpoint, Limits, Prices, ResponseCache, RetryPolicy, Timeouts,
};

use super::{choice::Network, key::ConfiguredKey};
use crate::{error::Error, memory::Memory};

const OF: &str = "a language model";

/// A language model as it was configured.
#[derive(Debug, Clone)]
pub struct LlmSettings {
    /// The base URL of its OpenAI-compatible API.
    pub url: Option<String>,
    /// The server's name for the model.
    pub model: Option<String>,
    /// Its key.
    pub key: ConfiguredKey,
    /// Requests in flight at once; `None` is the client's default.
    pub concurrency: Option<NonZeroUsize>,
    /// How long a whole answer may take; `None` is the client's default.
    pub timeout: Option<Duration>,
    /// When to stop.
    pub limits: Limits,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// Whether other machines may be asked.
    pub network: Network,
}

/// How often a failed request is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Several times: nobody waits.
    Patient,
    /// Once: a person waits for the answer.
    Prompt,
}

/// A language model that can be asked, and what that has cost.
pub struct LanguageModel {
    /// The conversation with its server.
    pub chat: Chat,
    /// What was spent, and what may be.
    pub budget: Arc<Budget>,
    /// Requests in flight at once.
    pub concurrency: NonZeroUsize,
}

impl LlmSettings {
    /// The server's name for the model; batch files and stored responses need no more.
    ///
    /// # Errors
    /// When none is configured.
    pub fn model(&self) -> Result<String, Error> {
        let named = self.model.clone().filter(|name| !name.trim().is_empty());
        named.ok_or(Error::MissingSetting { of: OF, setting: "model's name" })
    }

    /// The model, ready to be asked; nothing is sent yet. `cache` is opened once the settings were found to do.
    ///
    /// # Errors
    /// When the URL or the model's name is missing, a setting cannot be used, or the cache cannot be opened.
    pub fn connect(
        &self,
        patience: Patience,
        cache: impl FnOnce() -> Result<Option<ResponseCache>, Error>,
    ) -> Result<LanguageModel, Error> {
        let url = self.url.clone().ok_or(Error::MissingSetting { of: OF, setting: "URL" })?;
        let url: BaseUrl = url.parse()?;
        if self.network == Network::Forbidden && !url.is_loopback() {
            return Err(Error::LlmOffline { url: url.to_string() });
        }
        let default = Endpoint::new(url, self.model()?);
        let call = self.timeout.unwrap_or(default.timeouts.call);
        let retry = match patience {
            Patience::Patient => RetryPolicy::default(),
            Patience::Prompt => RetryPolicy { attempts: NonZeroU32::MIN.saturating_add(1), ..RetryPolicy::default() },
        };
        let concurrency = self.concurrency.unwrap_or(default.concurrency);
        let timeouts = Timeouts { call, ..default.timeouts };
        let endpoint = Endpoint { key: self.key.secret()?, timeouts, concurrency, retry, ..default };
        let budget = Arc::new(Budget::new(self.limits, self.prices)?);
        let kept = ChatSettings { cache: cache()?, budget: Some(Arc::clone(&budget)) };
        Ok(LanguageModel { chat: Chat::new(Client::new(endpoint)?, kept), budget, concurrency })
    }
}

impl Memory {
    /// The responses of a language model about a namespace that are stored in a folder, sealed with a key that every
    /// forget replaces. `None` where nothing should be stored; see [`Memory::cache_key`].
    ///
    /// # Errors
    /// When the store fails or the folder cannot be used.
    pub fn response_cache(&self, namespace: &Namespace, folder: &Path) -> Result<Option<ResponseCache>, Error> {
        let Some(key) = self.cache_key(namespace)? else { return Ok(None) };
        Ok(Some(ResponseCache::sealed(folder, key)?))
    }
}
