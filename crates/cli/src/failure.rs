//! What the process says and returns when it cannot do as asked.

use std::process::ExitCode;

use aforesaid::{Error, ErrorKind, models::ModelError};
use serde_json::json;

/// A command failed; the message says what, and what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Memory(#[from] Error),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Usage(String),
    #[error("{action}: {source}")]
    Io { action: String, source: std::io::Error },
    #[error("{count} of {total} files failed their check; `aforesaid models pull --force` fetches them again")]
    Unverified { count: usize, total: usize },
}

impl Failure {
    /// For use with `map_err`: names what was being done to a file or stream.
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let action = action.into();
        move |source| Failure::Io { action, source }
    }

    fn kind(&self) -> (&'static str, u8) {
        match self {
            Failure::Memory(error) => match error.kind() {
                ErrorKind::InvalidInput => ("invalid_input", 4),
                ErrorKind::NotFound => ("not_found", 3),
                ErrorKind::Model => ("model", 5),
                ErrorKind::Store => ("store", 1),
                _ => ("internal", 1),
            },
            Failure::Model(_) | Failure::Unverified { .. } => ("model", 5),
            Failure::Input(_) => ("invalid_input", 4),
            Failure::Usage(_) => ("usage", 2),
            Failure::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => ("not_found", 3),
            Failure::Io { .. } => ("io", 1),
        }
    }

    /// The message with everything that caused it.
    fn message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str(&format!(": {text}"));
            }
            cause = error.source();
        }
        message
    }

    /// Prints the failure to standard error and gives the exit code.
    pub(crate) fn report(&self, as_json: bool) -> ExitCode {
        let (kind, code) = self.kind();
        // A reader that went away (`aforesaid export | head`) is no failure worth a word.
        if matches!(self, Failure::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
            || matches!(self, Failure::Memory(Error::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe)
        {
            return ExitCode::SUCCESS;
        }
        if as_json {
            anstream::eprintln!("{}", json!({"error": {"kind": kind, "message": self.message()}}));
        } else {
            anstream::eprintln!("aforesaid: {}", self.message());
        }
        ExitCode::from(code)
    }
}
