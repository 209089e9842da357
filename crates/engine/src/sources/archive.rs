//! The files of a zip archive, one at a time and each within bounds.

use std::{
    collections::HashMap,
    io::{Read, Seek},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use zip::{ZipArchive, read::Config, result::ZipError, unstable::read::ZipIterable};

use super::{
    Found, Limits, Origin, SourceError, SourceFile, Visit, is_hidden, is_unnamed_chat,
    kind::{Candidate, FileKind},
    slack::{self, Exports},
    stem_of,
};

/// Bytes that a file may unpack to whatever its ratio is: a short text of one sign has a high one.
const UNSUSPICIOUS: u64 = 1 << 20;

/// What archives of a Mac have besides the files.
const MAC: &str = "__MACOSX";

/// Whether bytes begin as a zip archive does, also as one without files.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Visits the files of an archive in their order.
pub(super) fn visit(reader: impl Read + Seek, name: &str, limits: Limits, take: &mut Visit<'_>) -> ControlFlow<()> {
    let mut archive = match open(reader, name, limits) {
        Ok(archive) => archive,
        Err(error) => return take(Found::Failed { name: name.to_owned(), error }),
    };
    let lists = lists(&mut archive, name);
    let mut exports = Exports::new(limits.bytes);
    for index in 0..archive.len() {
        if let Some(found) = entry(&mut archive, index, name, limits, &lists, &mut exports) {
            take(found)?;
        }
    }
    ControlFlow::Continue(())
}

fn open<R: Read + Seek>(mut reader: R, name: &str, limits: Limits) -> Result<ZipArchive<R>, SourceError> {
    let broken = |error| broken(name, error);
    // The number is looked at before the list of files is read, which is held in memory.
    let found = ZipIterable::try_new(&mut reader, Config::default()).map_err(broken)?.len();
    if found > limits.entries {
        return Err(SourceError::TooManyEntries { file: name.to_owned(), found, most: limits.entries });
    }
    let mut archive = ZipArchive::new(reader).map_err(broken)?;
    match archive.has_overlapping_files().map_err(broken)? {
        true => Err(SourceError::Overlaps { file: name.to_owned() }),
        false => Ok(archive),
    }
}

/// What an entry is, as far as it is told without unpacking it.
struct Entry {
    name: String,
    path: PathBuf,
    packed: u64,
    unpacked: u64,
}

/// Where the lists of names of Slack exports are, by their path.
fn lists<R: Read + Seek>(archive: &mut ZipArchive<R>, name: &str) -> HashMap<PathBuf, (usize, Entry)> {
    let mut lists = HashMap::new();
    for index in 0..archive.len() {
        let is_list = archive
            .name_for_index(index)
            .is_some_and(|entry| entry.is_ok_and(|entry| slack::list_at(Path::new(&*entry)).is_some()));
        if is_list && let Ok(Some(entry)) = look(archive, index, name) {
            lists.insert(entry.path.clone(), (index, entry));
        }
    }
    lists
}

/// What is at a place of the archive; `None` for a folder, for what is hidden, and for a list of names.
fn entry<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
    name: &str,
    limits: Limits,
    lists: &HashMap<PathBuf, (usize, Entry)>,
    exports: &mut Exports,
) -> Option<Found> {
    let found = match look(archive, index, name) {
        Ok(found) => found?,
        Err(error) => {
            let file = archive.name_for_index(index).and_then(Result::ok).map(|inner| format!("{name}/{inner}"));
            return Some(Found::Failed { name: file.unwrap_or_else(|| name.to_owned()), error });
        }
    };
    match Candidate::of(&found.path) {
        Candidate::No(kind) => Some(Found::Left { name: found.name, kind }),
        Candidate::Note => Some(Found::Left { name: found.name, kind: FileKind::Document }),
        Candidate::Archive => {
            Some(Found::Failed { error: SourceError::Nested { file: found.name.clone() }, name: found.name })
        }
        Candidate::File => {
            let mut read = |list: &Path, most: u64| {
                let (index, list) = lists.get(list)?;
                unpack(archive, *index, list, Limits { bytes: most, ..limits }).ok()
            };
            if exports.is_list(&found.path, &mut read) {
                return None;
            }
            let mut around = exports.around(&found.path, &mut read);
            // A channel that was packed alone has the name of the archive.
            if found.path.parent() == Some(Path::new("")) {
                around.folder = Some(archive_stem(name)).filter(|stem| !stem.is_empty() && stem != "-");
            }
            Some(match unpack(archive, index, &found, limits) {
                Ok(bytes) => {
                    let stem = match is_unnamed_chat(&found.path) {
                        true => archive_stem(name),
                        false => stem_of(&found.path),
                    };
                    Found::File(SourceFile { name: found.name, stem, origin: Origin::Found, bytes, around })
                }
                Err(error) => Found::Failed { name: found.name, error },
            })
        }
    }
}

/// What an archive is called, without folders and extension: the name of the chat that is in it.
fn archive_stem(name: &str) -> String {
    let stem = Path::new(name).file_stem();
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn look<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
    archive_name: &str,
) -> Result<Option<Entry>, SourceError> {
    let entry = archive.by_index_raw(index).map_err(|error| broken(archive_name, error))?;
    let inner = entry.name().map_err(|error| broken(archive_name, error))?.into_owned();
    let name = format!("{archive_name}/{inner}");
    let path = entry.enclosed_name().filter(|_| !climbs(&inner));
    let Some(path) = path else { return Err(SourceError::Escapes { file: name }) };
    let is_left = path.iter().any(|part| part == MAC || is_hidden(&part.to_string_lossy()));
    if entry.is_dir() || entry.is_symlink() || is_left {
        return Ok(None);
    }
    match entry.encrypted() && matches!(Candidate::of(&path), Candidate::File) {
        true => Err(SourceError::Encrypted { file: name }),
        false => Ok(Some(Entry { packed: entry.compressed_size(), unpacked: entry.size(), name, path })),
    }
}

/// Whether a name goes up somewhere, be it below the archive: no honest program writes that.
fn climbs(name: &str) -> bool {
    Path::new(name).iter().any(|part| part == "..") || name.split('\\').any(|part| part == "..")
}

fn unpack<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
    entry: &Entry,
    limits: Limits,
) -> Result<Vec<u8>, SourceError> {
    let by_ratio = entry.packed.saturating_mul(limits.ratio).max(UNSUSPICIOUS);
    let most = limits.bytes.min(by_ratio);
    let too_much = || match most == limits.bytes {
        true => SourceError::TooLarge { file: entry.name.clone(), most },
        false => SourceError::Ratio { file: entry.name.clone(), ratio: limits.ratio },
    };
    if entry.unpacked > most {
        return Err(too_much());
    }
    let unpacked = archive.by_index(index).map_err(|error| broken(&entry.name, error))?;
    let mut bytes = Vec::new();
    // What the archive says of the size need not be true.
    let read = unpacked.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| broken(&entry.name, ZipError::Io(error)))?;
    if bytes.len() as u64 > most { Err(too_much()) } else { Ok(bytes) }
}

fn broken(file: &str, error: ZipError) -> SourceError {
    let found = match error {
        ZipError::Io(error) => error.to_string(),
        ZipError::InvalidArchive(found) => found.into_owned(),
        ZipError::UnsupportedArchive(found) => found.to_owned(),
        ZipError::CompressionMethodNotSupported(method) => format!("compression method {method} is not supported"),
        other => other.to_string(),
    };
    SourceError::Archive { file: file.to_owned(), found }
}
