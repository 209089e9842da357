//! Requests and answers over HTTP.

use std::{
    fmt,
    io::{self, Read},
    sync::Arc,
};

use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::{
    Agent, Body, Timeout,
    http::{HeaderMap, HeaderValue, Response, Uri, header},
};

use crate::{
    Clock, Endpoint, LlmError, Secret, SystemClock,
    excerpt::{error_text, excerpt, server_message},
    permits::{Permit, Permits},
    retry::{Failure, Remedy, persist},
    retry_after::retry_after,
};

/// Bytes of a refusal that are read to find its message.
const REFUSAL: u64 = 64 << 10;

/// A connection to one model on one server. Shared by threads; a limited number of requests is in flight.
pub struct Client {
    endpoint: Endpoint,
    agent: Agent,
    authorization: Option<HeaderValue>,
    permits: Permits,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of this endpoint. Sends nothing yet.
    ///
    /// # Errors
    /// When the model has no name.
    pub fn new(endpoint: Endpoint) -> Result<Self, LlmError> {
        Self::with_clock(endpoint, Arc::new(SystemClock))
    }

    /// A client whose waits between attempts are those of another clock.
    ///
    /// # Errors
    /// When the model has no name.
    pub fn with_clock(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Result<Self, LlmError> {
        if endpoint.model.trim().is_empty() {
            let found = format!("{:?}", endpoint.model);
            return Err(LlmError::Setting { setting: "model", found, expected: "the server's name of a model" });
        }
        let authorization = endpoint.key.as_ref().map(authorization).transpose()?;
        let permits = Permits::new(endpoint.concurrency.get());
        Ok(Self { agent: agent(&endpoint), endpoint, authorization, permits, clock })
    }

    /// Where and what it asks.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request and reads its whole answer.
    pub(crate) fn post<T: DeserializeOwned>(&self, operation: &str, body: &Value) -> Result<T, LlmError> {
        self.post_for(operation, body, u64::MAX)
    }

    /// Sends a request and reads its whole answer, which is refused above `most` bytes.
    pub(crate) fn post_for<T: DeserializeOwned>(
        &self,
        operation: &str,
        body: &Value,
        most: u64,
    ) -> Result<T, LlmError> {
        let (url, sent) = (self.url(operation), body.to_string());
        // The permit is kept while waiting for another attempt: a server that asks for patience gets fewer requests.
        let _permit = self.permits.take();
        let answer = persist(&self.endpoint.retry, &*self.clock, |attempt| {
            let response = self.send(&url, &sent, attempt)?;
            self.read(response.into_body().into_reader(), most, &url, attempt)
        })?;
        self.parse(&answer, &url)
    }

    /// Sends a request and hands over its answer as it comes. Only the beginning is tried again.
    pub(crate) fn open(&self, operation: &str, body: &Value) -> Result<Answer<'_>, LlmError> {
        let (url, sent) = (self.url(operation), body.to_string());
        let permit = self.permits.take();
        let response = persist(&self.endpoint.retry, &*self.clock, |attempt| self.send(&url, &sent, attempt))?;
        let json = text(response.headers(), "content-type").is_some_and(|kind| kind.starts_with("application/json"));
        let reader = response.into_body().into_reader().take(self.endpoint.max_answer.saturating_add(1));
        Ok(Answer { shape: if json { Shape::Whole } else { Shape::Events }, reader: Box::new(reader), _permit: permit })
    }

    /// The address of an operation.
    pub(crate) fn url(&self, operation: &str) -> String {
        self.endpoint.base_url.join(operation)
    }

