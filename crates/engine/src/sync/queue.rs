//! What a hook leaves to be done later: a line a log, in a file that is only appended to.
//!
//! A line names a log and never holds what was said. A lock of the file, held for one write, keeps writers apart.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use aforesaid_models::files::make_private_folder;
use serde::{Deserialize, Serialize};

use super::SyncError;

/// Bytes of a queue that are read at most; what is beyond is read the next time.
const MOST: u64 = 16 << 20;

/// A log that has something new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedEvent {
    /// The event of the agent, such as `Stop`.
    pub event: String,
    /// The session's log.
    pub transcript: PathBuf,
}

/// The queue of a store.
#[derive(Debug, Clone)]
pub struct Queue {
    path: PathBuf,
}

impl Queue {
    /// The queue in a folder of cursors.
    pub fn within(folder: &Path) -> Self {
        Self { path: folder.join("queue.jsonl") }
    }

    /// Appends an event.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn push(&self, event: &QueuedEvent) -> Result<(), SyncError> {
        let append = || {
            if let Some(folder) = self.path.parent() {
                make_private_folder(folder)?;
            }
            let mut line = serde_json::to_vec(event)?;
            line.push(b'\n');
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            file.lock()?;
            file.write_all(&line)
        };
        append().map_err(SyncError::io(&self.path))
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |found| found.len() == 0)
    }

    /// What is in it, and how many bytes that is; a line that is broken is passed over.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(&self) -> Result<(Vec<QueuedEvent>, u64), SyncError> {
        let read = || {
            if !self.path.exists() {
                return Ok((Vec::new(), 0));
            }
            let file = File::open(&self.path)?;
            file.lock_shared()?;
            let mut bytes = Vec::new();
            (&file).take(MOST).read_to_end(&mut bytes)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let lines = bytes[..whole].split(|byte| *byte == b'\n');
            let events = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
            Ok((events, whole as u64))
        };
        read().map_err(SyncError::io(&self.path))
    }

    /// Takes the first bytes out, which were worked off.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn drop_first(&self, bytes: u64) -> Result<(), SyncError> {
        let take_out = || {
            if bytes == 0 {
                return Ok(());
            }
            let mut file = File::options().read(true).write(true).open(&self.path)?;
            file.lock()?;
            file.seek(SeekFrom::Start(bytes))?;
            let mut rest = Vec::new();
            file.read_to_end(&mut rest)?;
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&rest)
        };
        take_out().map_err(SyncError::io(&self.path))
    }
}
