//! Paths beside and above a store.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The file that SQLite keeps beside a store under an ending of its own.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    // SQLite follows links before it names the log.
    let mut name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(ending);
    PathBuf::from(name)
}
