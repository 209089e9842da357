//! Checksums of files that the registry has none for, recorded when they are first seen.
//!
//! The record lies beside the models, not in their directories: fetching a
//! model again does not forget what it was.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    ModelEntry, ModelError, ModelFile,
    files::{Access, MOST_CONFIG, NewFile, read_regular},
    private,
};

/// What a file was when it was first seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// What a file must be, and where that comes from if not from the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) fingerprint: Fingerprint,
    record: Option<PathBuf>,
}

impl Expected {
    /// What to do about another file: `otherwise`, or what the record's owner can decide.
    pub(super) fn next(&self, otherwise: &str) -> String {
        match &self.record {
            None => otherwise.to_owned(),
            Some(record) => {
                let record = record.display();
                format!("the first was recorded when it was first seen: delete {record} to trust the other")
            }
        }
    }
}

/// The record of one model.
pub(super) struct Lock {
    path: PathBuf,
    files: BTreeMap<String, Fingerprint>,
}

impl Lock {
    /// The record of a model under a model cache, empty where there is none.
    ///
    /// # Errors
    /// When it cannot be read: going on without it would trust anything.
    pub(super) fn read(entry: &ModelEntry, cache: &Path) -> Result<Self, ModelError> {
        let path = cache.join("trusted").join(format!("{}.json", entry.files_name()));
        let files = match read_regular(&path, MOST_CONFIG) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| ModelError::Config {
                path: path.clone(),
                field: "the file",
                found: error.to_string(),
                expected: "the checksums recorded of a model, or no such file".to_owned(),
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(ModelError::io("read the recorded checksums", path)(error)),
        };
        Ok(Self { path, files })
    }

    /// What a file must be; none if this is the first time that it is seen.
    pub(super) fn expected(&self, file: &ModelFile) -> Option<Expected> {
        let pinned = file.pin.map(|pin| Fingerprint { size: pin.size, sha256: pin.sha256.to_owned() });
        let recorded = || self.files.get(file.name).cloned();
        let record = pinned.is_none().then(|| self.path.clone());
        Some(Expected { fingerprint: pinned.or_else(recorded)?, record })
    }

    /// Whether it is known of every file what it must be.
    pub(super) fn covers(&self, entry: &ModelEntry) -> bool {
        entry.files.iter().all(|file| self.expected(file).is_some())
    }

    /// Adds what was seen for the first time.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub(super) fn record(mut self, seen: Vec<(&'static str, Fingerprint)>) -> Result<(), ModelError> {
        if seen.is_empty() {
            return Ok(());
        }
        self.files.extend(seen.into_iter().map(|(name, fingerprint)| (name.to_owned(), fingerprint)));
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let write = || -> io::Result<()> {
            private::make_folder(folder)?;
            let mut file = NewFile::beside(&self.path, Access::Private)?;
            serde_json::to_writer_pretty(&mut file, &self.files)?;
            file.finish()
        };
        write().map_err(ModelError::io("record the checksums of a model first seen", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::Fake, *};

    #[test]
    fn a_pin_comes_before_a_record_and_a_record_is_kept() {
        let fake = Fake::unpinned(&["config.json"]);
        let cache = fake.path("models");
        let [weights, _, config] = &fake.entry.files;
        let lock = Lock::read(&fake.entry, &cache).unwrap();
        assert!(lock.expected(weights).is_some() && lock.expected(config).is_none() && !lock.covers(&fake.entry));
        let seen = Fingerprint { size: 2, sha256: "ab".to_owned() };
        lock.record(vec![("config.json", seen.clone()), ("model.safetensors", seen.clone())]).unwrap();

        let lock = Lock::read(&fake.entry, &cache).unwrap();
        assert!(lock.covers(&fake.entry));
        let expected = lock.expected(config).unwrap();
        assert_eq!(expected.fingerprint, seen);
        assert!(expected.next("other").contains("trusted/fake@0123456789ab.json"), "{expected:?}");
        let pinned = lock.expected(weights).unwrap();
        assert_eq!((pinned.fingerprint.size, pinned.next("other").as_str()), (7, "other"));
    }

    #[test]
    fn a_damaged_record_is_an_error() {
        let fake = Fake::unpinned(&["config.json"]);
        let path = fake.path("models/trusted/fake@0123456789ab.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{").unwrap();
        let message = Lock::read(&fake.entry, &fake.path("models")).err().unwrap().to_string();
        assert!(message.contains("expected the checksums recorded of a model"), "{message}");
    }
}
