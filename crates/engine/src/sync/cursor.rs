//! How far each log was read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
};

use aforesaid_core::{
    store::Existing,
    types::{ConversationId, Namespace, Timestamp},
};
use aforesaid_models::files::{Access, NewFile, make_private_folder};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

use super::{Log, SyncError, discover::claude_code_key};
use crate::formats::agents::{Agent, LineState, ToolTurns};

/// The version of what a cursor's file holds; a file of another one is read anew.
const VERSION: u32 = 1;

/// How far a log was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    pub(super) version: u32,
    pub(super) agent: Option<Agent>,
    pub(super) key: String,
    pub(super) path: PathBuf,
    /// Where its turns went.
    pub(super) namespace: Option<Namespace>,
    pub(super) conversation: String,
    /// Length in bytes and change time in milliseconds of the file when it was read.
    pub(super) size: u64,
    pub(super) modified: i64,
    /// Where the next part begins, and the end of the last whole line, in bytes of the unpacked file.
    pub(super) offset: u64,
    pub(super) seen: u64,
    /// The hash of the beginning, and that of what comes before `seen`: a file that was changed there is another one.
    pub(super) head: String,
    pub(super) tail: String,
    pub(super) state: LineState,
    /// Hashes of the turns after `offset` by their ids; of a session that is read as a whole, of all its turns.
    pub(super) open: BTreeMap<String, String>,
    pub(super) stored: StoredTurns,
    /// The conversations of other logs whose turns this one repeats: they are stored there.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) repeats: BTreeSet<String>,
    pub(super) since: Option<Timestamp>,
    pub(super) tools: ToolTurns,
    /// Whether all that was read was forgotten: then nothing of it is read again, whatever is asked for.
    pub(super) forgotten: bool,
}

impl Cursor {
    /// The cursor of the same log, to be read from its beginning; what was stored of it is still known.
    pub(super) fn anew(self) -> Self {
        let Self { namespace, stored, repeats, since, tools, .. } = self;
        Self { namespace, stored, repeats, since, tools, ..Self::default() }
    }
}

/// The turns of a log that were stored: one that is not there any more has been forgotten, and is not stored again.
///
/// A turn is kept as the first eight bytes of a hash of its id, which holds nothing of its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StoredTurns(BTreeSet<u64>);

impl StoredTurns {
    pub(super) fn insert(&mut self, id: &str) {
        self.0.insert(short_hash(id));
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.0.remove(&short_hash(id));
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains(&short_hash(id))
    }

    /// The hashes of their ids.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

pub(super) fn short_hash(id: &str) -> u64 {
    Sha256::digest(id.as_bytes()).iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl Serialize for StoredTurns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.iter().map(|hash| format!("{hash:016x}")).collect::<String>())
    }
}

impl<'de> Deserialize<'de> for StoredTurns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let hash = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let hashes: Option<BTreeSet<u64>> = digits.as_bytes().chunks(16).map(hash).collect();
        hashes.map(Self).ok_or_else(|| D::Error::custom("expected hexadecimal digits"))
    }
}

/// The folder of the cursors of a store.
#[derive(Debug, Clone)]
pub struct Cursors {
    folder: PathBuf,
}

/// Holds the lock of a folder of cursors while it lives.
#[derive(Debug)]
pub struct SyncLock {
    _file: File,
}

impl Cursors {
    /// The folder beside a store's file.
    pub fn beside(store: &Path) -> Self {
        let mut name = store.file_name().unwrap_or_default().to_owned();
        name.push(".sync");
        Self { folder: store.with_file_name(name) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder, for its owner alone.
    pub(super) fn prepare(&self) -> Result<(), SyncError> {
        make_private_folder(&self.folder).map_err(SyncError::io(&self.folder))
    }

    /// Waits until no other run works; `waiting` is called where one does.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn lock(&self, waiting: impl FnOnce()) -> Result<SyncLock, SyncError> {
        match self.try_lock()? {
            Some(lock) => Ok(lock),
            None => {
                waiting();
                let (path, file) = self.lock_file("lock")?;
                file.lock().map_err(SyncError::io(path))?;
                Ok(SyncLock { _file: file })
            }
        }
    }

    /// The lock, unless another run has it.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn try_lock(&self) -> Result<Option<SyncLock>, SyncError> {
        Self::try_locked(self.lock_file("lock")?)
    }

