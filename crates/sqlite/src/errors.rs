//! SQLite's answers in words a user can act on.

use aforesaid_core::StoreError;
use rusqlite::ErrorCode;

use crate::row::{BadRow, column};

/// What was being done, and where, for the message of whatever goes wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    location: &'a str,
    action: &'static str,
}

impl<'a> Context<'a> {
    pub(crate) fn new(location: &'a str, action: &'static str) -> Self {
        Self { location, action }
    }

    pub(crate) fn location(self) -> &'a str {
        self.location
    }

    /// What was found cannot be right.
    pub(crate) fn damaged(self, found: impl Into<String>) -> StoreError {
        StoreError::Damaged { location: self.location.to_owned(), found: found.into() }
    }

    /// Gives an SQLite error its place and, where one is known, its remedy.
    pub(crate) fn run<T>(self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| self.explain(error))
    }

    /// Like [`Context::run`], but `None` where another connection is in the way.
    pub(crate) fn run_or_busy<T>(self, result: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
        match result {
            Err(error)
                if matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) =>
            {
                Ok(None)
            }
            result => self.run(result).map(Some),
        }
    }

    /// What an SQLite error means here.
    pub(crate) fn explain(self, error: rusqlite::Error) -> StoreError {
        // What a row holds instead is not told: it may be what was said.
        if column(&error).is_some() {
            let bad = BadRow::behind(&error).map(ToString::to_string);
            return self.damaged(bad.unwrap_or_else(|| format!("could not {}: a row is unreadable", self.action)));
        }
        let known = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Some(("is not an aforesaid store (no SQLite file)", "name another store")),
            Some(ErrorCode::ReadOnly) => {
                Some(("cannot be written (read-only file or folder)", "give write permission, or name another store"))
            }
            Some(ErrorCode::DiskFull) => {
                Some(("the disk is full", "free some space and try again; what was stored before stays"))
            }
            Some(ErrorCode::SystemIoFailure) => Some((
                "the system could not read or write it",
                "check the disk and its free space; what was stored before stays",
            )),
            Some(ErrorCode::CannotOpen) => {
                Some(("cannot be opened", "check the path and the permissions of the file and its folder"))
            }
            Some(ErrorCode::PermissionDenied) => {
                Some(("permission denied", "give access to it, or name another store"))
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Some((
                "another process has been writing for over a minute",
                "wait for it to finish and try again; nothing was written",
            )),
            Some(ErrorCode::DatabaseCorrupt) => {
                return self.damaged(error.to_string());
            }
            _ => None,
        };
        match known {
            Some((found, next)) => location_error(self.location, found, next),
            None => {
                StoreError::Backend { location: self.location.to_owned(), action: self.action, source: Box::new(error) }
            }
        }
    }
}

pub(crate) fn location_error(location: &str, found: impl Into<String>, next: impl Into<String>) -> StoreError {
    StoreError::Location { location: location.to_owned(), found: found.into(), next: next.into() }
}
