//! Files that appear whole or not at all.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use crate::failure::Failure;

/// Writes a file beside its place and moves it there.
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
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let written = File::create(part).map_err(failed()).and_then(|file| {
        let mut out = BufWriter::new(file);
        let written = write(&mut out)?;
        let synced = out.flush().and_then(|()| out.get_ref().sync_all());
        synced.and_then(|()| fs::rename(part, path)).map(|()| written).map_err(failed())
    });
    if written.is_err() {
        // Nothing else can be done about what is left of it.
        let _ = fs::remove_file(part);
    }
    written
}
