//! Which files were already hashed.
//!
//! Hashing 90 MB at every start would cost more than reading them. After the
//! first full check a stamp keeps a file's path, size, times and sha256; while
//! these stay the same, the sha256 is taken from there.
//!
//! On Unix the times include that of the last change, which the system sets at
//! every write and every change of the other times, and the file's number: a file
//! that was written to, or replaced, is hashed again, whatever its modification
//! time was set to. A stamp does not protect against whoever can write in the
//! cache, set the system's clock, or write to the disk past the file system, nor
//! elsewhere than on Unix against somebody who sets the modification time.
//! `aforesaid models verify` hashes every file and reads no stamp.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    checksum::{sha256_of, sha256_of_bytes},
    files::{Access, MOST_CONFIG, NewFile, read_regular},
    private,
};

/// Files below this size are always hashed.
const WORTH_A_STAMP: u64 = 1 << 20;

/// A file that changed so recently is not given a stamp: times have steps, and it may change again within one.
const STEP: Duration = Duration::from_secs(2);

/// The stamps kept in a cache directory.
pub(crate) struct Stamps {
    dir: PathBuf,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Stamp {
    path: String,
    size: u64,
    modified_ns: u128,
    /// Nanoseconds of the last change; 0 where the system does not tell.
    #[serde(default)]
    changed_ns: i128,
    /// Device and number of the file; 0 likewise.
    #[serde(default)]
    identity: (u64, u64),
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
        // Of what it was before it was read: what changed it meanwhile changes its times.
        if settled(&meta) {
            self.write(&path, &now(sha256.clone()));
        }
        Ok(sha256)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = sha256_of_bytes(path.as_os_str().as_encoded_bytes());
        self.dir.join(&name[..16])
    }

    fn read(&self, path: &Path) -> Option<Stamp> {
        serde_json::from_slice(&read_regular(&self.file(path), MOST_CONFIG).ok()?).ok()
    }

    /// A stamp that cannot be written, as in a read-only cache, only costs time.
    fn write(&self, path: &Path, stamp: &Stamp) {
        let write = || -> io::Result<()> {
            private::make_folder(&self.dir)?;
            let mut file = NewFile::beside(&self.file(path), Access::Private)?;
            serde_json::to_writer(&mut file, stamp)?;
            file.finish()
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
        changed_ns: changed_ns(meta),
        identity: identity(meta),
        sha256,
    }
}

/// Whether a file has been left alone for longer than a step of its times.
fn settled(meta: &fs::Metadata) -> bool {
    let now = SystemTime::now();
    let long_ago = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > STEP);
    let changed = u64::try_from(changed_ns(meta)).map(|ns| UNIX_EPOCH + Duration::from_nanos(ns));
    meta.modified().is_ok_and(long_ago) && changed.is_ok_and(long_ago)
}

#[cfg(unix)]
fn changed_ns(meta: &fs::Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt;
    i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec())
}

#[cfg(unix)]
fn identity(meta: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn changed_ns(_: &fs::Metadata) -> i128 {
    0
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
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
        let path = path.canonicalize().unwrap();
        assert!(stamps.read(&path).is_none(), "it was written a moment ago");
        stamps.write(&path, &stamp(&path, &path.metadata().unwrap(), first.clone()));

        fs::write(&path, vec![2; 2 << 20]).unwrap();
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256_of(&path).unwrap());
        assert_ne!(stamps.sha256_of(&path).unwrap(), first);
    }

    #[test]
    fn a_file_left_alone_is_not_hashed_again() {
        let dir = tempfile::tempdir().unwrap();
        let (path, stamps) = (dir.path().join("weights"), Stamps::under(&dir.path().join("cache")));
        fs::write(&path, vec![1; 2 << 20]).unwrap();
        let path = path.canonicalize().unwrap();
        let meta = path.metadata().unwrap();
        stamps.write(&path, &stamp(&path, &meta, "remembered".to_owned()));
        assert_eq!(stamps.sha256_of(&path).unwrap(), "remembered");
        std::thread::sleep(STEP + Duration::from_millis(50));
        assert!(settled(&meta));
        fs::remove_dir_all(&stamps.dir).unwrap();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256_of(&path).unwrap());
        assert!(stamps.read(&path).is_some(), "by now it has settled");
    }

    /// Whoever set the modification time back after a change had the old sha256 believed.
    #[cfg(unix)]
    #[test]
    fn a_modification_time_set_back_deceives_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let (path, stamps) = (dir.path().join("weights"), Stamps::under(&dir.path().join("cache")));
        fs::write(&path, vec![1; 2 << 20]).unwrap();
        let path = path.canonicalize().unwrap();
        let before = path.metadata().unwrap();
        let first = sha256_of(&path).unwrap();
        stamps.write(&path, &stamp(&path, &before, first.clone()));
        // A time that the system has a step for.
        std::thread::sleep(Duration::from_millis(20));
        let set_back = || {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(before.modified().unwrap()).unwrap();
            assert_eq!(path.metadata().unwrap().modified().unwrap(), before.modified().unwrap());
        };
        fs::write(&path, vec![2; 2 << 20]).unwrap();
        set_back();
        assert_ne!(stamps.sha256_of(&path).unwrap(), first, "written over");
        fs::write(dir.path().join("other"), vec![3; 2 << 20]).unwrap();
        fs::rename(dir.path().join("other"), &path).unwrap();
        set_back();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256_of(&path).unwrap(), "replaced");
    }

    #[test]
    fn a_damaged_stamp_and_a_cache_that_cannot_be_written_only_cost_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights");
        fs::write(&path, vec![1; 2 << 20]).unwrap();
        let stamps = Stamps::under(dir.path());
        let sha256 = stamps.sha256_of(&path).unwrap();
        fs::create_dir_all(&stamps.dir).unwrap();
        fs::write(stamps.file(&path.canonicalize().unwrap()), "{").unwrap();
        assert_eq!(stamps.sha256_of(&path).unwrap(), sha256);
        assert_eq!(Stamps::under(&path).sha256_of(&path).unwrap(), sha256);
    }
}