    /// The lock of the one process that watches the logs for this store, unless another has it.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn try_watch_lock(&self) -> Result<Option<SyncLock>, SyncError> {
        Self::try_locked(self.lock_file("watch.lock")?)
    }

    fn try_locked((path, file): (PathBuf, File)) -> Result<Option<SyncLock>, SyncError> {
        match file.try_lock() {
            Ok(()) => Ok(Some(SyncLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(SyncError::io(path)(error)),
        }
    }

    fn lock_file(&self, name: &str) -> Result<(PathBuf, File), SyncError> {
        self.prepare()?;
        let path = self.folder.join(name);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(SyncError::io(&path))?;
        Ok((path, file))
    }

    fn file(&self, agent: Agent, key: &str) -> PathBuf {
        self.folder.join(format!("{}.json", hash(format!("{agent}\n{key}").as_bytes())))
    }

    /// The cursor of a log; a new one where there is none that can be used.
    pub(super) fn load(&self, log: &Log) -> Cursor {
        self.read(log.agent, &log.key).unwrap_or_default()
    }

    fn read(&self, agent: Agent, key: &str) -> Option<Cursor> {
        let cursor: Cursor = serde_json::from_slice(&fs::read(self.file(agent, key)).ok()?).ok()?;
        (cursor.version == VERSION).then_some(cursor)
    }

    /// The conversations of which a log of Claude Code repeats turns, since its session goes on with theirs, as far as it was read.
    pub fn repeated_by(&self, log: &Path) -> Vec<ConversationId> {
        let cursor = claude_code_key(log).and_then(|key| self.read(Agent::ClaudeCode, &key));
        let repeats = cursor.map(|cursor| cursor.repeats).unwrap_or_default();
        repeats.into_iter().filter_map(|conversation| ConversationId::new(conversation).ok()).collect()
    }

    pub(super) fn save(&self, log: &Log, cursor: Cursor) -> Result<(), SyncError> {
        let (agent, key, path) = (log.agent, log.key.clone(), log.path.clone());
        self.write(agent, &Cursor { version: VERSION, agent: Some(agent), key, path, ..cursor })
    }

    /// Replaces a cursor that was read from its file.
    pub(super) fn write(&self, agent: Agent, cursor: &Cursor) -> Result<(), SyncError> {
        let path = self.file(agent, &cursor.key);
        let write = || {
            let mut file = NewFile::beside(&path, Access::Private)?;
            file.write_all(&serde_json::to_vec(cursor)?)?;
            file.finish()
        };
        write().map_err(SyncError::io(&path))
    }

    /// Copies the cursors of some namespaces to the folder of another store, with [`Existing::Kept`] but those it has; says
    /// how many.
    ///
    /// # Errors
    /// When a folder is there and cannot be read, or the other one cannot be written.
    pub fn copy_to(&self, other: &Cursors, namespaces: &[Namespace], existing: Existing) -> Result<u64, SyncError> {
        let of_these = |cursor: &Cursor| cursor.namespace.as_ref().is_some_and(|name| namespaces.contains(name));
        let mut copied = 0;
        let mut lock = None;
        for cursor in self.all()?.iter().filter(|cursor| of_these(cursor)) {
            if lock.is_none() {
                lock = Some(other.lock(|| {})?);
            }
            let is_kept = |agent: &Agent| existing == Existing::Kept && other.file(*agent, &cursor.key).exists();
            let Some(agent) = cursor.agent.filter(|agent| !is_kept(agent)) else { continue };
            other.write(agent, cursor)?;
            copied += 1;
        }
        Ok(copied)
    }

    /// Every cursor.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub(super) fn all(&self) -> Result<Vec<Cursor>, SyncError> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&self.folder).map_err(SyncError::io(&self.folder))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let files = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let cursors = files.filter_map(|path| serde_json::from_slice::<Cursor>(&fs::read(path).ok()?).ok());
        Ok(cursors.filter(|cursor| cursor.version == VERSION).collect())
    }
}

/// The first sixteen bytes of a SHA-256, in hexadecimal digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
