//! Requests and results as files of the OpenAI Batch API: one JSON object a line.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::{self, BufRead, Read, Write},
};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ChatRequest, LlmError, Outcome, RequestKey, ResponseCache,
    chat::Whole,
    excerpt::{error_text, excerpt},
    schema::Enforcement,
};

/// Requests to one model, each once, in the order given.
///
/// Results go into a [`ResponseCache`] under the requests' keys, where [`Chat::complete`](crate::Chat::complete)
/// finds them: a run that has written a batch and read its results goes on without sending anything.
#[derive(Debug, Clone)]
pub struct Batch {
    model: String,
    requests: Vec<(RequestKey, ChatRequest)>,
}

/// What became of one line of results.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LineOutcome {
    /// A complete answer: it is in the cache now.
    Stored,
    /// A second answer to a request that has one from this file; the first one counts.
    Repeated,
    /// An answer to a request that is not in the batch.
    Unknown,
    /// The request failed, for this reason.
    Failed {
        /// HTTP status, if the line holds one.
        status: Option<u16>,
        /// What the service said.
        message: String,
    },
    /// An answer that is not what was asked for: a refusal, a cut or filtered one, or no JSON. Not stored.
    Incomplete(Outcome),
    /// No line of results, for this reason; the last line of a file that was cut short, for one.
    Unreadable(String),
}

impl LineOutcome {
    /// One word, to count by.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Repeated => "repeated",
            Self::Unknown => "unknown",
            Self::Failed { .. } => "failed",
            Self::Incomplete(_) => "incomplete",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

/// A line of results that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub struct LineReport {
    /// Its number, from 1.
    pub line: usize,
    /// The request it speaks of, made fit for a message, if that can be read.
    pub custom_id: Option<String>,
    /// What became of it.
    pub outcome: LineOutcome,
}

/// What a file of results held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchReport {
    /// Each line.
    pub lines: Vec<LineReport>,
    /// Requests of the batch without a complete answer in this file, in order.
    pub unanswered: Vec<RequestKey>,
}

impl BatchReport {
    /// How many lines there are of each [`LineOutcome::kind`].
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.lines.iter().fold(BTreeMap::new(), |mut counts, line| {
            *counts.entry(line.outcome.kind()).or_default() += 1;
            counts
        })
    }
}

impl fmt::Display for BatchReport {
    /// `12 stored, 1 failed, 2 unanswered`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().into_iter().try_for_each(|(kind, count)| write!(f, "{count} {kind}, "))?;
        write!(f, "{} unanswered", self.unanswered.len())
    }
}

impl Batch {
    /// A batch of these requests; a repeated one is in it once.
    pub fn new(model: impl Into<String>, requests: impl IntoIterator<Item = ChatRequest>) -> Self {
        let (model, mut known) = (model.into(), BTreeSet::new());
        let keyed = requests.into_iter().map(|request| (request.key(&model), request));
        let requests = keyed.filter(|(key, _)| known.insert(key.clone())).collect();
        Self { model, requests }
    }

