//! Answers that were given before, one file each.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{CacheKey, Completion, LlmError, RequestKey, canonical::sha256_hex, private};

/// A folder of answers by what was asked.
///
/// Files are named by the sha256 of the request, which no text can be read from; inside is the answer, so that
/// the folder is as private as the memories are, and for its owner alone. Sealed, the answers can be read with their
/// [`CacheKey`] only, and names tell nothing without it. Several processes may share a folder: a file appears whole.
#[derive(Debug, Clone)]
pub struct ResponseCache {
    folder: PathBuf,
    key: Option<CacheKey>,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The request it answers.
    key: String,
    /// Of the completion as JSON.
    sha256: String,
    completion: Completion,
}

impl ResponseCache {
    /// The cache in a folder, which is made if need be.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, LlmError> {
        let folder = folder.into();
        private::make_folder(&folder).map_err(LlmError::io("make the folder for answers", &folder))?;
        Ok(Self { folder, key: None })
    }

    /// The cache in a folder whose answers are sealed: with another key there are none.
    ///
    /// # Errors
    /// As [`ResponseCache::open`].
    pub fn sealed(folder: impl Into<PathBuf>, key: CacheKey) -> Result<Self, LlmError> {
        Ok(Self { key: Some(key), ..Self::open(folder)? })
    }

    /// The answer to a request, if it is there and whole. A damaged one is none: the next answer takes its place.
    ///
    /// # Errors
    /// When its file is there and cannot be read.
    pub fn get(&self, key: &RequestKey) -> Result<Option<Completion>, LlmError> {
        let path = self.path(key);
        match fs::read(&path) {
            Ok(bytes) => Ok(self.unsealed(bytes, key).and_then(|bytes| whole(&bytes, key))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LlmError::io("read an answer", path)(error)),
        }
    }

    /// Keeps the answer to a request in place of the one there was.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, key: &RequestKey, completion: &Completion) -> Result<(), LlmError> {
        let path = self.path(key);
        let written = self.entry(key, completion).and_then(|bytes| write(&path, &bytes));
        written.map_err(LlmError::io("keep an answer", &path))
    }

    /// Files of one folder stay few when there are very many.
    fn path(&self, key: &RequestKey) -> PathBuf {
        let (name, extension) = match &self.key {
            None => (key.to_string(), "json"),
            Some(secret) => (secret.name(key.as_str()), "sealed"),
        };
        let (shelf, rest) = name.split_at(2);
        self.folder.join(shelf).join(format!("{rest}.{extension}"))
    }

    fn entry(&self, key: &RequestKey, completion: &Completion) -> io::Result<Vec<u8>> {
        let sha256 = digest(completion)?;
        let entry = serde_json::to_vec(&Entry { key: key.to_string(), sha256, completion: completion.clone() })?;
        match &self.key {
            None => Ok(entry),
            Some(secret) => {
                let sealed = secret.seal(key.as_str(), &entry);
                sealed.ok_or_else(|| io::Error::other("the system has no random numbers to give"))
            }
        }
    }

    fn unsealed(&self, bytes: Vec<u8>, key: &RequestKey) -> Option<Vec<u8>> {
        match &self.key {
            None => Some(bytes),
            Some(secret) => secret.open(key.as_str(), &bytes),
        }
    }
}

