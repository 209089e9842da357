//! Messages to text or JSON, by a server.

mod completion;
mod request;
mod wire;

use std::{
    io::BufReader,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

pub(crate) use self::wire::Whole;
pub use self::{
    completion::{Completion, Finish, Outcome},
    request::{ChatRequest, Format, Message, RequestKey, Role},
};
use crate::{
    Budget, Client, LlmError, ResponseCache, Usage,
    chat::wire::{Pieces, Stop},
    schema::Enforcement,
    stream::{End, read_events},
    transport::{Answer, FORMAT, Shape},
};

/// What a chat keeps and counts in. Several chats may share a budget and a cache.
#[derive(Debug, Clone, Default)]
pub struct ChatSettings {
    /// Where answers are kept; without it every request is sent.
    pub cache: Option<ResponseCache>,
    /// What may be spent; without it nothing stops and nothing is counted.
    pub budget: Option<Arc<Budget>>,
}

/// Whether an answer kept before will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It will do.
    CacheAllowed,
    /// The request is sent, and its answer takes the place of the kept one: it was no good.
    Renewed,
}

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From the server.
    Server,
    /// From the cache: nothing was sent or spent.
    Cache,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it is.
    pub outcome: Outcome,
    /// Tokens it took, then or now.
    pub usage: Usage,
    /// Where it came from.
    pub origin: Origin,
}

/// A model behind `POST {base}/chat/completions`. Threads may share it.
///
/// JSON is asked for by schema. A server that answers 400 or 422 to that, or 500 and names the field, is asked for some object, then for
/// text, with the schema in the prompt; what it took is remembered as long as this value lives.
#[derive(Debug)]
pub struct Chat {
    client: Client,
    settings: ChatSettings,
    enforcement: Mutex<Enforcement>,
}

impl Chat {
    /// Sends nothing yet.
    pub fn new(client: Client, settings: ChatSettings) -> Self {
        Self { client, settings, enforcement: Mutex::new(Enforcement::Schema) }
    }

    /// The client it asks through.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Asks, and waits for the whole answer. Complete answers are kept in the cache; refusals and answers that
    /// were cut or are no JSON are not.
    ///
    /// # Errors
    /// When the budget is used up, the server cannot be reached, refuses, or answers what is no answer, or the
    /// cache cannot be read or written.
    pub fn complete(&self, request: &ChatRequest, freshness: Freshness) -> Result<Reply, LlmError> {
        let (completion, origin) = self.answer(request, freshness, |body| {
            let whole: Whole = self.client.post(OPERATION, body)?;
            whole.completion(body).map_err(|found| self.no_answer(found))
        })?;
        Ok(Reply { outcome: completion.outcome(&request.format), usage: completion.usage, origin })
    }

    /// Asks, and hands each piece of the answer to `each` as it comes; an answer from the cache comes as one piece.
    ///
    /// Asks the server to report usage by `stream_options`; one that refuses that field needs
    /// `"stream_options": null` in [`ChatRequest::extra`].
    ///
    /// # Errors
    /// As [`Chat::complete`]; and when the stream breaks off, after the pieces that came. What came was paid for
    /// and is counted.
    pub fn stream(
        &self,
        request: &ChatRequest,
        freshness: Freshness,
        each: &mut dyn FnMut(&str),
    ) -> Result<Reply, LlmError> {
        let (completion, origin) =
            self.answer(request, freshness, |body| self.streamed(&request.streaming(body), each))?;
        if origin == Origin::Cache {
            each(&completion.text);
        }
        Ok(Reply { outcome: completion.outcome(&request.format), usage: completion.usage, origin })
    }

    /// Cache, budget, the ways to ask for JSON, and what becomes of the answer.
    fn answer(
        &self,
        request: &ChatRequest,
        freshness: Freshness,
        mut ask: impl FnMut(&Value) -> Result<Completion, LlmError>,
    ) -> Result<(Completion, Origin), LlmError> {
        let key = request.key(self.model());
        if let (Freshness::CacheAllowed, Some(cache)) = (freshness, &self.settings.cache)
            && let Some(kept) = cache.get(&key)?
        {
            return Ok((kept, Origin::Cache));
        }
        if let Some(budget) = &self.settings.budget {
            budget.admit()?;
        }
        let completion = self.negotiate(request, &mut ask)?;
        self.charge(completion.usage);
        if let (true, Some(cache)) = (completion.outcome(&request.format).is_complete(), &self.settings.cache) {
            cache.put(&key, &completion)?;
        }
        Ok((completion, Origin::Server))
    }

