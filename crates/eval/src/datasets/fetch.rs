//! Fetching the files of a public data set.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use aforesaid::models::{
    checksum::sha256_of,
    download::{DownloadError, Downloader, Expected, save},
    files::Access,
};

use super::{
    DataError,
    catalogue::{Entry, PublicFile},
};

/// The most time for one file.
const LIMIT: Duration = Duration::from_secs(60 * 60);

/// How far a fetch has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The file under way.
    pub file: &'static str,
    /// Bytes of all files that are there.
    pub done: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// A file that is there now, with the pinned checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where.
    pub path: PathBuf,
    /// How it came there.
    pub origin: Origin,
}

/// How a file came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was there already.
    Present,
    /// It was fetched.
    Network,
}

impl Entry {
    /// Fetches every file into `into`, which is made if need be; what is there already is not fetched again.
    ///
    /// A file appears whole and with the pinned size and checksum, or not at all.
    ///
    /// # Errors
    /// When the data set has no public files, another file is in the way, a download fails or is not the pinned
    /// file, or a file cannot be written. What was fetched before stays.
    pub fn fetch(&self, into: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Vec<Fetched>, DataError> {
        if self.files.is_empty() {
            return Err(DataError::NotPublic { dataset: self.dataset, next: self.place });
        }
        let (downloader, total) = (Downloader::new(LIMIT), self.size());
        let mut before = 0;
        let mut fetched = Vec::with_capacity(self.files.len());
        for file in self.files {
            let path = into.join(file.name);
            let origin = if is_there(file, &path)? {
                Origin::Present
            } else {
                self.download(file, &path, &downloader, &mut |done| {
                    progress(Progress { file: file.name, done: before + done, total });
                })?;
                Origin::Network
            };
            before += file.size;
            progress(Progress { file: file.name, done: before, total });
            fetched.push(Fetched { path, origin });
        }
        Ok(fetched)
    }

    fn download(
        &self,
        file: &PublicFile,
        path: &Path,
        downloader: &Downloader,
        each: &mut dyn FnMut(u64),
    ) -> Result<(), DataError> {
        let url = format!("{}{}", self.base, file.path);
        let failed = |found: DownloadError| match found {
            DownloadError::Disk(source) => DataError::io("write the download", path)(source),
            found => self.failed(&url, file, &found),
        };
        let (_, stream) = downloader.open(&url).map_err(failed)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(DataError::io("make the folder", folder))?;
        }
        let expected = Expected { size: file.size, sha256: file.sha256 };
        save(stream, path, Access::Shared, Some(expected), |done| each(done.min(file.size))).map_err(failed)?;
        Ok(())
    }

    fn failed(&self, url: &str, file: &PublicFile, found: &DownloadError) -> DataError {
        let next = match found {
            DownloadError::Refused(_) => "check the network",
            DownloadError::Different { .. } => "try again from another network",
            _ => "try again",
        };
        DataError::Download {
            url: url.to_owned(),
            found: found.to_string(),
            expected: format!("{} bytes with sha256 {}", file.size, file.sha256),
            next: format!("{next}, or by hand: {}", self.place),
        }
    }
}

/// Whether the pinned file is at `path`; another one is an error.
fn is_there(file: &PublicFile, path: &Path) -> Result<bool, DataError> {
    if !path.exists() {
        return Ok(false);
    }
    let found = sha256_of(path).map_err(DataError::io("hash the file", path))?;
    if found == file.sha256 {
        return Ok(true);
    }
    Err(DataError::InTheWay { path: path.to_owned(), found, expected: file.sha256 })
}
