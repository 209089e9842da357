//! Reads regular files of a bounded size, and writes files that appear whole.

use std::{
    fs::{self, File, Metadata, Permissions},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

pub use crate::private::make_folder as make_private_folder;

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

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone.
    Private,
    /// Everyone whom the umask of the process allows.
    Shared,
}

/// A file that is written under a temporary name in the folder of its path, and that [`NewFile::finish`] renames to it.
///
/// Until then its owner alone can read it. Where it is dropped before, nothing is left of it.
#[derive(Debug)]
pub struct NewFile {
    out: BufWriter<NamedTempFile>,
    path: PathBuf,
    /// What it has in the end, where that is more.
    permissions: Option<Permissions>,
}

impl NewFile {
    /// A file that will be at `path`, or at what a symbolic link there points at.
    ///
    /// # Errors
    /// When no file can be made in that folder.
    pub fn beside(path: &Path, access: Access) -> io::Result<Self> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".partial-");
        let permissions = match access {
            Access::Private => None,
            Access::Shared => shared(&builder, folder)?,
        };
        Ok(Self { out: BufWriter::new(builder.tempfile_in(folder)?), path, permissions })
    }

    /// Syncs the file and renames it to its path, in place of the file there.
    ///
    /// # Errors
    /// When it cannot be written, synced or renamed; the file at the path is then as it was.
    pub fn finish(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(permissions) = self.permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        file.persist(self.path)?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What the umask of the process leaves a new file in a folder; nobody can be asked for the umask without changing it.
#[cfg(unix)]
fn shared(builder: &tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<Option<Permissions>> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = builder.clone();
    let empty = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    Ok(Some(empty.as_file().metadata()?.permissions()))
}

/// Permissions are those of the folder here.
#[cfg(not(unix))]
fn shared(_: &tempfile::Builder<'_, '_>, _: &Path) -> io::Result<Option<Permissions>> {
    Ok(None)
}

/// Whether a path is a named pipe or a socket, such as what a shell makes of `<(zcat FILE)`.
///
/// # Errors
/// When there is nothing at the path, or it cannot be looked at.
#[cfg(unix)]
pub fn is_pipe(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    let kind = path.metadata()?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

/// Whether a path is a named pipe: not here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn is_pipe(_: &Path) -> io::Result<bool> {
    Ok(false)
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

    #[test]
    fn a_new_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kites");
        let write = |text: &str| {
            let mut file = NewFile::beside(&path, Access::Shared).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file
        };
        drop(write("red"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        write("blue").finish().unwrap();
        write("green").finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "green");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(NewFile::beside(&dir.path().join("none/kites"), Access::Private).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn access_is_as_asked_and_a_link_stays_one() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let half = NewFile::beside(&dir.path().join("half"), Access::Shared).unwrap();
        let of_half = half.out.get_ref().as_file().metadata().unwrap().permissions().mode();
        assert_eq!(of_half & 0o777, 0o600, "nobody reads what is not whole");
        drop(half);
        let (path, link) = (dir.path().join("file"), dir.path().join("link"));
        NewFile::beside(&path, Access::Private).unwrap().finish().unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        std::os::unix::fs::symlink(&path, &link).unwrap();
        NewFile::beside(&link, Access::Shared).unwrap().finish().unwrap();
        assert!(link.is_symlink());
        let plain = dir.path().join("plain");
        File::create(&plain).unwrap();
        assert_eq!(mode(), fs::metadata(&plain).unwrap().permissions().mode() & 0o777);
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
