//! The client against a server that misbehaves in every way we know of.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod answers;
mod batch;
mod chat;
mod cues;
mod embeddings;
mod hostile;
mod judge;
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

/// A message of a chat model that ended for this reason, of the same cost.
fn finished(message: Value, reason: &str) -> Value {
    json!({
        "choices": [{"message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    })
}

/// The JSON strings at the ends of the lines of a prompt's block, which must be there once.
fn quoted_in(prompt: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let lines: Vec<_> = prompt.lines().collect();
    let places = |mark: &str| (0..lines.len()).filter(|place| lines[*place] == mark).collect::<Vec<_>>();
    let ([from], [to]) = (&places(&open)[..], &places(&close)[..]) else { panic!("no block {name} in {prompt}") };
    let text =
        |line: &&str| line.match_indices('"').find_map(|(at, _)| serde_json::from_str(&line[at..]).ok()).unwrap();
    lines[from + 1..*to].iter().map(text).collect()
}

fn hello() -> aforesaid_llm::ChatRequest {
    aforesaid_llm::ChatRequest::new(vec![aforesaid_llm::Message::user("hello")])
}

fn ask(chat: &Chat) -> Result<Reply, LlmError> {
    chat.complete(&hello(), Freshness::CacheAllowed)
}
