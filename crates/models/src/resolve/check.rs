//! Comparing files with their pinned checksums.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{ModelEntry, ModelError, PinnedFile, checksum, stamps::Stamps};

/// What became of comparing one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The file is the pinned one.
    Ok,
    /// There is no such file.
    Missing,
    /// The file is another one.
    WrongChecksum {
        /// Its sha256 in hex.
        found: String,
        /// The pinned sha256 in hex.
        expected: String,
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

/// Hashes every file of a model in `dir`, whatever was remembered of them.
pub fn verify(dir: &Path, entry: &ModelEntry) -> Vec<FileCheck> {
    let check = |file: &PinnedFile| {
        let path = dir.join(file.name);
        let verdict = verdict(file, checksum::sha256_of(&path));
        FileCheck { path, verdict }
    };
    entry.files.iter().map(check).collect()
}

fn verdict(file: &PinnedFile, sha256: io::Result<String>) -> Verdict {
    match sha256 {
        Ok(found) if found == file.sha256 => Verdict::Ok,
        Ok(found) => Verdict::WrongChecksum { found, expected: file.sha256.to_owned() },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Verdict::Missing,
        Err(error) => Verdict::Unreadable { reason: error.to_string() },
    }
}

/// Requires every file of a model in `dir`; files hashed before are not hashed again.
///
/// `next` says what to do about a file that is missing or another.
pub(super) fn require(entry: &ModelEntry, dir: &Path, stamps: &Stamps, next: &str) -> Result<(), ModelError> {
    for file in entry.files {
        let path = dir.join(file.name);
        let next = next.to_owned();
        match verdict(file, stamps.sha256_of(&path)) {
            Verdict::Ok => {}
            Verdict::WrongChecksum { found, expected } => {
                return Err(ModelError::WrongChecksum { path, found, expected, next });
            }
            Verdict::Missing => {
                let expected = format!("{} of {}, {} bytes", file.name, entry.name, file.size);
                return Err(ModelError::MissingFile { path, expected, next });
            }
            Verdict::Unreadable { reason } => {
                return Err(ModelError::Io { path, action: "hash the file", source: io::Error::other(reason) });
            }
        }
    }
    Ok(())
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
        let verdicts: Vec<_> = verify(&dir, &fake.entry).into_iter().map(|check| check.verdict).collect();
        let expected = fake.entry.files[2].sha256.to_owned();
        let found = checksum::sha256_of_bytes(b"");
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Missing, Verdict::WrongChecksum { found, expected }]);
    }
}
