//! Why a study has no report.

use std::path::PathBuf;

use aforesaid::llm::LlmError;
use aforesaid_eval::EvalError;

use crate::figures::FigureError;

/// A study failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// An evaluation failed.
    #[error(transparent)]
    Eval(EvalError),
    /// A figure cannot be drawn.
    #[error(transparent)]
    Figure(FigureError),
    /// A language model was not asked, or did not answer.
    #[error("a language model: {0}")]
    Llm(LlmError),
    /// A file of the data cannot be read.
    #[error("file {}: {found}; expected the file as it is published; fetch it again", .path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// No data set of the study is in the folder.
    #[error("folder {}: found none of the data sets; expected one or more of the folders {expected} in it", .folder.display())]
    NoData {
        /// The folder that was searched.
        folder: PathBuf,
        /// The folders of the data sets.
        expected: String,
    },
}

/// Every error that ends an evaluation ends a study.
impl<E: Into<EvalError>> From<E> for StudyError {
    fn from(error: E) -> Self {
        Self::Eval(error.into())
    }
}

impl From<FigureError> for StudyError {
    fn from(error: FigureError) -> Self {
        Self::Figure(error)
    }
}