    /// Asks in weaker and weaker ways until the server takes one, and remembers it.
    fn negotiate(
        &self,
        request: &ChatRequest,
        ask: &mut dyn FnMut(&Value) -> Result<Completion, LlmError>,
    ) -> Result<Completion, LlmError> {
        let mut way = *self.enforcement.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut first_refusal, mut weakened) = (None, false);
        loop {
            let error = match ask(&request.body(self.model(), way)) {
                Ok(completion) => {
                    // Another thread may have found out more meanwhile; the last word is as good as any.
                    if weakened {
                        *self.enforcement.lock().unwrap_or_else(PoisonError::into_inner) = way;
                    }
                    return Ok(completion);
                }
                Err(error) => error,
            };
            let weaker = way.weaker().filter(|_| matches!(request.format, Format::Json(_)));
            match (refuses_format(&error), weaker) {
                (true, Some(weaker)) => (way, weakened) = (weaker, true),
                // A request refused in every way was not refused for its format: the first answer says why.
                (true, None) => return Err(first_refusal.unwrap_or(error)),
                (false, _) => return Err(error),
            }
            // One that failed over the format says nothing of the request.
            if !matches!(error, LlmError::Status { status: 500, .. }) {
                first_refusal.get_or_insert(error);
            }
        }
    }

    fn streamed(&self, body: &Value, each: &mut dyn FnMut(&str)) -> Result<Completion, LlmError> {
        let answer = self.client.open(OPERATION, body)?;
        match answer.shape {
            Shape::Whole => self.in_one_piece(answer, body, each),
            Shape::Events => self.in_pieces(answer, body, each),
        }
    }

    fn in_one_piece(
        &self,
        answer: Answer<'_>,
        body: &Value,
        each: &mut dyn FnMut(&str),
    ) -> Result<Completion, LlmError> {
        let url = self.client.url(OPERATION);
        let whole = self.client.read(answer.reader, u64::MAX, &url, 1).map_err(|failure| failure.error)?;
        let whole: Whole = self.client.parse(&whole, &url)?;
        let completion = whole.completion(body).map_err(|found| self.no_answer(found))?;
        each(&completion.text);
        Ok(completion)
    }

    fn in_pieces(&self, answer: Answer<'_>, body: &Value, each: &mut dyn FnMut(&str)) -> Result<Completion, LlmError> {
        let (url, limit) = (self.client.url(OPERATION), self.client.endpoint().max_answer);
        let (mut received, mut pieces) = (0, Pieces::default());
        let take = |data: &[u8]| {
            let event = self.client.parse(data, &url)?;
            pieces.add(event, each).map_err(|stop| match stop {
                Stop::Error(said) => self.no_answer(self.client.error_named(&said)),
                Stop::Unfit(found) => self.no_answer(found),
            })
        };
        let broken = |error, received| self.client.broken(error, received, &url, 1);
        let read = read_events(BufReader::new(answer.reader), &mut received, take, broken);
        let ended = match read {
            _ if received > limit => Err(LlmError::TooLarge { url, limit }),
            Ok(End::Closed) if !pieces.finished() => {
                let found = "the server closed the stream before its end".to_owned();
                Err(LlmError::Truncated { url, received, found, attempts: 1 })
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        let begun = pieces.begun();
        let completion = pieces.into_completion(body);
        if ended.is_err() && begun {
            self.charge(completion.usage);
        }
        ended.map(|()| completion)
    }

    fn charge(&self, usage: Usage) {
        if let Some(budget) = &self.settings.budget {
            budget.charge(usage);
        }
    }

    fn model(&self) -> &str {
        &self.client.endpoint().model
    }

    fn no_answer(&self, found: String) -> LlmError {
        LlmError::Answer { url: self.client.url(OPERATION), found, expected: "a message of the model".to_owned() }
    }
}

/// Whether a server may have refused because of how JSON was asked for; llama-cpp-python fails with 500 and says so.
fn refuses_format(error: &LlmError) -> bool {
    match error {
        LlmError::Status { status: 400 | 422, .. } => true,
        LlmError::Status { status: 500, message, .. } => message.contains(FORMAT),
        _ => false,
    }
}

const OPERATION: &str = "chat/completions";
