//! The interface of a source of downloads, and saving one file of a model.

use std::{io::Read, path::Path};

use super::{
    Origin, Progress,
    lock::{Expected, Lock},
};
use crate::{
    ModelEntry, ModelError, ModelFile,
    download::{self, DownloadError},
    files::Access,
};

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

/// Saves a stream as `into/file.name`, compared with what is known of the file; returns the number of bytes.
///
/// `origin` names the stream in errors; `each` receives the bytes of this file so far.
pub(super) fn save(
    stream: impl Read,
    file: &ModelFile,
    expected: Option<&Expected>,
    into: &Path,
    origin: &str,
    each: impl FnMut(u64),
) -> Result<u64, ModelError> {
    let path = into.join(file.name);
    let wanted = expected
        .map(|expected| download::Expected { size: expected.fingerprint.size, sha256: &expected.fingerprint.sha256 });
    download::save(stream, &path, Access::Private, wanted, each).map_err(|error| match error {
        DownloadError::Disk(source) => ModelError::io("write the download", &path)(source),
        found => failed(origin, &found, expected),
    })
}

/// The error for a download that is not the expected file.
pub(super) fn failed(origin: &str, found: &DownloadError, expected: Option<&Expected>) -> ModelError {
    let next = match found {
        DownloadError::Refused(_) => "check the network",
        _ => "try again, or from another network",
    };
    ModelError::Download {
        origin: origin.to_owned(),
        found: found.to_string(),
        expected: expected.map_or("the whole file".to_owned(), |expected| {
            format!("{} bytes with sha256 {}", expected.fingerprint.size, expected.fingerprint.sha256)
        }),
        next: expected.map_or(next.to_owned(), |expected| expected.next(next)),
    }
}
