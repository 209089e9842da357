//! What the process says and returns when it cannot do as asked.

use std::process::ExitCode;

use aforesaid::{Error, ErrorKind, ErrorReport, models::ModelError, visible::escaped_json};
use aforesaid_eval::{EvalError, datasets::DataError, experiments::ExperimentError};
use aforesaid_llm::LlmError;
use serde_json::json;

use crate::{
    interruption, remedies,
    terminal::{aside, indented},
};

/// A command failed; the message says what, and what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Memory(#[from] Error),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("a language model: {0}")]
    Llm(LlmError),
    #[error(transparent)]
    Eval(#[from] EvalError),
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Usage(String),
    #[error("{action}: {source}")]
    Io { action: String, source: std::io::Error },
    #[error("file {file}: {source}")]
    Importing { file: String, source: Box<Error> },
    #[error("{count} of {total} files could not be imported, and the others are; correct them and import them again")]
    SomeFiles { count: usize, total: usize },
    #[error("interrupted: what is stored stays{waiting}; the same command goes on from there")]
    Interrupted { waiting: String },
    #[error("interrupted: nothing of {file} was written; {next}")]
    Stopped { file: String, next: &'static str },
    #[error("store {store} is damaged: the check found {findings} faults; each says what to do next")]
    Damage { store: String, findings: usize },
    #[error("store {store}: {lost} memories could not be read and {changed} are not what was stored; {next}")]
    Lost { store: String, lost: u64, changed: usize, next: &'static str },
    #[error("{}{next}", .error.message())]
    Spoilt { error: Box<Error>, next: String },
    #[error("{count} of {total} files failed their check; {next}")]
    Unverified { count: usize, total: usize, next: &'static str },
}

/// Whether a file is at fault: it is no regular file, or too large.
fn unfit(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::InvalidInput | std::io::ErrorKind::FileTooLarge)
}

fn memory_kind(error: &Error) -> (&'static str, u8) {
    match error.kind() {
        ErrorKind::Usage => ("usage", 2),
        ErrorKind::InvalidInput => ("invalid_input", 4),
        ErrorKind::NotFound => ("not_found", 3),
        ErrorKind::Model => ("model", 5),
        ErrorKind::Store => ("store", 1),
        _ => ("internal", 1),
    }
}

fn eval_kind(error: &EvalError) -> (&'static str, u8) {
    match error {
        EvalError::Data(DataError::NotFound { .. }) => ("not_found", 3),
        EvalError::Data(DataError::Download { .. } | DataError::Io { .. }) => ("io", 1),
        EvalError::Experiment(ExperimentError::Engine { source, .. }) => memory_kind(source),
        EvalError::NoEncoder { .. } => ("model", 5),
        EvalError::Csv(_) => ("internal", 1),
        _ => ("invalid_input", 4),
    }
}

impl Failure {
    /// For use with `map_err`: names what was being done to a file or stream.
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let action = action.into();
        move |source| Failure::Io { action, source }
    }

    fn kind(&self) -> (&'static str, u8) {
        match self {
            Failure::Memory(error) => memory_kind(error),
            Failure::Importing { source, .. } => memory_kind(source),
            Failure::Spoilt { error, .. } => memory_kind(error),
            Failure::Model(_) | Failure::Llm(_) | Failure::Unverified { .. } => ("model", 5),
            Failure::Eval(error) => eval_kind(error),
            Failure::SomeFiles { .. } => ("some_files", 6),
            Failure::Interrupted { .. } | Failure::Stopped { .. } => ("interrupted", interruption::EXIT_CODE),
            Failure::Damage { .. } | Failure::Lost { .. } => ("store", 1),
            Failure::Input(_) => ("invalid_input", 4),
            Failure::Usage(_) => ("usage", 2),
            Failure::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => ("not_found", 3),
            Failure::Io { source, .. } if unfit(source) => ("invalid_input", 4),
            Failure::Io { .. } => ("io", 1),
        }
    }

    /// The message with everything that caused it, and what to do next.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Memory(error) => error.message() + &remedies::of(error),
            Failure::Importing { file, source } => {
                format!("file {file}: {}{}{}", source.message(), remedies::of(source), remedies::of_importing(source))
            }
            Failure::Model(error) => self.chain() + &remedies::of_model(error),
            Failure::Eval(EvalError::Experiment(ExperimentError::Engine { source, .. })) => {
                self.chain() + &remedies::of(source)
            }
            _ => self.chain(),
        }
    }

    /// The message with everything that caused it.
    fn chain(&self) -> String {
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

    /// The failure as programs read it: an error of the engine by its report, with the remedy after its message.
    fn json(&self, kind: &str) -> serde_json::Value {
        match self {
            Failure::Memory(error) => json!(ErrorReport { message: self.message(), ..error.report() }),
            Failure::Spoilt { error, .. } => json!(ErrorReport { message: self.message(), ..error.report() }),
            Failure::Importing { source, .. } => json!(ErrorReport { message: self.message(), ..source.report() }),
            Failure::Model(error) => json!({"code": error.code(), "kind": kind, "message": self.message(), "data": {}}),
            Failure::Llm(error) => json!({"code": error.code(), "kind": kind, "message": self.message(), "data": {}}),
            _ => json!({"code": kind, "kind": kind, "message": self.message(), "data": {}}),
        }
    }

    /// The failure as programs read it.
    pub(crate) fn as_json(&self) -> serde_json::Value {
        self.json(self.kind().0)
    }

    /// Prints the failure to standard error and gives the exit code.
    pub(crate) fn report(&self, as_json: bool) -> ExitCode {
        let (kind, code) = self.kind();
        // A reader that went away (`aforesaid export | head`) is no failure worth a word.
        let broken_pipe = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
        if matches!(self, Failure::Io { source, .. } if broken_pipe(source))
            || matches!(self, Failure::Memory(Error::Write(error)) if broken_pipe(error))
        {
            return ExitCode::SUCCESS;
        }
        if as_json {
            let report = json!({"error": self.json(kind)});
            aside(format_args!("{}", escaped_json(&report.to_string())));
        } else {
            aside(format_args!("aforesaid: {}", indented(&self.message())));
        }
        ExitCode::from(code)
    }
}
