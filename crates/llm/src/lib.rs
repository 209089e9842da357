//! A client for OpenAI-compatible servers: vLLM, Ollama, llama.cpp and hosted ones.
//!
//! ```no_run
//! use aforesaid_llm::{Chat, ChatRequest, ChatSettings, Client, Endpoint, Freshness, Message, Outcome};
//!
//! # fn main() -> Result<(), aforesaid_llm::LlmError> {
//! let endpoint = Endpoint::new("http://127.0.0.1:11434/v1".parse()?, "qwen3:4b");
//! let chat = Chat::new(Client::new(endpoint)?, ChatSettings::default());
//! let request = ChatRequest::new(vec![Message::user("Who has the kite?")]);
//! if let Outcome::Text(text) = chat.complete(&request, Freshness::CacheAllowed)?.outcome {
//!     assert!(!text.is_empty());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | what | where |
//! |---|---|
//! | where a server is, how long to wait, what to try again | [`Endpoint`], [`RetryPolicy`], [`Client`] |
//! | texts to vectors | [`RemoteEncoder`] |
//! | messages to text or JSON | [`Chat`], [`ChatRequest`], [`Outcome`] |
//! | what it costs, and when to stop | [`Budget`] |
//! | what was answered before | [`ResponseCache`], [`CacheKey`] |
//! | the same requests as files for a batch service | [`Batch`] |
//! | questions that a passage answers, to find it by | [`write_cues`], [`CueSettings`] |
//! | which candidates are evidence, and in what order | [`judge`], [`JudgeSettings`], [`order`] |
//! | an answer from memories, and what it cites | [`Ask`], [`AnswerPrompt`], [`context_block`], [`citations`] |
//!
//! What people said goes into these prompts as JSON strings in named blocks, and only a schema or the ids given
//! decide what counts of a reply.
//!
//! Nothing here prints, reads the environment or follows a redirect; a key is an argument, goes into one
//! header, and is in no message. Calls block; what runs side by side runs on threads.
#![forbid(unsafe_code)]

mod answers;
mod base_url;
mod batch;
mod budget;
mod cache;
mod canonical;
mod chat;
mod clock;
mod cues;
mod embeddings;
mod endpoint;
mod error;
mod excerpt;
mod extract;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod in_flight;
mod judge;
mod permits;
mod private;
mod proxy;
mod quoted;
mod reasoning;
mod reply;
mod retry;
mod retry_after;
mod sampling;
mod schema;
mod sealed;
mod secret;
mod stream;
mod transport;

pub use answers::{
    AnswerPrompt, AnswerSettings, Ask, ContextMemory, NOT_MENTIONED, Sought, Support, citations, context_block,
    not_given,
};
pub use base_url::BaseUrl;
pub use batch::{Batch, BatchReport, BatchWriter, LineOutcome, LineReport};
pub use budget::{Budget, Counted, Limits, Prices, Spent, Usage};
pub use cache::ResponseCache;
pub use chat::{
    Chat, ChatRequest, ChatSettings, Completion, Finish, Format, Freshness, Message, Origin, Outcome, Reply,
    RequestKey, Role,
};
pub use clock::{Clock, SystemClock};
pub use cues::{CueFault, CuePrompt, CueSettings, CueSubject, Written, write_cues};
pub use embeddings::{BatchLimits, Dimension, EmbeddingSettings, RemoteEncoder};
pub use endpoint::{Endpoint, Timeouts};
pub use error::LlmError;
pub use judge::{JudgeCandidate, JudgeFault, JudgePrompt, JudgeSettings, Judgement, judge, order};
pub use proxy::Proxy;
pub use reasoning::{StreamFilter, without_reasoning};
pub use reply::ReplyFault;
pub use retry::RetryPolicy;
pub use schema::Schema;
pub use sealed::CacheKey;
pub use secret::Secret;
pub use transport::Client;
