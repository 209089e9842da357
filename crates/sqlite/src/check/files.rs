//! The files of a store from outside: their size, and who may read them. None is opened: to close one again would
//! take SQLite's locks on it away.

use std::path::PathBuf;

use aforesaid_core::store::{Erasure, Finding};
use rusqlite::Connection;

use crate::paths::{beside, folder_of};

/// Bytes before the first frame of a log, and before the page in each.
const LOG_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

/// Pages that file and log can hold; `None` where that cannot be told.
pub(super) fn pages(connection: &Connection, page: i64) -> Option<i64> {
    let page = u64::try_from(page).ok().filter(|page| *page > 0)?;
    let file = path(connection)?.metadata().ok()?.len() / page;
    let frames = log(connection).saturating_sub(LOG_HEADER) / (page + FRAME_HEADER);
    i64::try_from(file + frames).ok()
}

/// What is worth knowing of the files.
pub(super) fn findings(connection: &Connection, erasure: Erasure) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(path) = path(connection) else { return findings };
    if erasure == Erasure::Pending {
        findings.push(Finding::note(
            "the write-ahead log",
            format!("{} bytes that still hold what was forgotten", log(connection)),
            "none, once nobody reads the store as it was before",
            "close other processes, and run any command on the store",
        ));
    }
    // SQLite makes the others with the permissions of the first.
    let open = ["", "-wal", "-shm"].iter().find_map(|suffix| permissions::of_file(&beside(&path, suffix)));
    findings.extend(open);
    findings.extend(permissions::of_folder(folder_of(&path)));
    findings
}

fn path(connection: &Connection) -> Option<PathBuf> {
    connection.path().filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Bytes of the write-ahead log.
fn log(connection: &Connection) -> u64 {
    let log = path(connection).and_then(|path| beside(&path, "-wal").metadata().ok());
    log.map_or(0, |log| log.len())
}

#[cfg(unix)]
mod permissions {
    use std::{os::unix::fs::PermissionsExt, path::Path};

    use aforesaid_core::store::Finding;

    /// Read, write and execute of everybody but the owner.
    const OTHERS: u32 = 0o077;
    /// Write of everybody but the owner.
    const OTHERS_WRITE: u32 = 0o022;
    /// In such a folder only the owner of a file may replace it.
    const STICKY: u32 = 0o1000;

    pub(super) fn of_file(path: &Path) -> Option<Finding> {
        let mode = mode(path).filter(|mode| mode & OTHERS != 0)?;
        let shown = path.display();
        Some(Finding::note(
            format!("file {shown}"),
            format!("permissions {:o}: others than its owner may use it", mode & 0o777),
            "600",
            format!("run `chmod 600 {shown}`"),
        ))
    }

    /// Others may look into the folder of a store; who writes there can put another in its place.
    pub(super) fn of_folder(path: &Path) -> Option<Finding> {
        let mode = mode(path).filter(|mode| mode & OTHERS_WRITE != 0 && mode & STICKY == 0)?;
        let shown = path.display();
        Some(Finding::note(
            format!("folder {shown}"),
            format!("permissions {:o}: others than its owner may replace what is in it", mode & 0o777),
            "700",
            format!("run `chmod go-w {shown}`, or move the store to a folder of its own"),
        ))
    }

    fn mode(path: &Path) -> Option<u32> {
        path.metadata().ok().map(|metadata| metadata.permissions().mode())
    }
}

#[cfg(not(unix))]
mod permissions {
    use std::path::Path;

    use aforesaid_core::store::Finding;

    pub(super) fn of_file(_: &Path) -> Option<Finding> {
        None
    }

    pub(super) fn of_folder(_: &Path) -> Option<Finding> {
        None
    }
}
