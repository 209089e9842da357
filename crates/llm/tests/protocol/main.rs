//! The client against a server that misbehaves in every way we know of.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod batch;
mod chat;
mod embeddings;
mod server;
mod stream;
mod transport;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aforesaid_llm::{Chat, ChatSettings, Client, Clock, Endpoint, Freshness, LlmError, Reply, Secret};
use serde_json::{Value, json};

/// The key that must never be seen.
const KEY: &str = "sk-never-to-be-seen";

/// Noon of 2024-05-01, and later by what was slept.
#[derive(Default)]
struct Dozing(Mutex<Vec<Duration>>);

impl Dozing {
    fn slept(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl Clock for Dozing {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_714_564_800) + self.slept().iter().sum::<Duration>()
    }

    fn sleep(&self, time: Duration) {
        self.0.lock().unwrap().push(time);
    }
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint { key: Some(Secret::new(KEY).unwrap()), ..Endpoint::new(url.parse().unwrap(), "tiny") }
}

fn client(endpoint: Endpoint) -> (Client, Arc<Dozing>) {
    let clock = Arc::new(Dozing::default());
    (Client::with_clock(endpoint, clock.clone()).unwrap(), clock)
}

fn chat(url: &str, settings: ChatSettings) -> Chat {
    Chat::new(client(endpoint(url)).0, settings)
}

/// A whole answer of a chat model.
fn said(text: &str) -> Value {
    json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    })
}

fn hello() -> aforesaid_llm::ChatRequest {
    aforesaid_llm::ChatRequest::new(vec![aforesaid_llm::Message::user("hello")])
}

fn ask(chat: &Chat) -> Result<Reply, LlmError> {
    chat.complete(&hello(), Freshness::CacheAllowed)
}
