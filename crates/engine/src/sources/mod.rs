//! Finds the files of an import: named ones, those of folders and patterns, and those inside of zip archives.
//!
//! | place | what is read | what is left out |
//! |---|---|---|
//! | a file | the file, or what is in it where it is a zip archive | |
//! | a folder | its `.json`, `.jsonl`, `.ndjson`, `.mbox`, `.md` and `.zip` files and the texts of WhatsApp chats, sorted by name, with those of the folders in it | hidden files, other files (counted by kind) |
//! | a pattern such as `exports/*.zip` | what it matches, sorted | hidden files |
//! | a zip archive | its `.json`, `.jsonl`, `.ndjson` and `.mbox` files and the texts of WhatsApp chats, in the order of the archive | hidden files, other files (counted by kind) |
//!
//! One file is in memory at a time. What cannot be read is told and does not stop the rest. The lists of names of a Slack
//! export are read with the first channel that stands beside them, and are no files of their own, also where they are named.

mod archive;
mod error;
mod folder;
mod kind;
mod pattern;
mod slack;

use std::{
    ffi::OsStr,
    fs::File,
    io::{Cursor, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use aforesaid_models::files::{is_pipe, open_regular, read_bounded, read_regular};

pub use error::SourceError;
pub use kind::FileKind;

use crate::formats::{self, Format, FormatError, Parsed, Source, Surroundings};
use slack::Exports;

/// Bytes of a file at most, also of one in an archive: all of it is in memory at once.
pub const MOST_BYTES: u64 = 1 << 30;

/// What an archive may have, so that a small one cannot fill the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files and folders in an archive.
    pub entries: usize,
    /// Bytes of a file, also of one in an archive after unpacking.
    pub bytes: u64,
    /// How many bytes a packed byte may unpack to, beyond the first mebibyte. Conversations unpack to about ten.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 100_000, bytes: MOST_BYTES, ratio: 200 }
    }
}

/// How a file came to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The caller named it: that it holds no conversation is an error.
    Named,
    /// It was in a folder or an archive, or it is a file at the top of a Slack export: there it may be anything.
    Found,
}

/// A file to read conversations from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as messages show it; of a file in an archive, the archive's name before it.
    pub name: String,
    /// Its name without extension, below the folder or archive it was found in.
    pub stem: String,
    /// How it came to be read.
    pub origin: Origin,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What is around it, where it may be a day of a Slack channel.
    pub(crate) around: Surroundings,
}

/// What was found at a place.
#[derive(Debug)]
pub enum Found {
    /// A file that may hold conversations.
    File(SourceFile),
    /// A file that was not read, since its name says that it holds none.
    Left {
        /// Its name.
        name: String,
        /// What it is.
        kind: FileKind,
    },
    /// A file that could not be read.
    Failed {
        /// Its name.
        name: String,
        /// Why.
        error: SourceError,
    },
}

/// What takes what is found; it says whether to go on.
pub type Visit<'v> = dyn FnMut(Found) -> ControlFlow<()> + 'v;

/// Visits what is at a path: a file, an archive, a folder, or what a pattern matches.
pub fn visit(path: &Path, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    match path.metadata() {
        Ok(found) if found.is_dir() => folder::visit(path, limits, take),
        Err(_) if pattern::is_pattern(path) => pattern::visit(path, limits, take),
        _ => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let stem = match is_unnamed_chat(path) {
                true => whole.parent().and_then(Path::file_name),
                false => path.file_stem(),
            };
            let stem = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let (located, mut exports) = (located(path), Exports::new(limits.bytes));
            if exports.is_list(&located, &mut folder::read) {
                return ControlFlow::Continue(());
            }
            // Whoever names all that is at the top of an export names what holds no conversation, too.
            let origin =
                if exports.is_beside_lists(&located, &mut folder::read) { Origin::Found } else { Origin::Named };
            let around = exports.around(&located, &mut folder::read);
            visit_file(path, Described { stem, origin, around }, limits, take)
        }
    }
}

/// Visits what is in bytes that came without a file, such as standard input.
pub fn visit_bytes(name: &str, stem: &str, bytes: Vec<u8>, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    match archive::is_archive(&bytes) {
        true => archive::visit(Cursor::new(bytes), name, limits, take),
        false => {
            let (name, stem, around) = (name.to_owned(), stem.to_owned(), Surroundings::default());
            take(Found::File(SourceFile { name, stem, origin: Origin::Named, bytes, around }))
        }
    }
}

/// Reads the conversations of a file; `None` where it has none and was not named.
///
/// # Errors
/// As [`formats::detect`] and [`formats::parse`].
pub fn read(
    file: &SourceFile,
    format: Option<Format>,
    source: &Source<'_>,
) -> Result<Option<(Format, Parsed)>, FormatError> {
    let format = match format.map_or_else(|| formats::detect(&file.bytes, &file.name), Ok) {
        Err(FormatError::Unrecognized { .. }) if file.origin == Origin::Found => return Ok(None),
        format => format?,
    };
    Ok(Some((format, formats::parse_among(format, &file.bytes, source, &file.around)?)))
}

/// What is known of a file before it is read.
struct Described {
    stem: String,
    origin: Origin,
    around: Surroundings,
}

/// A path from the root, so that the folders that it is in are known.
fn located(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| absolute())
}

/// Visits a file, or what is in it where it is an archive.
fn visit_file(path: &Path, described: Described, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    let Described { stem, origin, around } = described;
    let name = path.to_string_lossy().into_owned();
    let failed = |source| Found::Failed { name: name.clone(), error: SourceError::unreadable(&name, source) };
    let bytes = match is_pipe(path) {
        Ok(true) => File::open(path).and_then(|pipe| read_bounded(pipe, limits.bytes)),
        Ok(false) => match open_regular(path).and_then(begins_as_archive) {
            Ok(Some(file)) => return archive::visit(file, &name, limits, take),
            Ok(None) => read_regular(path, limits.bytes),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    match bytes {
        Ok(bytes) if archive::is_archive(&bytes) => archive::visit(Cursor::new(bytes), &name, limits, take),
        Ok(bytes) => take(Found::File(SourceFile { name, stem, origin, bytes, around })),
        Err(error) => take(failed(error)),
    }
}

/// The file, where it is an archive.
fn begins_as_archive(mut file: File) -> std::io::Result<Option<File>> {
    let mut magic = Vec::new();
    (&mut file).take(4).read_to_end(&mut magic)?;
    Ok(archive::is_archive(&magic).then_some(file))
}

/// Whether a file is a chat that its folder or archive names.
fn is_unnamed_chat(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(kind::UNNAMED_CHAT))
}

/// A path without its extension, with `/` between its parts; of a chat that its folder names, that of the folder.
fn stem_of(path: &Path) -> String {
    let folder = path.parent().filter(|folder| is_unnamed_chat(path) && folder.file_name().is_some());
    let path = folder.map_or_else(|| path.with_extension(""), Path::to_owned);
    let parts: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    parts.join("/")
}

/// Whether a name begins with a dot.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}
