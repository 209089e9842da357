//! The Git repository around a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::ProjectError;

/// Bytes of a repository's configuration, and of the files that link to it, at the most.
const MOST: u64 = 1 << 20;

/// A repository, as seen from one of its folders.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder that the repository is checked out in; of a bare one, the repository itself.
    pub(super) folder: PathBuf,
    /// The folder that names it without a remote: that of the main worktree.
    pub(super) home: PathBuf,
    /// Where it keeps its configuration.
    common: PathBuf,
}

impl Repository {
    /// The repository that an absolute folder is in.
    ///
    /// # Errors
    /// When what links a worktree or a submodule to its repository cannot be read, or leads nowhere.
    pub(super) fn around(folder: &Path) -> Result<Option<Self>, ProjectError> {
        for folder in folder.ancestors() {
            let git = folder.join(".git");
            if is_repository(&git) {
                return Self::with(folder, &git).map(Some);
            }
            if git.is_file() {
                let target = linked(&git)?;
                if !target.join("HEAD").is_file() {
                    return Err(ProjectError::BrokenLink { file: git, target });
                }
                return Self::with(folder, &target).map(Some);
            }
            // A bare repository, or the inside of another.
            if is_repository(folder) {
                return Self::with(folder, folder).map(Some);
            }
        }
        Ok(None)
    }

    fn with(folder: &Path, git: &Path) -> Result<Self, ProjectError> {
        let link = git.join("commondir");
        let is_linked_worktree = link.is_file();
        let common = match is_linked_worktree {
            true => absolute(git, text(&link)?.trim()),
            false => git.to_owned(),
        };
        let unreadable = |source| ProjectError::Unreadable { path: common.clone(), source };
        let common = common.canonicalize().map_err(unreadable)?;
        let of_common = match common.parent() {
            Some(parent) if common.ends_with(".git") => parent,
            _ => &common,
        };
        let home = if is_linked_worktree || folder == git { of_common.to_owned() } else { folder.to_owned() };
        Ok(Self { folder: folder.to_owned(), home, common })
    }

    /// The text of its configuration; nothing where it has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn config(&self) -> Result<String, ProjectError> {
        match text(&self.common.join("config")) {
            Err(ProjectError::Unreadable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(String::new())
            }
            text => text,
        }
    }
}

/// Whether Git would take a folder for a repository.
fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Where a `.git` file leads: it has one line, `gitdir: PATH`.
fn linked(file: &Path) -> Result<PathBuf, ProjectError> {
    let text = text(file)?;
    let path = text.trim().strip_prefix("gitdir:").unwrap_or_default().trim();
    Ok(absolute(file.parent().unwrap_or(file), path))
}

fn absolute(base: &Path, path: &str) -> PathBuf {
    base.join(path)
}

fn text(path: &Path) -> Result<String, ProjectError> {
    let unreadable = |source| ProjectError::Unreadable { path: path.to_owned(), source };
    let too_large = || unreadable(io::ErrorKind::FileTooLarge.into());
    if fs::metadata(path).map_err(unreadable)?.len() > MOST {
        return Err(too_large());
    }
    // Names and URLs may be of any encoding; what is no text is replaced alike wherever it is read.
    Ok(String::from_utf8_lossy(&fs::read(path).map_err(unreadable)?).into_owned())
}
