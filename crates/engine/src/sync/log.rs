//! Logs, and the bytes of those that are files of their own.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use aforesaid_models::files::{open_regular, read_bounded};

use super::cursor::{Cursor, hash};
use crate::{
    formats::agents::{Agent, SessionRow},
    sources::MOST_BYTES,
};

/// Bytes at the beginning of a file, and before the end of what was read, that tell whether it is the same.
const WINDOW: u64 = 4_096;

/// The log of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Who wrote it.
    pub agent: Agent,
    /// What tells it from the agent's others, also after it was moved or packed.
    pub key: String,
    /// The file that it is in.
    pub path: PathBuf,
    /// Where in the file it is.
    pub place: LogPlace,
}

/// Where a log is, and what is known of it beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogPlace {
    /// It is a file of lines.
    Lines {
        /// The session that it is of.
        session: String,
        /// The subagent that it is of.
        subagent: Option<String>,
        /// The folder of its project, where the log does not say.
        folder: Option<String>,
    },
    /// It is rows of OpenCode's database.
    OpenCode(SessionRow),
    /// It is files of OpenCode's, as before version 1.2.
    OpenCodeFiles {
        /// The folder of all of them.
        storage: PathBuf,
        /// The session.
        session: SessionRow,
    },
    /// It is values of Cursor's database.
    Cursor {
        /// The conversation.
        composer: String,
        /// The folder of the window that it was in.
        folder: Option<String>,
    },
}

/// A file of lines as it is now.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    pub(super) size: u64,
    pub(super) modified: i64,
}

impl LogFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        let metadata = file.metadata()?;
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Ok(Self { path: path.to_owned(), size: metadata.len(), modified, file })
    }

    fn is_packed(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "zst")
    }

    /// What follows the cursor; `None` where the file is not the one that the cursor is of.
    pub(super) fn rest(&mut self, cursor: &Cursor) -> io::Result<Option<Rest>> {
        if self.is_packed() {
            self.file.seek(SeekFrom::Start(0))?;
            let packed = ruzstd::decoding::StreamingDecoder::new(&mut self.file).map_err(io::Error::other)?;
            let whole = read_bounded(packed, MOST_BYTES)?;
            return Ok(Rest::of(whole, cursor));
        }
        if self.size < cursor.seen {
            return Ok(None);
        }
        // From a little before, so that the tail can be compared.
        let from = cursor.seen.saturating_sub(WINDOW).min(cursor.offset);
        let head = self.read(0, WINDOW.min(cursor.seen))?;
        let bytes = self.read(from, self.size - from)?;
        Ok(Rest::after(head, bytes, from, cursor))
    }

    fn read(&mut self, from: u64, length: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut self.file).take(length.min(MOST_BYTES)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The bytes of a file from a cursor's offset on.
pub(super) struct Rest {
    head: Vec<u8>,
    bytes: Vec<u8>,
    /// Place of the first of `bytes` in the file.
    from: u64,
    offset: u64,
}

impl Rest {
    fn of(whole: Vec<u8>, cursor: &Cursor) -> Option<Self> {
        let head = whole.get(..place(WINDOW.min(cursor.seen)))?.to_vec();
        Self::after(head, whole, 0, cursor)
    }

    fn after(head: Vec<u8>, bytes: Vec<u8>, from: u64, cursor: &Cursor) -> Option<Self> {
        let rest = Self { head, bytes, from, offset: cursor.offset };
        let is_same = rest.head_hash(cursor.seen) == cursor.head && rest.tail_hash(cursor.seen)? == cursor.tail;
        (cursor.seen == 0 || is_same).then_some(rest)
    }

    /// What follows the offset.
    pub(super) fn part(&self) -> &[u8] {
        self.bytes.get(place(self.offset.saturating_sub(self.from))..).unwrap_or_default()
    }

    /// The hash of the beginning of a file of which `seen` bytes were read.
    pub(super) fn head_hash(&self, seen: u64) -> String {
        let length = place(WINDOW.min(seen));
        // A file that was not read before has no head of its own.
        let head = if self.from == 0 { &self.bytes } else { &self.head };
        hash(head.get(..length.min(head.len())).unwrap_or_default())
    }

    /// The hash of what comes before `seen`.
    pub(super) fn tail_hash(&self, seen: u64) -> Option<String> {
        let end = seen.checked_sub(self.from).map(place)?;
        let begin = seen.saturating_sub(WINDOW).max(self.from) - self.from;
        Some(hash(self.bytes.get(place(begin)..end)?))
    }
}

fn place(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
