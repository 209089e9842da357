//! What can go wrong between a request and its answer.

use std::{io, path::PathBuf, time::Duration};

use crate::Spent;

/// A request could not be made, sent, answered or paid for.
///
/// No message holds a key; what a server said is cut short and its control characters are escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The base URL is none.
    #[error(
        "base URL: found {found}, expected http://HOST or https://HOST, a port and a path such as /v1 if need be; correct it"
    )]
    BaseUrl {
        /// What is wrong with it.
        found: &'static str,
    },
    /// The proxy's address is none.
    #[error("proxy: found no address of a proxy, expected http://[USER:PASSWORD@]HOST:PORT; correct it")]
    Proxy,
    /// The key cannot stand in a header.
    #[error("key: found {found}, expected printable ASCII without spaces; copy it again")]
    Key {
        /// What is wrong with it.
        found: &'static str,
    },
    /// A setting makes no sense.
    #[error("{setting}: found {found}, expected {expected}; change it")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// Values that would do.
        expected: &'static str,
    },
    /// No connection, or one that broke before an answer began.
    #[error("{url}: {found}, attempts: {attempts}; check that the server runs there and can be reached")]
    Connection {
        /// The address.
        url: String,
        /// What happened.
        found: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// The server did not answer in time.
    #[error(
        "{url}: no whole answer within {} s ({phase}), attempts: {attempts}; allow more time, or ask for less", .limit.as_secs_f64()
    )]
    TimedOut {
        /// The address.
        url: String,
        /// What it waited for.
        phase: String,
        /// The time allowed.
        limit: Duration,
        /// How often it was tried.
        attempts: u32,
    },
    /// The server refused.
    #[error("{url}: status {status}, attempts: {attempts}: {message}; {next}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server said.
        message: String,
        /// How often it was tried.
        attempts: u32,
        /// What to do.
        next: String,
    },
    /// The server wants the request elsewhere. Redirects are never followed: the key and the texts belong to one server.
    #[error(
        "{url}: status {status} to {location}, expected an answer; if that is the server you mean, make it the base URL"
    )]
    Redirected {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// Where to, without credentials and query.
        location: String,
    },
    /// The answer is too large.
    #[error("{url}: an answer of more than {limit} bytes; ask for less, or allow more")]
    TooLarge {
        /// The address.
        url: String,
        /// Bytes allowed.
        limit: u64,
    },
    /// The answer broke off.
    #[error("{url}: the answer broke off after {received} bytes ({found}), attempts: {attempts}; try again")]
    Truncated {
        /// The address.
        url: String,
        /// Bytes of it that came.
        received: u64,
        /// How it ended.
        found: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// The answer is no JSON.
    #[error(
        "{url}: found \"{found}\" ({reason}), expected JSON; check that the base URL is that of an OpenAI-compatible API"
    )]
    NotJson {
        /// The address.
        url: String,
        /// How it begins.
        found: String,
        /// Where it stops being JSON.
        reason: String,
    },
    /// The answer is JSON, but not what was asked for.
    #[error("{url}: found {found}, expected {expected}; check the server and the model")]
    Answer {
        /// The address.
        url: String,
        /// What came.
        found: String,
        /// What should have come.
        expected: String,
    },
    /// The budget is used up. Nothing was sent.
    #[error("the budget is used up: spent {spent}, allowed {allowed}; allow more to go on, what was answered is kept")]
    OutOfBudget {
        /// What was spent.
        spent: Spent,
        /// The limit that was reached.
        allowed: String,
    },
    /// The file system refused.
    #[error("{}: could not {action}; check that the path exists and may be used", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A batch file could not be written or read.
    #[error("batch file: could not {action}; check the disk and try again")]
    BatchFile {
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// Model and revision do not make an encoder id.
    #[error(transparent)]
    Id(#[from] aforesaid_core::types::InvalidName),
}

impl LlmError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BaseUrl { .. } => "server_url",
            Self::Proxy => "server_proxy",
            Self::Key { .. } => "server_key",
            Self::Setting { .. } => "server_setting",
            Self::Connection { .. } => "server_connection",
            Self::TimedOut { .. } => "server_timed_out",
            Self::Status { .. } => "server_status",
            Self::Redirected { .. } => "server_redirected",
            Self::TooLarge { .. } => "server_answer_too_large",
            Self::Truncated { .. } => "server_answer_truncated",
            Self::NotJson { .. } => "server_answer_not_json",
            Self::Answer { .. } => "server_answer_unexpected",
            Self::OutOfBudget { .. } => "out_of_budget",
            Self::Io { .. } => "response_cache_io",
            Self::BatchFile { .. } => "batch_file_io",
            Self::Id(_) => "invalid_name",
        }
    }

    /// Wraps a failure of the file system.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, action, source }
    }
}
