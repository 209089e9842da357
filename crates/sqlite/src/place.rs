//! Where a store is, and making a new one there.

use std::{fs, io, path::Path, time::Duration};

use aforesaid_core::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::{
    errors::{Context, location_error},
    journal,
    paths::{beside, folder_of},
    schema,
};

/// Bytes of a page; a vector of 384 components with its key fits one cell.
const PAGE: u32 = 8192;

/// Bytes of the smallest page that SQLite has.
const SMALLEST: u64 = 512;

/// Whether opening may make a new store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// Make an empty store where there is none.
    Allowed,
    /// A missing store is an error.
    Forbidden,
}

/// Sees to it that there is a file at `path` that may be a store.
pub(crate) fn find_or_make(path: &Path, location: &str, creation: Creation) -> Result<(), StoreError> {
    // SQLite would take these for a store that ends with the process.
    if location.is_empty() || location == ":memory:" || location.starts_with("file:") {
        return Err(location_error(
            &format!("{location:?}"),
            "names no file",
            "give a path, or memory: for a store that ends with the process",
        ));
    }
    match fs::metadata(path) {
        Ok(found) => check_file(&found, location),
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            // What keeps it from being looked at keeps it from being opened; that error says what to do.
            Ok(())
        }
        Err(_) => match creation {
            Creation::Allowed => make(path, location),
            Creation::Forbidden => Err(location_error(
                location,
                "does not exist",
                "import or add something to create one, or name another store",
            )),
        },
    }
}

fn check_file(found: &fs::Metadata, location: &str) -> Result<(), StoreError> {
    if found.is_dir() {
        return Err(location_error(location, "is a directory", "name a file in it, such as memory.db"));
    }
    if !found.is_file() {
        return Err(location_error(location, "is not a regular file", "name a file, such as memory.db"));
    }
    // A new store appears whole, so this is one that lost its content or was never one.
    match found.len() {
        0 => Err(location_error(
            location,
            "is a file of 0 bytes and not an empty store",
            "restore a backup of it, or delete the file to start a new store there",
        )),
        1..SMALLEST => Err(location_error(
            location,
            format!("has {} bytes, and a store has at least {SMALLEST}", found.len()),
            "restore a backup of it, or name another store",
        )),
        _ => Ok(()),
    }
}

/// Makes an empty store beside `path` and moves it there whole.
///
/// So no process ever finds half a store, and of several that make one at once the first wins and all use it.
fn make(path: &Path, location: &str) -> Result<(), StoreError> {
    let folder = folder_of(path);
    make_folder(folder).map_err(|error| {
        location_error(
            location,
            format!("its folder cannot be made ({error})"),
            "make the folder, or name another store",
        )
    })?;
    let cannot_write = |error: io::Error| {
        let next = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space, or name another store",
            _ => "give write permission to the folder, or name another store",
        };
        location_error(location, format!("cannot be made in its folder ({})", error.kind()), next)
    };
    // Readable by its owner alone, and the log beside it is given the same permissions.
    let new = tempfile::Builder::new().prefix(".aforesaid-").suffix(".new").tempfile_in(folder);
    let new = new.map_err(cannot_write)?.into_temp_path();
    let filled = fill(&new, location);
    // Closing removes them, unless the disk fails.
    for ending in ["-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(beside(&new, ending));
    }
    filled?;
    fs::File::open(&new).and_then(|file| file.sync_all()).map_err(cannot_write)?;
    match new.persist_noclobber(path) {
        Ok(()) => sync_folder(folder).map_err(cannot_write),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(cannot_write(error.error)),
    }
}

/// Writes an empty store; afterwards no log is left beside it.
fn fill(path: &Path, location: &str) -> Result<(), StoreError> {
    let context = Context::new(location, "make the store");
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut connection = context.run(Connection::open_with_flags(path, flags))?;
    context.run(connection.pragma_update(None, "page_size", PAGE))?;
    context.run(connection.pragma_update(None, "secure_delete", "ON"))?;
    schema::prepare(&mut connection, location)?;
    // Last: what is written after it lies in the log until closing moves it, and SQLite does not say when that fails.
    journal::keep(&connection, context, Duration::ZERO)?;
    context.run(connection.close().map_err(|(_, error)| error))
}

/// Makes a folder, and those it lies in, for their owner alone.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Has a folder's entries survive a loss of power, where a folder can be opened for that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}
