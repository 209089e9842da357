//! Which project a folder belongs to: one name for whoever writes its memories and whoever reads them.
//!
//! A project is the remote of its Git repository, written so that all forms of one remote are the same name; without a
//! remote it is the folder of the repository, and without a repository the folder itself. No program is run: the
//! repository's own `config` is read. What other files of Git's configuration say (`include`, `insteadOf`), and aliases
//! of hosts that `ssh` knows, is not followed.

mod config;
mod remote;
mod repository;

use std::{
    io,
    path::{Path, PathBuf},
};

use aforesaid_core::types::{InvalidName, MAX_NAME_BYTES, Namespace};
use serde::Serialize;
use sha2::{Digest, Sha256};

use repository::Repository;

/// Characters of a name that is too long which are kept, from its end.
const KEPT: usize = 160;

/// The project of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// Its name, which is the namespace of its memories.
    pub namespace: Namespace,
    /// What it is named after.
    pub named_by: NamedBy,
    /// The folder of its repository, of a worktree or submodule where it is one; without a repository the folder that
    /// was asked for.
    pub folder: PathBuf,
}

/// What a project is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// The URL of a Git remote, as `host/path`.
    Remote,
    /// The absolute path of a folder.
    Folder,
}

/// A folder whose project cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// A file or folder could not be read.
    #[error("project: {path} could not be read; check its permissions, or name a namespace", path = .path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A `.git` file leads nowhere.
    #[error(
        "project: {file} names the repository {target}, which is not there; repair it with `git worktree repair` or \
         `git submodule update`, or name a namespace",
        file = .file.display(), target = .target.display()
    )]
    BrokenLink {
        /// The file.
        file: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The name cannot be a namespace.
    #[error(transparent)]
    Name(#[from] InvalidName),
}

impl Project {
    /// The project of an existing folder.
    ///
    /// # Errors
    /// When the folder, or the repository it is in, cannot be read.
    pub fn of(folder: &Path) -> Result<Self, ProjectError> {
        let unreadable = |source| ProjectError::Unreadable { path: folder.to_owned(), source };
        let folder = folder.canonicalize().map_err(unreadable)?;
        let Some(repository) = Repository::around(&folder)? else {
            return Ok(Self { namespace: of_path(&folder)?, named_by: NamedBy::Folder, folder });
        };
        let remote = config::remote(&repository.config()?);
        let named = remote.and_then(|url| remote::name(&url, &repository.folder));
        let (namespace, named_by) = match named {
            Some(name) => (named_namespace(&name)?, NamedBy::Remote),
            None => (of_path(&repository.home)?, NamedBy::Folder),
        };
        Ok(Self { namespace, named_by, folder: repository.folder })
    }
}

impl Project {
    /// The project of a folder that was recorded and may be gone by now, with the URL of its repository's remote, where that
    /// was recorded too.
    ///
    /// Of a folder that is gone, the nearest one above that is in a repository says the project, else the remote, else the
    /// path.
    ///
    /// # Errors
    /// When a repository around it cannot be read, or no name can be made of its path.
    pub fn recorded(folder: &Path, url: Option<&str>) -> Result<Self, ProjectError> {
        if folder.is_dir() {
            return Self::of(folder);
        }
        let above = folder.ancestors().find(|above| above.is_dir()).and_then(|above| above.canonicalize().ok());
        if let Some(above) = above
            && Repository::around(&above)?.is_some()
        {
            return Self::of(&above);
        }
        match url.and_then(|url| remote::name(url, folder)) {
            Some(name) => {
                Ok(Self { namespace: named_namespace(&name)?, named_by: NamedBy::Remote, folder: folder.to_owned() })
            }
            None => Ok(Self { namespace: of_path(folder)?, named_by: NamedBy::Folder, folder: folder.to_owned() }),
        }
    }
}

/// The namespace of a folder: its path.
fn of_path(path: &Path) -> Result<Namespace, InvalidName> {
    match path.to_str() {
        // On Windows an absolute path that was looked up begins so.
        Some(path) => named_namespace(path.strip_prefix(r"\\?\").unwrap_or(path)),
        // Two paths that differ in bytes that are no text are two projects.
        None => Namespace::new(shortened(&path.to_string_lossy(), path.as_os_str().as_encoded_bytes())),
    }
}

/// The namespace of that name, or of the end of one that a namespace cannot have.
fn named_namespace(name: &str) -> Result<Namespace, InvalidName> {
    match name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        true => Namespace::new(shortened(name, name.as_bytes())),
        false => Namespace::new(name),
    }
}

/// The end of a name without control characters, and what tells it from others with that end.
fn shortened(name: &str, bytes: &[u8]) -> String {
    let shown: String = name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    let mut at = shown.len().saturating_sub(KEPT);
    while !shown.is_char_boundary(at) {
        at += 1;
    }
    let digest: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}#{digest}", &shown[at..])
}

#[cfg(test)]
mod tests;
