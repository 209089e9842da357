//! Why a data set cannot be used.

use std::{io, path::PathBuf};

use aforesaid::{
    InvalidMemory,
    formats::FormatError,
    types::{Granularity, InvalidName},
};

use super::DataSet;

/// A data set that cannot be found, read or fetched.
///
/// `place` is the file and the line or record in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The files are not where they were looked for.
    #[error("data set {dataset}: not found at {}; looked for {looked_for}; {next}", .path.display())]
    NotFound {
        /// The data set.
        dataset: DataSet,
        /// Where.
        path: PathBuf,
        /// Files and folders that would have done.
        looked_for: String,
        /// What to do.
        next: String,
    },
    /// More than one thing could have been meant.
    #[error("data set {dataset}: {} holds {found}; expected one of them; name it in the path", .path.display())]
    Ambiguous {
        /// The data set.
        dataset: DataSet,
        /// Where.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// A data set that does not label this unit.
    #[error("data set {dataset}: unit {unit} is not labelled: {why}; measure it with --unit {next}")]
    Granularity {
        /// The data set.
        dataset: DataSet,
        /// The unit asked for.
        unit: Granularity,
        /// Why not.
        why: &'static str,
        /// The unit it does label.
        next: Granularity,
    },
    /// The system refused.
    #[error("{}: could not {action}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Text that is not JSON, or JSON of another shape.
    #[error(
        "{file}, line {line}, column {column}: {found}; this should be {expected}; correct it, or name another file"
    )]
    Json {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What the JSON reader says.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A value that means nothing there.
    #[error("{place}: {what} is {found}; expected {expected}; correct it there")]
    Wrong {
        /// Where.
        place: String,
        /// The field or record.
        what: String,
        /// The value found.
        found: String,
        /// Values that would do.
        expected: String,
    },
    /// A field that has to be there is not.
    #[error("{place}: there is no field {field:?}; expected {expected}; add it there")]
    Missing {
        /// Where.
        place: String,
        /// The field.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// Two things under one id.
    #[error("{place}: {what} {id:?} is there already{}; expected every id once; give one of them another id",
        .first.as_ref().map(|first| format!(" ({first})")).unwrap_or_default())]
    Repeated {
        /// Where the second is.
        place: String,
        /// Question, memory, group, ...
        what: &'static str,
        /// The id of both.
        id: String,
        /// Where the first is, if that is another place.
        first: Option<String>,
    },
    /// A question without words.
    #[error("{place}: question {id:?} is blank; expected at least one visible character; correct it or take it out")]
    BlankQuestion {
        /// Where.
        place: String,
        /// Its id.
        id: String,
    },
    /// A question asked of nothing.
    #[error("{place}: question {id:?} is asked of group {group:?}, which has no memories; expected {expected}")]
    EmptyGroup {
        /// Where.
        place: String,
        /// Its id.
        id: String,
        /// The group.
        group: String,
        /// Groups that would have done.
        expected: String,
    },
    /// A data set in which nothing is asked.
    #[error("data set {dataset}: {at} holds no questions; expected at least one; is this the right path?")]
    NoQuestions {
        /// The data set.
        dataset: DataSet,
        /// The file or folder.
        at: String,
    },
    /// A memory that cannot be kept.
    #[error("{place}: {why}")]
    Memory {
        /// Where.
        place: String,
        /// Why not.
        why: InvalidMemory,
    },
    /// A name that cannot be one.
    #[error("{place}: {why}")]
    Name {
        /// Where.
        place: String,
        /// Why not.
        why: InvalidName,
    },
    /// A conversation file that cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A data set that is nowhere to be fetched from.
    #[error("data set {dataset}: there is no public file to fetch; {next}")]
    NotPublic {
        /// The data set.
        dataset: DataSet,
        /// Where to put what.
        next: &'static str,
    },
    /// A download that failed or brought something else.
    #[error("{url}: found {found}; expected {expected}; {next}")]
    Download {
        /// What was fetched.
        url: String,
        /// What came of it.
        found: String,
        /// What should have come.
        expected: String,
        /// What to do.
        next: String,
    },
    /// Another file is where a download belongs.
    #[error(
        "{}: there is another file, with sha256 {found}; expected sha256 {expected}; \
         move it away, or fetch into another folder", .path.display()
    )]
    InTheWay {
        /// The file.
        path: PathBuf,
        /// Its sha256 in hex.
        found: String,
        /// The pinned sha256 in hex.
        expected: &'static str,
    },
}

impl DataError {
    /// The error for a failed operation on `path`.
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, action, source }
    }

    /// The error for JSON that could not be read, `lines_before` lines into the file.
    pub(crate) fn json(error: &serde_json::Error, file: &str, lines_before: usize, expected: &'static str) -> Self {
        let mut found = error.to_string();
        // The position is said again, relative to the line.
        found.truncate(found.rfind(" at line ").unwrap_or(found.len()));
        Self::Json { file: file.to_owned(), line: lines_before + error.line(), column: error.column(), found, expected }
    }
}
