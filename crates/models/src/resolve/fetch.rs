//! What the sources of a download have in common.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use super::{Origin, Progress};
use crate::{ModelEntry, ModelError, PinnedFile, checksum::sha256_while};

/// Somewhere a model's files can be fetched from.
pub(super) trait Source {
    /// Which one it is.
    fn origin(&self) -> Origin;

    /// The address, for people.
    fn place(&self, entry: &ModelEntry) -> String;

    /// Writes every file of the model into `into`, checked.
    fn fetch(&self, entry: &ModelEntry, into: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<(), ModelError>;
}

/// Saves what `reader` gives as `into/file.name` and compares size and checksum on the way.
///
/// `origin` names the reader in errors; `each` is told the bytes of this file so far.
pub(super) fn save(
    reader: impl Read,
    file: &PinnedFile,
    into: &Path,
    origin: &str,
    mut each: impl FnMut(u64),
) -> Result<(), ModelError> {
    let path = into.join(file.name);
    let mut out = File::create(&path).map_err(ModelError::io("write the download", &path))?;
    let mut size = 0;
    // One byte more than expected tells a longer file apart without fetching all of it.
    let sha256 = sha256_while(reader.take(file.size + 1), |chunk| {
        out.write_all(chunk)?;
        size += chunk.len() as u64;
        each(size);
        Ok(())
    })
    .map_err(|error| broken(origin, format!("an interruption after {size} bytes: {error}"), file))?;
    if size != file.size || sha256 != file.sha256 {
        let more = if size > file.size { "more than " } else { "" };
        return Err(broken(origin, format!("{more}{} bytes with sha256 {sha256}", size.min(file.size)), file));
    }
    out.sync_all().map_err(|error: io::Error| ModelError::Io { path, action: "write the download", source: error })
}

fn broken(origin: &str, found: String, file: &PinnedFile) -> ModelError {
    ModelError::Download {
        origin: origin.to_owned(),
        found,
        expected: format!("{} bytes with sha256 {}", file.size, file.sha256),
        next: "try again, or from another network".to_owned(),
    }
}
