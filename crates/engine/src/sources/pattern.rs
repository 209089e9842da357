//! Patterns that the shell did not expand.

use std::{ops::ControlFlow, path::Path};

use glob::{MatchOptions, Pattern, glob_with};

use super::{Found, Limits, SourceError, Visit, visit as visit_path};

/// Whether a path that is none may be a pattern.
pub(super) fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.contains(['*', '?', '[']) && Pattern::new(path).is_ok())
}

/// Visits what a pattern matches, sorted; hidden files only where the pattern names the dot.
pub(super) fn visit(pattern: &Path, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    let name = pattern.to_string_lossy().into_owned();
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let paths = match glob_with(&name, options) {
        Ok(paths) => paths,
        Err(error) => {
            let error = SourceError::BadPattern { pattern: name.clone(), found: error.msg };
            return take(Found::Failed { name, error });
        }
    };
    let mut matched = false;
    for path in paths {
        matched = true;
        match path {
            // A match exists, so that it is never taken for a pattern again.
            Ok(path) => visit_path(&path, limits, take)?,
            Err(error) => {
                let name = error.path().to_string_lossy().into_owned();
                let error = SourceError::unreadable(&name, error.into());
                take(Found::Failed { name, error })?;
            }
        }
    }
    match matched {
        true => ControlFlow::Continue(()),
        false => take(Found::Failed { name: name.clone(), error: SourceError::NoMatch { pattern: name } }),
    }
}
