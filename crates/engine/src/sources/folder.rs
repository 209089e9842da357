//! The files of a folder and of the folders in it.

use std::{
    ffi::OsString,
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use aforesaid_models::files::read_regular;

use super::{
    Described, Found, Limits, Origin, SourceError, Visit, is_hidden, kind::Candidate, located, slack::Exports, stem_of,
    visit_file,
};

/// How many folders may be in one another.
const MOST_DEPTH: usize = 64;

/// Visits the files of a folder, sorted by name; a folder comes where its name stands.
///
/// Links to folders are not followed: they may lead back.
pub(super) fn visit(folder: &Path, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    Walk { top: folder, located: located(folder), limits, exports: Exports::new(limits.bytes) }.folder(
        PathBuf::new(),
        1,
        take,
    )
}

/// Reads a list of names; what is wrong with it is told where it is met as a file.
pub(super) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    read_regular(path, most).ok()
}

struct Walk<'a> {
    top: &'a Path,
    /// The top by its path from the root: a channel that is read alone has its names beside it.
    located: PathBuf,
    limits: Limits,
    exports: Exports,
}

impl Walk<'_> {
    /// Visits a folder by its path below the top.
    fn folder(&mut self, below: PathBuf, depth: usize, take: &mut Visit<'_>) -> ControlFlow<()> {
        let folder = self.top.join(&below);
        let name = folder.to_string_lossy().into_owned();
        if depth > MOST_DEPTH {
            let error = SourceError::TooDeep { folder: name.clone(), most: MOST_DEPTH };
            return take(Found::Failed { name, error });
        }
        let names = match sorted(&folder) {
            Ok(names) => names,
            Err(source) => {
                let error = SourceError::unreadable(&name, source);
                return take(Found::Failed { name, error });
            }
        };
        for name in names.into_iter().filter(|name| !is_hidden(&name.to_string_lossy())) {
            let below = below.join(name);
            match self.top.join(&below).symlink_metadata() {
                Ok(found) if found.is_dir() => self.folder(below, depth + 1, take)?,
                _ => self.file(&below, take)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn file(&mut self, below: &Path, take: &mut Visit<'_>) -> ControlFlow<()> {
        let path = self.top.join(below);
        let left = |kind| Found::Left { name: path.to_string_lossy().into_owned(), kind };
        match Candidate::of(&path) {
            Candidate::File | Candidate::Note | Candidate::Archive if path.is_dir() => ControlFlow::Continue(()),
            Candidate::File if self.exports.is_list(&self.located.join(below), &mut read) => ControlFlow::Continue(()),
            Candidate::File | Candidate::Note | Candidate::Archive => {
                let around = self.exports.around(&self.located.join(below), &mut read);
                visit_file(&path, Described { stem: stem_of(below), origin: Origin::Found, around }, self.limits, take)
            }
            Candidate::No(kind) => take(left(kind)),
        }
    }
}

fn sorted(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}