/// Writes an entry for its owner alone; the file appears whole or not at all.
fn write(path: &Path, entry: &[u8]) -> io::Result<()> {
    let shelf = path.parent().unwrap_or(Path::new("."));
    private::make_folder(shelf)?;
    let mut file = tempfile::NamedTempFile::new_in(shelf)?;
    file.write_all(entry)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn whole(bytes: &[u8], key: &RequestKey) -> Option<Completion> {
    let entry: Entry = serde_json::from_slice(bytes).ok()?;
    let sound = entry.key == key.as_str() && digest(&entry.completion).ok()? == entry.sha256;
    sound.then_some(entry.completion)
}

fn digest(completion: &Completion) -> io::Result<String> {
    Ok(sha256_hex(&serde_json::to_string(completion)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChatRequest, Counted, Finish, Message, Usage};

    fn key(text: &str) -> RequestKey {
        ChatRequest::new(vec![Message::user(text)]).key("m")
    }

    fn completion(text: &str) -> Completion {
        let usage = Usage { prompt: 3, completion: 4, counted: Counted::Reported };
        Completion { text: text.to_owned(), refusal: None, finish: Finish::Stop, usage }
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn what_is_put_is_found_again_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResponseCache::open(folder.path().join("a/b")).unwrap();
        assert_eq!(cache.get(&key("kite")).unwrap(), None);
        cache.put(&key("kite"), &completion("red")).unwrap();
        cache.put(&key("kite"), &completion("blue")).unwrap();
        cache.put(&key("soup"), &completion("leek")).unwrap();
        let again = ResponseCache::open(folder.path().join("a/b")).unwrap();
        assert_eq!(again.get(&key("kite")).unwrap(), Some(completion("blue")));
        let files = files(folder.path());
        assert_eq!(files.len(), 2, "{files:?}");
        assert!(files.iter().all(|file| !file.to_string_lossy().contains("kite")));
    }

    #[test]
    fn an_entry_cut_short_flipped_or_of_another_request_is_none_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResponseCache::open(folder.path()).unwrap();
        cache.put(&key("kite"), &completion("red")).unwrap();
        let (path, sound) = (cache.path(&key("kite")), fs::read_to_string(cache.path(&key("kite"))).unwrap());
        for damaged in [&sound[..sound.len() / 2], "", &sound.replace("red", "rid"), "{}"] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.get(&key("kite")).unwrap(), None, "{damaged}");
        }
        cache.put(&key("kite"), &completion("red")).unwrap();
        assert_eq!(cache.get(&key("kite")).unwrap(), Some(completion("red")));
        let other = cache.path(&key("soup"));
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::write(other, sound).unwrap();
        assert_eq!(cache.get(&key("soup")).unwrap(), None);
    }

    #[test]
    fn a_sealed_answer_is_found_with_its_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let sealed = |byte| ResponseCache::sealed(folder.path().join("kept"), CacheKey::new([byte; 32])).unwrap();
        sealed(1).put(&key("kite"), &completion("red")).unwrap();
        assert_eq!(sealed(1).get(&key("kite")).unwrap(), Some(completion("red")));
        assert_eq!(sealed(2).get(&key("kite")).unwrap(), None);
        assert_eq!(ResponseCache::open(folder.path().join("kept")).unwrap().get(&key("kite")).unwrap(), None);
        let files = files(folder.path());
        let [file] = files.as_slice() else { panic!("{files:?}") };
        assert!(!file.to_string_lossy().contains(&key("kite").as_str()[2..]), "{files:?}");
        assert!(!fs::read(file).unwrap().windows(3).any(|window| window == b"red"));
    }

    #[cfg(unix)]
    #[test]
    fn answers_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("deep/kept");
        let cache = ResponseCache::open(&kept).unwrap();
        cache.put(&key("kite"), &completion("red")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cache.path(&key("kite"))), 0o600);
        for made in [cache.path(&key("kite")).parent().unwrap(), &kept, kept.parent().unwrap()] {
            assert_eq!(mode(made), 0o700, "{}", made.display());
        }
    }

    #[test]
    fn a_folder_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let message = ResponseCache::open(file.join("cache")).unwrap_err().to_string();
        assert!(message.contains("file/cache") && message.contains("make the folder"), "{message}");
        let cache = ResponseCache::open(folder.path()).unwrap();
        fs::create_dir_all(cache.path(&key("kite"))).unwrap();
        assert!(cache.get(&key("kite")).is_err());
        assert!(cache.put(&key("kite"), &completion("red")).is_err());
        assert_eq!(files(folder.path()), [file], "a failed write leaves nothing");
    }
}