    /// What the server said, fit for a message.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        excerpt(text, self.endpoint.key.as_ref())
    }

    /// What stands for an answer where the server sent an error instead.
    pub(crate) fn error_named(&self, said: &str) -> String {
        format!("the error \"{}\"", self.excerpt(said))
    }

    /// Parses an answer, and tells what is no JSON from what is another JSON.
    pub(crate) fn parse<T: DeserializeOwned>(&self, answer: &[u8], url: &str) -> Result<T, LlmError> {
        serde_json::from_slice(answer).map_err(|error| {
            let (url, reason) = (url.to_owned(), self.excerpt(&error.to_string()));
            if !error.is_data() {
                return LlmError::NotJson { url, found: self.excerpt(&String::from_utf8_lossy(answer)), reason };
            }
            // Some servers answer 200 and then say what went wrong.
            let said = serde_json::from_slice::<Value>(answer).ok().and_then(|value| error_text(&value));
            let found = said.map_or(reason, |said| self.error_named(&said));
            LlmError::Answer { url, found, expected: "an answer as of the OpenAI API".to_owned() }
        })
    }

    /// What became of an answer that broke off after `received` bytes.
    pub(crate) fn broken(&self, error: io::Error, received: u64, url: &str, attempts: u32) -> LlmError {
        match ureq::Error::from(error) {
            ureq::Error::Timeout(phase) => self.timed_out(phase, url, attempts),
            other => {
                let found = self.excerpt(&other.to_string());
                LlmError::Truncated { url: url.to_owned(), received, found, attempts }
            }
        }
    }

    /// One attempt, up to the head of a good answer.
    fn send(&self, url: &str, body: &str, attempt: u32) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.post(url).content_type("application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let response = request.send(body).map_err(|error| self.not_sent(error, url, attempt))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response, url, attempt, body)) }
    }

    /// All of an answer, up to `most` bytes and the limit.
    pub(crate) fn read(&self, reader: impl Read, most: u64, url: &str, attempt: u32) -> Result<Vec<u8>, Failure> {
        let limit = self.endpoint.max_answer.min(most);
        let mut answer = Vec::new();
        let read = reader.take(limit.saturating_add(1)).read_to_end(&mut answer);
        if answer.len() as u64 > limit {
            return Err(Failure { error: LlmError::TooLarge { url: url.to_owned(), limit }, remedy: Remedy::None });
        }
        let broken = |error| self.broken(error, answer.len() as u64, url, attempt);
        match read.map_err(broken) {
            Ok(_) => Ok(answer),
            Err(error) => Err(Failure { error, remedy: Remedy::Retry }),
        }
    }

    fn not_sent(&self, error: ureq::Error, url: &str, attempts: u32) -> Failure {
        let remedy = match error {
            ureq::Error::Timeout(phase) => {
                return Failure { error: self.timed_out(phase, url, attempts), remedy: Remedy::Retry };
            }
            ureq::Error::Io(_)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::ConnectProxyFailed(_) => Remedy::Retry,
            _ => Remedy::None,
        };
        let found = self.excerpt(&error.to_string());
        Failure { error: LlmError::Connection { url: url.to_owned(), found, attempts }, remedy }
    }

    fn timed_out(&self, phase: Timeout, url: &str, attempts: u32) -> LlmError {
        let timeouts = self.endpoint.timeouts;
        let connecting = matches!(phase, Timeout::Connect | Timeout::Resolve);
        let limit = if connecting { timeouts.connect } else { timeouts.call };
        let phase = if connecting { "to connect" } else { "in all" };
        LlmError::TimedOut { url: url.to_owned(), phase: phase.to_owned(), limit, attempts }
    }

    fn refused(&self, response: Response<Body>, url: &str, attempts: u32, sent: &str) -> Failure {
        let (url, status) = (url.to_owned(), response.status().as_u16());
        if let (300..400, Some(location)) = (status, text(response.headers(), "location")) {
            let location = self.excerpt(&without_credentials(location));
            return Failure { error: LlmError::Redirected { url, status, location }, remedy: Remedy::None };
        }
        let asked = text(response.headers(), "retry-after").and_then(|value| retry_after(value, self.clock.now()));
        let mut body = Vec::new();
        // A refusal whose body breaks off is still a refusal: what came of it is what it says.
        let _ = response.into_body().into_reader().take(REFUSAL).read_to_end(&mut body);
        let message = server_message(&body, self.endpoint.key.as_ref(), sent);
        let remedy = match (status, asked) {
            // A used-up account is no busy server.
            (429, _) if mentions(&body, QUOTA) => Remedy::None,
            // Some servers fail over a format that they do not know, and would again.
            (500, _) if mentions(&body, FORMAT) => Remedy::None,
            (408 | 429 | 500.., Some(asked)) => Remedy::RetryAfter(asked),
            (408 | 429 | 500.., None) => Remedy::Retry,
            _ => Remedy::None,
        };
        Failure { error: LlmError::Status { url, status, message, attempts, next: next(status, remedy) }, remedy }
    }
}

const QUOTA: &str = "insufficient_quota";
/// The field of a request that asks for JSON.
pub(crate) const FORMAT: &str = "response_format";

fn mentions(body: &[u8], word: &str) -> bool {
    body.windows(word.len()).any(|window| window == word.as_bytes())
}

/// An answer that is still coming.
pub(crate) struct Answer<'a> {
    pub(crate) shape: Shape,
    /// Ends one byte above the limit.
    pub(crate) reader: Box<dyn Read + Send>,
    _permit: Permit<'a>,
}

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As events.
    Events,
    /// As one JSON value, though events were asked for.
    Whole,
}

/// The header with the key, marked so that no log shows it.
fn authorization(key: &Secret) -> Result<HeaderValue, LlmError> {
    let header = HeaderValue::try_from(format!("Bearer {}", key.expose()));
    let mut header = header.map_err(|_| LlmError::Key { found: "what cannot stand in a header" })?;
    header.set_sensitive(true);
    Ok(header)
}

fn agent(endpoint: &Endpoint) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(endpoint.proxy.as_ref().map(|proxy| proxy.0.clone()))
        .timeout_resolve(Some(endpoint.timeouts.connect))
        .timeout_connect(Some(endpoint.timeouts.connect))
        .timeout_global(Some(endpoint.timeouts.call))
        .max_idle_connections_per_host(endpoint.concurrency.get())
        .user_agent(concat!("aforesaid/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Scheme, host and path of where a redirect points.
fn without_credentials(location: &str) -> String {
    let Ok(uri) = location.parse::<Uri>() else { return "an unreadable address".to_owned() };
    let host = uri.authority().map(|authority| authority.as_str().rsplit('@').next().unwrap_or_default());
    match (uri.scheme_str(), host) {
        (Some(scheme), Some(host)) => format!("{scheme}://{host}{}", uri.path()),
        _ => uri.path().to_owned(),
    }
}

fn next(status: u16, remedy: Remedy) -> String {
    if let Remedy::RetryAfter(wait) = remedy {
        return format!("wait {} s, as the server asks, and try again", wait.as_secs_f64().ceil());
    }
    match status {
        401 | 403 => "check the key",
        404 | 405 => "check the base URL, which often ends in /v1, and the model's name",
        402 => "check the account",
        413 => "send less at once",
        429 if remedy == Remedy::None => "check the account's quota",
        429 => "try again later, or with fewer requests in flight",
        408 | 500.. => "try again later, or look into the server's log",
        _ => "correct the request or its settings",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_a_redirect_is_shown_without_what_may_be_secret() {
        for (location, expected) in [
            ("https://ann:pw@elsewhere.example/v1/x?token=1", "https://elsewhere.example/v1/x"),
            ("/v2/x?token=1", "/v2/x"),
            ("https://a b", "an unreadable address"),
        ] {
            assert_eq!(without_credentials(location), expected);
        }
    }
}
