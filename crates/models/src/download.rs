//! Downloads: an HTTP client, and saving a stream that must be a certain file.

use std::{
    io::{self, Read, Write},
    path::Path,
    time::Duration,
};

use ureq::Agent;

use crate::{
    checksum::sha256_while,
    files::{Access, NewFile},
};

/// The size and sha256 that a download must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected<'a> {
    /// Bytes.
    pub size: u64,
    /// In lower-case hex.
    pub sha256: &'a str,
}

/// Why a download failed; the text says what was found instead of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError {
    /// The server was not reached, or did not give the file.
    #[error("{0}")]
    Refused(String),
    /// The stream ended in an error.
    #[error("an interruption after {after} bytes: {source}")]
    Interrupted {
        /// Bytes that came before.
        after: u64,
        /// The error.
        source: io::Error,
    },
    /// The stream is another file.
    #[error("{}{size} bytes with sha256 {sha256}", if *.longer { "more than " } else { "" })]
    Different {
        /// Bytes read, at most those expected.
        size: u64,
        /// Whether there are more.
        longer: bool,
        /// Of the bytes read.
        sha256: String,
    },
    /// The file cannot be written.
    #[error("{0}")]
    Disk(io::Error),
}

/// Fetches files by HTTP. Redirects are followed.
#[derive(Debug, Clone)]
pub struct Downloader {
    agent: Agent,
}

impl Downloader {
    /// A client that waits a few seconds for a server's answer and at most `limit` for a whole file.
    pub fn new(limit: Duration) -> Self {
        let agent = Agent::config_builder()
            .timeout_resolve(Some(Duration::from_secs(5)))
            .timeout_connect(Some(Duration::from_secs(5)))
            .timeout_recv_response(Some(Duration::from_secs(20)))
            .timeout_per_read(Some(Duration::from_secs(60)))
            .timeout_global(Some(limit))
            .user_agent(concat!("aforesaid/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Self { agent }
    }

    /// Requests a file; returns its length, if the server says it, and its bytes.
    ///
    /// # Errors
    /// [`DownloadError::Refused`].
    pub fn open(&self, url: &str) -> Result<(Option<u64>, impl Read + use<>), DownloadError> {
        let response = self.agent.get(url).call().map_err(|error| DownloadError::Refused(error.to_string()))?;
        let body = response.into_body();
        Ok((body.content_length(), body.into_reader()))
    }
}

/// Saves a stream as `path`, which appears whole and as expected or not at all; returns the number of bytes.
///
/// `each` receives the number of bytes so far.
///
/// # Errors
/// When the stream breaks or is another file, or the file cannot be written.
pub fn save(
    stream: impl Read,
    path: &Path,
    access: Access,
    expected: Option<Expected<'_>>,
    mut each: impl FnMut(u64),
) -> Result<u64, DownloadError> {
    let mut out = NewFile::beside(path, access).map_err(DownloadError::Disk)?;
    let (mut size, mut unwritten) = (0, None);
    // One byte more than expected tells a longer file apart without fetching all of it.
    let limit = expected.map_or(u64::MAX, |expected| expected.size.saturating_add(1));
    let hashed = sha256_while(stream.take(limit), |chunk| {
        if let Err(error) = out.write_all(chunk) {
            unwritten = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        size += chunk.len() as u64;
        each(size);
        Ok(())
    });
    let sha256 = match (unwritten, hashed) {
        (Some(error), _) => return Err(DownloadError::Disk(error)),
        (None, hashed) => hashed.map_err(|source| DownloadError::Interrupted { after: size, source })?,
    };
    if let Some(expected) = expected.filter(|expected| size != expected.size || sha256 != expected.sha256) {
        let longer = size > expected.size;
        return Err(DownloadError::Different { size: size.min(expected.size), longer, sha256 });
    }
    out.finish().map_err(DownloadError::Disk)?;
    Ok(size)
}
