//! Files and streams of a command: read up to a bound, written whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use aforesaid::models::files::{Access, NewFile, is_pipe, read_bounded, read_regular};

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

/// Writes a file that appears whole or not at all; through a symbolic link, the file that it names is replaced.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = Failure::io(format!("file {}: could not be written", path.display()));
    write_as_it_comes(path, |out| out.write_all(bytes).map_err(failed))
}

/// Like [`write_whole`], for what is not held in memory.
pub(crate) fn write_as_it_comes<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let failed = || Failure::io(format!("file {}: could not be written", path.display()));
    // What is no plain file, such as /dev/stdout, cannot be replaced.
    if path.exists() && !path.is_file() {
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path).map_err(failed())?);
        let written = write(&mut out)?;
        return out.flush().map(|()| written).map_err(failed());
    }
    let mut file = NewFile::beside(path, Access::Shared).map_err(failed())?;
    let written = write(&mut file)?;
    file.finish().map_err(failed())?;
    Ok(written)
}
