//! Comparing files with their checksums.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::lock::{Expected, Fingerprint, Lock};
use crate::{ModelEntry, ModelError, ModelFile, checksum, stamps::Stamps};

/// What became of comparing one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The file is the pinned one, or the one that was recorded.
    Ok,
    /// There is no such file.
    Missing,
    /// The file is another one.
    WrongChecksum {
        /// Its sha256 in hex.
        found: String,
        /// The sha256 pinned or recorded, in hex.
        expected: String,
    },
    /// Nothing is known of this file yet; it is recorded when the model is used.
    FirstSeen {
        /// Its sha256 in hex.
        found: String,
    },
    /// The file could not be read.
    Unreadable {
        /// Why not.
        reason: String,
    },
}

/// A file and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// The file.
    pub path: PathBuf,
    /// What became of comparing it.
    pub verdict: Verdict,
}

/// Hashes every file of a model in `dir`, whatever was remembered of them under the model cache `cache`.
///
/// # Errors
/// When the checksums recorded in the cache cannot be read.
pub fn verify(dir: &Path, entry: &ModelEntry, cache: &Path) -> Result<Vec<FileCheck>, ModelError> {
    let lock = Lock::read(entry, cache)?;
    let check = |file: &ModelFile| {
        let path = dir.join(file.name);
        let verdict = verdict(lock.expected(file), checksum::sha256_of(&path));
        FileCheck { path, verdict }
    };
    Ok(entry.files.iter().map(check).collect())
}

fn verdict(expected: Option<Expected>, sha256: io::Result<String>) -> Verdict {
    match (sha256, expected.map(|expected| expected.fingerprint.sha256)) {
        (Ok(found), Some(expected)) if found == expected => Verdict::Ok,
        (Ok(found), Some(expected)) => Verdict::WrongChecksum { found, expected },
        (Ok(found), None) => Verdict::FirstSeen { found },
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => Verdict::Missing,
        (Err(error), _) => Verdict::Unreadable { reason: error.to_string() },
    }
}

/// Requires every file of a model in `dir`; files hashed before are not hashed again.
///
/// What is seen for the first time is recorded, once all files are there. `next` says what to do about a
/// file that is missing or not the pinned one.
pub(super) fn require(entry: &ModelEntry, dir: &Path, cache: &Path, next: &str) -> Result<(), ModelError> {
    let (lock, stamps) = (Lock::read(entry, cache)?, Stamps::under(cache));
    let mut seen = Vec::new();
    for file in &entry.files {
        let path = dir.join(file.name);
        let expected = lock.expected(file);
        match verdict(expected.clone(), stamps.sha256_of(&path)) {
            Verdict::Ok => {}
            Verdict::FirstSeen { found } => {
                let meta = path.metadata().map_err(ModelError::io("read the size of the file", &path))?;
                seen.push((file.name, Fingerprint { size: meta.len(), sha256: found }));
            }
            Verdict::WrongChecksum { found, expected: sha256 } => {
                let next = expected.map_or_else(|| next.to_owned(), |expected| expected.next(next));
                return Err(ModelError::WrongChecksum { path, found, expected: sha256, next });
            }
            Verdict::Missing => {
                let size = expected.map_or(String::new(), |expected| format!(", {} bytes", expected.fingerprint.size));
                let expected = format!("{} of {}{size}", file.name, entry.name);
                return Err(ModelError::MissingFile { path, expected, next: next.to_owned() });
            }
            Verdict::Unreadable { reason } => {
                return Err(ModelError::Io { path, action: "hash the file", source: io::Error::other(reason) });
            }
        }
    }
    lock.record(seen)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::testing::Fake, *};

    #[test]
    fn verify_gives_a_verdict_for_each_file() {
        let fake = Fake::new();
        let dir = fake.path("model");
        fake.write_model(&dir);
        fs::remove_file(dir.join("tokenizer.json")).unwrap();
        fs::write(dir.join("config.json"), "").unwrap();
        let checks = verify(&dir, &fake.entry, &fake.path("models")).unwrap();
        let verdicts: Vec<_> = checks.into_iter().map(|check| check.verdict).collect();
        let expected = fake.entry.files[2].pin.unwrap().sha256.to_owned();
        let found = checksum::sha256_of_bytes(b"");
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Missing, Verdict::WrongChecksum { found, expected }]);
    }

    #[test]
    fn a_file_without_a_checksum_is_trusted_once_and_then_held_to_it() {
        let fake = Fake::unpinned(&["config.json", "tokenizer.json"]);
        let (dir, cache) = (fake.path("model"), fake.path("models"));
        fake.write_model(&dir);
        let found = checksum::sha256_of_bytes(b"config");
        let last = |checks: Vec<FileCheck>| checks.last().unwrap().verdict.clone();
        assert_eq!(last(verify(&dir, &fake.entry, &cache).unwrap()), Verdict::FirstSeen { found: found.clone() });
        require(&fake.entry, &dir, &cache, "next").unwrap();
        assert_eq!(last(verify(&dir, &fake.entry, &cache).unwrap()), Verdict::Ok);

        fs::write(dir.join("config.json"), "another").unwrap();
        let message = require(&fake.entry, &dir, &cache, "next").unwrap_err().to_string();
        let other = checksum::sha256_of_bytes(b"another");
        for part in ["config.json: ", &format!("found sha256 {other}, expected {found}"), "delete ", "trusted/fake@"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn nothing_is_recorded_of_an_incomplete_model() {
        let fake = Fake::unpinned(&["model.safetensors"]);
        let dir = fake.path("model");
        fake.write_model(&dir);
        fs::remove_file(dir.join("config.json")).unwrap();
        require(&fake.entry, &dir, &fake.path("models"), "next").unwrap_err();
        assert!(!Lock::read(&fake.entry, &fake.path("models")).unwrap().covers(&fake.entry));
    }
}
