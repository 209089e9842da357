//! What can go wrong between a model's name and an encoder.

use crate::Instructions;
use std::{error::Error, fmt, io, path::PathBuf};

use crate::ModelKind;

/// A place where a model was looked for, and why it could not be had there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The directory, address or package.
    pub place: String,
    /// Why the model did not come from there.
    pub reason: String,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A model could not be found, fetched, read or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model is registered under this name.
    #[error("model {name:?} is not known; expected one of: {}; or give a directory with its files", .known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// No place had the model.
    #[error(
        "model {model} was not found; tried{}",
        lines(.attempts)
    )]
    Unavailable {
        /// The model.
        model: String,
        /// Every place in the order tried.
        attempts: Vec<Attempt>,
    },
    /// A file is not the one that was pinned. It is never used.
    #[error("{}: found sha256 {found}, expected {expected}; {next}", .path.display())]
    WrongChecksum {
        /// The file.
        path: PathBuf,
        /// Its sha256 in hex.
        found: String,
        /// The pinned sha256 in hex.
        expected: String,
        /// What to do.
        next: String,
    },
    /// A directory lacks a file.
    #[error("{}: found no such file, expected {expected}; {next}", .path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        expected: String,
        /// What to do.
        next: String,
    },
    /// A source answered, but not with what was asked.
    #[error("{origin}: found {found}, expected {expected}; {next}")]
    Download {
        /// MemoryRef or package.
        origin: String,
        /// What came.
        found: String,
        /// What should have come.
        expected: String,
        /// What to do.
        next: String,
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
    /// A configuration file asks for something else than this crate computes.
    #[error("{}: {field} is {found}, expected {expected}; use another model", .path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The field, or "the file".
        field: &'static str,
        /// Its value.
        found: String,
        /// Values that would do.
        expected: String,
    },
    /// The weights file is not whole.
    #[error("{}: found {found}, expected {expected}; the file is damaged: download it again, or copy it again", .path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// A tensor is missing or of another type or shape.
    #[error("{}: tensor {tensor}: found {found}, expected {expected}; check that config.json belongs to these weights", .path.display())]
    Tensor {
        /// The file.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// Its type and shape.
        found: String,
        /// Type and shape expected.
        expected: String,
    },
    /// The tokenizer cannot be used.
    #[error("{}: found {found}, expected {expected}; download the model again, or copy tokenizer.json again", .path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// The model is for something else.
    #[error("model {model} is of the kind {found}, expected {expected}")]
    Kind {
        /// The model's name and revision.
        model: String,
        /// What it is for.
        found: ModelKind,
        /// What it should be for.
        expected: ModelKind,
    },
    /// An adapter belongs to another model.
    #[error(
        "adapter: found one for {found}, expected {expected}; use it with its own model, or train one for this one"
    )]
    Adapter {
        /// The model it belongs to.
        found: String,
        /// What would do.
        expected: String,
    },
    /// Nothing can be learned from what is given.
    #[error("training on {model}: found {found}, expected {expected}")]
    Training {
        /// The model's name and revision.
        model: String,
        /// What is given.
        found: String,
        /// What would do.
        expected: String,
    },
    /// The model's name and checksum do not make an encoder id.
    #[error(transparent)]
    Id(#[from] aforesaid_core::types::InvalidName),
    /// The processor lacks the instructions asked for.
    #[error("found no {asked} instructions on this processor, its best are {best}; ask for those or for none")]
    Instructions {
        /// What was asked for.
        asked: Instructions,
        /// The best there are.
        best: Instructions,
    },
    /// The threads did not start.
    #[error("found no room for {count} threads; ask for fewer")]
    Threads {
        /// How many were asked for.
        count: usize,
        /// Why they did not start.
        #[source]
        source: rayon::ThreadPoolBuildError,
    },
}

impl ModelError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown_model",
            Self::Unavailable { .. } => "model_unavailable",
            Self::WrongChecksum { .. } => "model_checksum",
            Self::MissingFile { .. } => "model_file_missing",
            Self::Download { .. } => "model_download",
            Self::Io { .. } => "model_io",
            Self::Config { .. } => "model_config",
            Self::Weights { .. } => "model_weights",
            Self::Tensor { .. } => "model_tensor",
            Self::Tokenizer { .. } => "model_tokenizer",
            Self::Kind { .. } => "model_kind",
            Self::Adapter { .. } => "adapter_of_another_model",
            Self::Training { .. } => "model_training",
            Self::Id(_) => "invalid_name",
            Self::Instructions { .. } => "instructions_missing",
            Self::Threads { .. } => "no_threads",
        }
    }

    /// Wraps a failure of the file system.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, action, source }
    }

    /// The message with its causes, on one line.
    pub(crate) fn reason(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(inner) = cause {
            text.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        text
    }
}

fn lines(attempts: &[Attempt]) -> String {
    attempts.iter().map(|attempt| format!("\n  {attempt}")).collect()
}
