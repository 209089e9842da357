//! The server's answers in words a user can act on. Nothing of a row, and no password, is in them.

use std::error::Error as _;

use aforesaid_core::StoreError;
use tokio_postgres::{Error, error::SqlState};

/// What was being done, and where, for the message of whatever goes wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    location: &'a str,
    action: &'static str,
}

/// What an error says of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Others were in the way: the same again may succeed.
    Conflict,
    /// Another transaction holds the lock that was asked for.
    Busy,
    /// The connection is gone.
    Lost,
    /// The server starts, ends, or has no connection to give.
    NotReady,
    /// Anything else.
    Other,
}

/// What the server says, without details, which may be of rows.
#[derive(Debug, thiserror::Error)]
#[error("PostgreSQL: {message} (SQLSTATE {code})")]
struct Answer {
    message: String,
    code: String,
}

/// A failure beside the server's answers: the network, the protocol.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(String);

impl Trouble {
    pub(crate) fn of(error: &Error) -> Self {
        let Some(code) = error.code() else {
            return if error.is_closed() || is_io(error) { Self::Lost } else { Self::Other };
        };
        match code {
            code if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED => {
                Self::Conflict
            }
            code if *code == SqlState::LOCK_NOT_AVAILABLE => Self::Busy,
            code if *code == SqlState::CANNOT_CONNECT_NOW || *code == SqlState::TOO_MANY_CONNECTIONS => Self::NotReady,
            code if code.code().starts_with("08") || code.code().starts_with("57P") => Self::Lost,
            _ => Self::Other,
        }
    }
}

fn is_io(error: &Error) -> bool {
    error.source().is_some_and(|cause| cause.is::<std::io::Error>())
}

impl<'a> Context<'a> {
    pub(crate) fn new(location: &'a str, action: &'static str) -> Self {
        Self { location, action }
    }

    /// What was found cannot be right.
    pub(crate) fn damaged(self, found: impl Into<String>) -> StoreError {
        StoreError::Damaged { location: self.location.to_owned(), found: found.into() }
    }

    /// A column that does not hold what it should.
    pub(crate) fn unreadable(self) -> StoreError {
        self.damaged(format!("could not {}: a row is unreadable", self.action))
    }

    /// The place cannot do as asked.
    pub(crate) fn refused(self, found: impl Into<String>, next: impl Into<String>) -> StoreError {
        location_error(self.location, found, next)
    }

    /// A failure of this program's own.
    pub(crate) fn failed(self, what: impl Into<String>) -> StoreError {
        StoreError::Backend {
            location: self.location.to_owned(),
            action: self.action,
            source: Box::new(Failure(what.into())),
        }
    }

    /// Gives an error its place and, where one is known, its remedy.
    pub(crate) fn explain(self, error: &Error) -> StoreError {
        let Some(answer) = error.as_db_error() else { return self.without_answer(error) };
        let (code, message) = (answer.code(), answer.message());
        let known = match code.code() {
            "28P01" | "28000" => Some(("the server refuses this user or password", "correct them in the URL")),
            "3D000" => Some(("there is no such database", "make it with CREATE DATABASE, or name another")),
            "42501" => Some((
                "this user lacks a permission",
                "let the user create the schema once, or grant it the schema's tables",
            )),
            "25006" => {
                Some(("the server takes no writes (a standby, or read-only)", "name the primary server, or only read"))
            }
            "53100" => Some(("the server's disk is full", "free some space and try again; nothing was written")),
            "53300" => Some((
                "the server has no connection left",
                "raise max_connections, put a pooler in between, or lower pool_size",
            )),
            "57P03" => Some(("the server is starting or ending", "try again in a moment; nothing was written")),
            "57014" => Some((
                "a statement took longer than it may, and was ended",
                "raise statement_timeout in the URL (seconds) and try again; nothing was written",
            )),
            "55P03" => Some((
                "another transaction holds the namespace",
                "wait for it to finish and try again; nothing was written",
            )),
            "26000" | "42P05" => Some((
                "a pooler in between does not keep prepared statements",
                "give prepared_statements=off in the URL",
            )),
            "42P01" | "3F000" => Some((
                "the tables of the store are not there any more",
                "restore them, or open the store once where it may be made",
            )),
            _ if Trouble::of(error) == Trouble::Conflict => {
                Some(("others changed the same rows, again and again", "try again; nothing was written"))
            }
            _ if Trouble::of(error) == Trouble::Lost => Some((
                "the server ended the connection",
                "see its log, and try again; what was not acknowledged is not there",
            )),
            _ => None,
        };
        match known {
            Some((found, next)) => location_error(self.location, format!("{found} (SQLSTATE {})", code.code()), next),
            None => StoreError::Backend {
                location: self.location.to_owned(),
                action: self.action,
                source: Box::new(Answer { message: message.to_owned(), code: code.code().to_owned() }),
            },
        }
    }

    fn without_answer(self, error: &Error) -> StoreError {
        let cause = error.source().map(|cause| format!(" ({cause})")).unwrap_or_default();
        if error.is_closed() {
            return self.refused(
                "the connection to the server was lost",
                "see whether it runs, and try again; what was not acknowledged is not there",
            );
        }
        let text = error.to_string();
        if text.contains("TLS") {
            return self.refused(
                format!("no encrypted connection could be made{cause}"),
                "give sslrootcert=FILE for a certificate of your own, or sslmode=disable where the network is yours",
            );
        }
        if is_io(error) || text.contains("connecting") || text.contains("timeout") {
            return self.refused(
                format!("no connection to the server{cause}"),
                "see whether it runs and can be reached from here, and try again",
            );
        }
        // Such as authentication: what is asked for is not at hand.
        self.failed(format!("{text}{cause}"))
    }
}

pub(crate) fn location_error(location: &str, found: impl Into<String>, next: impl Into<String>) -> StoreError {
    StoreError::Location { location: location.to_owned(), found: found.into(), next: next.into() }
}
