//! Where the state of a training on its way is kept.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{
    ModelError,
    files::{Access, NewFile, read_regular},
};

/// Bytes of the largest state that is read.
const MOST: u64 = 2 << 30;

/// The file beside what is learned in which a training keeps its state.
#[derive(Debug, Clone)]
pub struct CheckpointFile {
    path: PathBuf,
}

impl CheckpointFile {
    /// That of the training that writes `out`.
    pub fn of(out: &Path) -> Self {
        Self { path: out.with_extension("checkpoint") }
    }

    /// Reads the state; `None` where there is none.
    ///
    /// # Errors
    /// [`ModelError::Io`] when it is there and cannot be read, is no file, or is larger than 2 GiB.
    pub fn read(&self) -> Result<Option<Vec<u8>>, ModelError> {
        match read_regular(&self.path, MOST) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(ModelError::io("read the checkpoint", &self.path)),
        }
    }

    /// Replaces the state as a whole: an interruption leaves the one before. Nobody else may read it, as it remembers what
    /// is learned from.
    ///
    /// # Errors
    /// [`ModelError::Io`] when it cannot be written.
    pub fn write(&self, state: &[u8]) -> Result<(), ModelError> {
        let write = || {
            let mut file = NewFile::beside(&self.path, Access::Private)?;
            file.write_all(state)?;
            file.finish()
        };
        write().map_err(ModelError::io("write the checkpoint", &self.path))
    }

    /// Removes the state, if there is any.
    ///
    /// # Errors
    /// [`ModelError::Io`] when it is there and cannot be removed.
    pub fn remove(&self) -> Result<(), ModelError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(ModelError::io("remove the checkpoint", &self.path)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_there_until_it_is_removed_and_what_cannot_be_read_is_no_absence() {
        let folder = tempfile::tempdir().unwrap();
        let file = CheckpointFile::of(&folder.path().join("kites.safetensors"));
        assert_eq!(file.read().unwrap(), None);
        file.write(b"first").unwrap();
        file.write(b"second").unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some(b"second".as_slice()));
        file.remove().unwrap();
        file.remove().unwrap();
        assert_eq!(file.read().unwrap(), None);
        fs::create_dir(file.path()).unwrap();
        let refused = file.read().unwrap_err();
        assert!(matches!(&refused, ModelError::Io { path, .. } if path == file.path()), "{refused}");
    }
}
