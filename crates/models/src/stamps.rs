//! Which files were already hashed.
//!
//! Hashing 90 MB at every start would cost more than reading them. After the
//! first full check a stamp keeps a file's path, size, modification time and
//! sha256; while size and time stay the same, the sha256 is taken from there.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use crate::{
    checksum::{sha256_of, sha256_of_bytes},
    private,
};

/// Files below this size are always hashed.
const WORTH_A_STAMP: u64 = 1 << 20;

/// The stamps kept in a cache directory.
pub(crate) struct Stamps {
    dir: PathBuf,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Stamp {
    path: String,
    size: u64,
    modified_ns: u128,
    sha256: String,
}

impl Stamps {
    /// Stamps under a model cache, in its folder `checked`.
    pub(crate) fn under(cache: &Path) -> Self {
        Self { dir: cache.join("checked") }
    }

    /// The sha256 of a file in lower-case hex, from its stamp if that still fits.
    pub(crate) fn sha256_of(&self, path: &Path) -> io::Result<String> {
        let path = fs::canonicalize(path)?;
        let meta = fs::metadata(&path)?;
        if meta.len() < WORTH_A_STAMP {
            return sha256_of(&path);
        }
        let now = |sha256| stamp(&path, &meta, sha256);
        if let Some(kept) = self.read(&path)
            && kept == now(kept.sha256.clone())
        {
            return Ok(kept.sha256);
        }
        let sha256 = sha256_of(&path)?;
        self.write(&path, &now(sha256.clone()));
        Ok(sha256)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = sha256_of_bytes(path.as_os_str().as_encoded_bytes());
        self.dir.join(&name[..16])
    }

    fn read(&self, path: &Path) -> Option<Stamp> {
        serde_json::from_slice(&fs::read(self.file(path)).ok()?).ok()
    }

    /// A stamp that cannot be written, as in a read-only cache, only costs time.
    fn write(&self, path: &Path, stamp: &Stamp) {
        let write = || -> io::Result<()> {
            private::make_folder(&self.dir)?;
            let file = tempfile::NamedTempFile::new_in(&self.dir)?;
            serde_json::to_writer(&file, stamp)?;
            file.persist(self.file(path))?;
            Ok(())
        };
        let _ = write();
    }
}

fn stamp(path: &Path, meta: &fs::Metadata, sha256: String) -> Stamp {
    let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Stamp {
        path: path.to_string_lossy().into_owned(),
        size: meta.len(),
        modified_ns: modified.map_or(0, |since| since.as_nanos()),
        sha256,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_changed_file_is_hashed_again() {
        let dir = tempfile::tempdir().unwrap();
        let (path, stamps) = (dir.path().join("weights"), Stamps::under(&dir.path().join("cache")));
        fs::write(&path, vec![1; 2 << 20]).unwrap();
        let first = stamps.sha256_of(&path).unwrap();
        assert_eq!(first, sha256_of(&path).unwrap());
        assert!(stamps.read(&path.canonicalize().unwrap()).is_some());

        fs::write(&path, vec![2; 2 << 20]).unwrap();
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256_of(&path).unwrap());
        assert_ne!(stamps.sha256_of(&path).unwrap(), first);
    }

    #[test]
    fn a_damaged_stamp_and_a_cache_that_cannot_be_written_only_cost_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights");
        fs::write(&path, vec![1; 2 << 20]).unwrap();
        let stamps = Stamps::under(dir.path());
        let sha256 = stamps.sha256_of(&path).unwrap();
        fs::write(stamps.file(&path.canonicalize().unwrap()), "{").unwrap();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256);
        assert_eq!(Stamps::under(&path).sha256_of(&path).unwrap(), sha256);
    }
}
