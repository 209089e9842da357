//! Files that are not ours: regular ones, of a bounded size.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
};

/// Bytes of a model's configuration file at most: real ones have a few thousand.
pub const MOST_CONFIG: u64 = 1 << 20;
/// Bytes of a `tokenizer.json` at most: that of 250,000 pieces has 17 million.
pub const MOST_TOKENIZER: u64 = 64 << 20;
/// Bytes of a weights file at most: the largest model of the family that people run on a processor has 2 billion.
pub const MOST_WEIGHTS: u64 = 16 << 30;

/// Opens a regular file, or what a symbolic link to one points at.
///
/// # Errors
/// When there is no such file, or it is a folder, a named pipe, a socket or a device: those may block for ever or
/// have no end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Asked before it is opened, as opening a pipe waits for its writer, and after, as it may be another one by then.
    require_regular(&path.metadata()?)?;
    let file = File::open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open_regular`]; when it cannot be read; and when it is larger.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large(&format!("{size}"), most));
    }
    read_bounded(file, most)
}

/// Reads all of a stream, which may have at most `most` bytes.
///
/// # Errors
/// When it cannot be read, and when there is more.
pub fn read_bounded(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(&format!("more than {most}"), most)) } else { Ok(bytes) }
}

fn too_large(found: &str, most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("found {found} bytes, expected at most {most}"))
}

fn require_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let found = format!("found {}, expected a regular file", kind(metadata));
    Err(io::Error::new(io::ErrorKind::InvalidInput, found))
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a device" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        read_regular(path, 4).unwrap_err().to_string()
    }

    #[test]
    fn files_are_read_up_to_their_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "kite").unwrap();
        assert_eq!(read_regular(&path, 4).unwrap(), b"kite");
        std::fs::write(&path, "kites").unwrap();
        assert_eq!(refusal(&path), "found 5 bytes, expected at most 4");
        assert_eq!(refusal(dir.path()), "found a folder, expected a regular file");
        assert_eq!(read_regular(&dir.path().join("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(
            read_bounded(io::repeat(0), 9).unwrap_err().to_string(),
            "found more than 9 bytes, expected at most 9"
        );
        assert_eq!(read_bounded(&b"kite"[..], 4).unwrap(), b"kite");
    }

    /// A named pipe was waited for without end, and a device filled the memory.
    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(refusal(&pipe), "found a named pipe, expected a regular file");
        assert_eq!(refusal(Path::new("/dev/zero")), "found a device, expected a regular file");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        assert_eq!(refusal(&link), "found a named pipe, expected a regular file");
    }
}
