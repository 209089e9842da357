//! What the program says and returns where a command fails.

use std::{io, process::ExitCode};

use aforesaid::{llm::LlmError, visible::visible};
use aforesaid_eval::{EvalError, datasets::DataError};
use aforesaid_studies::StudyError;
use serde_json::json;

use crate::output::{self, Format};

/// A command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Engine(#[from] aforesaid::Error),
    #[error("a language model: {0}")]
    Llm(LlmError),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Input(String),
    #[error("{action}: {source}")]
    Io { action: String, source: io::Error },
    #[error("{failed} of {total} receipts were not reproduced")]
    NotReproduced { failed: usize, total: usize },
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::Study(error.into())
    }
}

impl Failure {
    /// For `map_err`: names the operation.
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }

    fn kind(&self) -> (&'static str, u8) {
        match self {
            Self::NotReproduced { .. } => ("not_reproduced", 1),
            Self::Io { .. } | Self::Study(StudyError::Eval(EvalError::Data(DataError::Download { .. }))) => ("io", 1),
            Self::Study(StudyError::Figure(_)) => ("internal", 1),
            Self::Usage(_) => ("usage", 2),
            Self::Engine(_) | Self::Llm(_) | Self::Study(StudyError::Llm(_)) => ("model", 5),
            Self::Study(StudyError::Eval(EvalError::NoEncoder { .. })) => ("model", 5),
            Self::Study(_) | Self::Input(_) => ("invalid_input", 4),
        }
    }

    /// Prints the failure to standard error and returns the exit code.
    pub(crate) fn report(&self, format: Format) -> ExitCode {
        // A reader that closed the pipe wants no message.
        if matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        let (kind, code) = self.kind();
        let text = match format {
            Format::Json => json!({"error": {"kind": kind, "message": self.to_string()}}).to_string(),
            Format::Text => format!("aforesaid-studies: {}", visible(&self.to_string())),
        };
        output::error_line(&text);
        ExitCode::from(code)
    }
}
