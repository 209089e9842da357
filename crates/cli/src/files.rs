//! Files that appear whole or not at all, and files that are read up to a bound.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use aforesaid::models::files::{read_bounded, read_regular};

use crate::failure::Failure;

/// Bytes of what a command takes in at most: of a file, a pipe or standard input. All of it is in memory at once.
pub(crate) const MOST_INPUT: u64 = 1 << 30;
/// Bytes of a text on standard input at most: more than a text may have, so that what is refused is the text.
pub(crate) const MOST_TEXT: u64 = 64 << 20;
/// Bytes of a configuration file at most.
pub(crate) const MOST_CONFIGURATION: u64 = 1 << 20;

/// Reads a file that may also come through a pipe, such as `<(zcat FILE)`; `-` is standard input.
///
/// # Errors
/// When it cannot be read, is a folder or a device, or has more than [`MOST_INPUT`] bytes.
pub(crate) fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    match path == Path::new("-") {
        true => read_bounded(io::stdin().lock(), MOST_INPUT),
        false if is_pipe(path)? => read_bounded(File::open(path)?, MOST_INPUT),
        false => read_regular(path, MOST_INPUT),
    }
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    let kind = path.metadata()?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Writes a file beside its place and moves it there.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = Failure::io(format!("file {}: could not be written", path.display()));
    // What is no plain file, such as /dev/stdout, cannot be replaced.
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes).map_err(failed);
    }
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let written = write(part, bytes).and_then(|()| fs::rename(part, path));
    if written.is_err() {
        // Nothing else can be done about what is left of it.
        let _ = fs::remove_file(part);
    }
    written.map_err(failed)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
