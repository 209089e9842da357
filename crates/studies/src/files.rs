//! The files of a folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::StudyError;

/// The files in a folder with an extension, by name.
pub(crate) fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, StudyError> {
    let unreadable = |source: std::io::Error| StudyError::Data { path: folder.to_owned(), found: source.to_string() };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}