    /// The requests of this batch that have no complete answer in the cache: what is left of a half-finished one.
    ///
    /// # Errors
    /// When the cache cannot be read.
    pub fn unanswered(&self, cache: &ResponseCache) -> Result<Self, LlmError> {
        let mut left = Vec::new();
        for (key, request) in &self.requests {
            let answered = cache.get(key)?.is_some_and(|kept| kept.outcome(&request.format).is_complete());
            if !answered {
                left.push((key.clone(), request.clone()));
            }
        }
        Ok(Self { model: self.model.clone(), requests: left })
    }

    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there is no request.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Writes a line a request; its `custom_id` is its key.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, mut out: impl Write) -> Result<(), LlmError> {
        let lines = self.requests.iter().try_for_each(|(key, request)| {
            let body = request.body(&self.model, Enforcement::Schema);
            let line =
                json!({"custom_id": key.as_str(), "method": "POST", "url": "/v1/chat/completions", "body": body});
            writeln!(out, "{line}")
        });
        lines.and_then(|()| out.flush()).map_err(|source| LlmError::BatchFile { action: "write the requests", source })
    }

    /// Reads results in any order and puts complete answers into the cache.
    ///
    /// A line that is no result is reported and the next one read, so that a file cut short or edited by hand
    /// gives what it has.
    ///
    /// # Errors
    /// When the file cannot be read, has a line of more than 16 MiB or 1,000,000 lines more than the batch has
    /// requests, or the cache cannot be written; what came before is kept.
    pub fn read(&self, mut results: impl BufRead, cache: &ResponseCache) -> Result<BatchReport, LlmError> {
        let failed = |source| LlmError::BatchFile { action: "read the results", source };
        let requests: BTreeMap<&str, &(RequestKey, ChatRequest)> =
            self.requests.iter().map(|keyed| (keyed.0.as_str(), keyed)).collect();
        let mut open = requests.clone();
        let mut lines = Vec::new();
        let most = MOST_LINES.saturating_add(self.requests.len());
        for number in 1.. {
            let Some(line) = next_line(&mut results).map_err(failed)? else { break };
            if number > most {
                return Err(failed(io::Error::other(format!("found more than {most} lines"))));
            }
            let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line).trim_ascii();
            if line.is_empty() {
                continue;
            }
            let (custom_id, outcome) = match serde_json::from_slice::<Line>(line) {
                Err(error) => (None, LineOutcome::Unreadable(excerpt(&error.to_string(), None))),
                Ok(Line { custom_id, answer }) => {
                    let outcome = match open.get(custom_id.as_str()) {
                        Some((key, request)) => answer.keep(key, request, &self.model, cache)?,
                        None if requests.contains_key(custom_id.as_str()) => LineOutcome::Repeated,
                        None => LineOutcome::Unknown,
                    };
                    if outcome == LineOutcome::Stored {
                        open.remove(custom_id.as_str());
                    }
                    (Some(excerpt(&custom_id, None)), outcome)
                }
            };
            lines.push(LineReport { line: number, custom_id, outcome });
        }
        let unanswered = self.requests.iter().map(|(key, _)| key).filter(|key| open.contains_key(key.as_str()));
        Ok(BatchReport { lines, unanswered: unanswered.cloned().collect() })
    }
}

/// Bytes of a line at most.
const LONGEST_LINE: u64 = 16 << 20;
/// Lines of a file at most, beyond one a request: a device has no end.
const MOST_LINES: usize = 1_000_000;

/// The next line, without its end; `None` at the end of the file.
fn next_line(results: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    results.take(LONGEST_LINE + 1).read_until(b'\n', &mut line)?;
    match line.last() {
        None => Ok(None),
        Some(b'\n') => {
            line.pop();
            Ok(Some(line))
        }
        _ if line.len() as u64 > LONGEST_LINE => {
            Err(io::Error::other(format!("found a line of more than {LONGEST_LINE} bytes")))
        }
        Some(_) => Ok(Some(line)),
    }
}

/// A line of results.
#[derive(Deserialize)]
struct Line {
    custom_id: String,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(Deserialize)]
struct Answer {
    response: Option<Response>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    status_code: Option<u16>,
    #[serde(default)]
    body: Value,
}

impl Answer {
    /// Puts a complete answer into the cache; says what it is in any case.
    fn keep(
        self,
        key: &RequestKey,
        request: &ChatRequest,
        model: &str,
        cache: &ResponseCache,
    ) -> Result<LineOutcome, LlmError> {
        let status = self.response.as_ref().and_then(|response| response.status_code);
        let said = |value: &Value| excerpt(&error_text(value).unwrap_or_else(|| value.to_string()), None);
        let failed = |message| Ok(LineOutcome::Failed { status, message });
        if let Some(error) = self.error.filter(|error| !error.is_null()) {
            return failed(said(&json!({"error": error})));
        }
        let Some(Response { body, .. }) = self.response else {
            return failed("neither a response nor an error".to_owned());
        };
        if status.is_some_and(|status| !(200..300).contains(&status)) {
            return failed(said(&body));
        }
        let whole = serde_json::from_value::<Whole>(body.clone()).map_err(|_| said(&body));
        let sent = request.body(model, Enforcement::Schema);
        let completion = match whole.and_then(|whole| whole.completion(&sent)) {
            Ok(completion) => completion,
            Err(message) => return failed(message),
        };
        let outcome = completion.outcome(&request.format);
        if !outcome.is_complete() {
            return Ok(LineOutcome::Incomplete(outcome));
        }
        cache.put(key, &completion)?;
        Ok(LineOutcome::Stored)
    }
}
