//! Files and streams of a command: read up to a bound, written whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use aforesaid::models::files::{Access, NewFile, is_pipe, read_bounded, read_regular};

use crate::{failure::Failure, interruption::Interruption};

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

/// Like [`write_whole`], for what is not held in memory. Where Ctrl-C stops it, nothing is left of the file.
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
    spare_databases(path)?;
    let interruption = Interruption::watch_and(|| ());
    let file = NewFile::beside(path, Access::Shared).map_err(failed())?;
    let mut out = Stoppable { file, interruption };
    let written = write(&mut out);
    if out.interruption.is_asked_for() {
        return Err(Failure::Stopped { file: path.display().to_string(), next: "give the command again" });
    }
    let written = written?;
    out.file.finish().map_err(failed())?;
    Ok(written)
}

/// A file that is written until somebody presses Ctrl-C.
struct Stoppable {
    file: NewFile,
    interruption: Interruption,
}

impl Write for Stoppable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interruption.is_asked_for() {
            // Not `Interrupted`, after which writers try again.
            true => Err(io::Error::other("interrupted")),
            false => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What an SQLite database begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// What the names of the files beside one end with.
const BESIDE_DATABASE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Refuses to write where a database is, or what belongs to one: a store would be lost.
fn spare_databases(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let own = BESIDE_DATABASE.iter().find_map(|ending| name.strip_suffix(ending));
    if is_database(path) || own.is_some_and(|database| is_database(Path::new(database))) {
        let found = "is an SQLite database, such as a store, or belongs to one";
        return Err(Failure::Input(format!("file {name}: {found}; nothing was written; name another file")));
    }
    Ok(())
}

fn is_database(path: &Path) -> bool {
    let mut begins = [0; DATABASE.len()];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut begins)).is_ok() && begins == *DATABASE
}
