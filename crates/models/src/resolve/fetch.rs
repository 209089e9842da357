//! What the sources of a download have in common.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use super::{
    Origin, Progress,
    lock::{Expected, Lock},
};
use crate::{ModelEntry, ModelError, ModelFile, checksum::sha256_while, private};

/// Somewhere a model's files can be fetched from.
pub(super) trait Source {
    /// Which one it is.
    fn origin(&self) -> Origin;

    /// The address, for people.
    fn place(&self, entry: &ModelEntry) -> String;

    /// Writes every file of the model into `into`, compared with what is known of it.
    fn fetch(
        &self,
        entry: &ModelEntry,
        lock: &Lock,
        into: &Path,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ModelError>;
}

/// Saves what `reader` gives as `into/file.name` and compares size and checksum on the way; returns the size.
///
/// `origin` names the reader in errors; `each` is told the bytes of this file so far.
pub(super) fn save(
    reader: impl Read,
    file: &ModelFile,
    expected: Option<&Expected>,
    into: &Path,
    origin: &str,
    mut each: impl FnMut(u64),
) -> Result<u64, ModelError> {
    let path = into.join(file.name);
    let mut out = private::make_file(&path).map_err(ModelError::io("write the download", &path))?;
    let mut size = 0;
    // One byte more than expected tells a longer file apart without fetching all of it.
    let limit = expected.map_or(u64::MAX, |expected| expected.fingerprint.size + 1);
    let sha256 = sha256_while(reader.take(limit), |chunk| {
        out.write_all(chunk)?;
        size += chunk.len() as u64;
        each(size);
        Ok(())
    })
    .map_err(|error| broken(origin, format!("an interruption after {size} bytes: {error}"), expected))?;
    if let Some(wanted) = expected.map(|expected| &expected.fingerprint)
        && (size != wanted.size || sha256 != wanted.sha256)
    {
        let more = if size > wanted.size { "more than " } else { "" };
        return Err(broken(origin, format!("{more}{} bytes with sha256 {sha256}", size.min(wanted.size)), expected));
    }
    let synced = out.sync_all();
    synced.map_err(|error: io::Error| ModelError::Io { path, action: "write the download", source: error })?;
    Ok(size)
}

fn broken(origin: &str, found: String, expected: Option<&Expected>) -> ModelError {
    const NEXT: &str = "try again, or from another network";
    ModelError::Download {
        origin: origin.to_owned(),
        found,
        expected: expected.map_or("the whole file".to_owned(), |expected| {
            format!("{} bytes with sha256 {}", expected.fingerprint.size, expected.fingerprint.sha256)
        }),
        next: expected.map_or(NEXT.to_owned(), |expected| expected.next(NEXT)),
    }
}
