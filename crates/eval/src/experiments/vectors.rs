//! Vectors kept between runs, so that a study encodes a text once.
//!
//! One file an encoder, under its id: a header (magic, components), then records of one size (key,
//! CRC-32 of key and row, row as little-endian `f32`). Records are only ever appended; a tail that a killed
//! process left half-written is cut off when the file is next opened for writing. The file can be
//! deleted at any time: it only saves time.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use aforesaid::types::EncoderId;
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"afrsvec1";
const HEADER: u64 = 12;

/// What a vector is of: SHA-256 of the role and the text.
pub(super) type Key = [u8; 32];

/// Which side of a search a text is on; encoders may treat the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role<'a> {
    Query,
    /// A query as a query adapter reads it, by the checksum of the adapter.
    AdaptedQuery(&'a str),
    Passage,
}

pub(super) fn key(role: Role<'_>, text: &str) -> Key {
    let (role, adapter) = match role {
        Role::Query => ("q\0", ""),
        Role::AdaptedQuery(sha256) => ("a\0", sha256),
        Role::Passage => ("p\0", ""),
    };
    [role, adapter, text].into_iter().fold(Sha256::new(), Sha256::chain_update).finalize().into()
}

/// A vector cache could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The file system failed.
    #[error("vector cache {}: could not {action}: {source}; name another folder or free some space", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("vector cache {}: found {found}, expected vectors of {dim} components; delete the file", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
        /// Components expected.
        dim: usize,
    },
}

/// The vectors of one encoder, in memory and in a file.
pub(super) struct VectorFile {
    path: PathBuf,
    dim: usize,
    places: HashMap<Key, usize>,
    rows: Vec<f32>,
    /// `None` where there is none, or another process is writing: what is new is kept in memory only.
    file: Option<File>,
}

impl VectorFile {
    /// Vectors of this process only.
    pub(super) fn in_memory(dim: usize) -> Self {
        Self { path: PathBuf::new(), dim, places: HashMap::new(), rows: Vec::new(), file: None }
    }

    /// Opens or makes the file of an encoder in a folder.
    pub(super) fn open(folder: &Path, encoder: &EncoderId, dim: usize) -> Result<Self, CacheError> {
        let name: String = encoder
            .as_str()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-._@".contains(c) { c } else { '_' })
            .collect();
        let path = folder.join(format!("{name}.vectors"));
        let failed = |action| {
            let path = path.clone();
            move |source| CacheError::Io { path, action, source }
        };
        fs::create_dir_all(folder).map_err(failed("make its folder"))?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed("open"))?;
        let ours = file.try_lock().is_ok();
        let mut vectors = Self { path: path.clone(), ..Self::in_memory(dim) };
        let end = vectors.read(&mut file)?;
        if ours {
            if end == 0 {
                let mut header = MAGIC.to_vec();
                header.extend_from_slice(&(dim as u32).to_le_bytes());
                file.write_all(&header).map_err(failed("write"))?;
            } else {
                file.set_len(end).map_err(failed("cut off a half-written tail"))?;
            }
            file.seek(SeekFrom::End(0)).map_err(failed("write"))?;
            vectors.file = Some(file);
        }
        Ok(vectors)
    }

    /// Takes every whole record; returns where the last one ends, 0 for an empty file.
    fn read(&mut self, file: &mut File) -> Result<u64, CacheError> {
        let path = self.path.clone();
        let failed = |source| CacheError::Io { path: path.clone(), action: "read", source };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length < HEADER {
            // A header that was cut short holds nothing yet.
            file.set_len(0).map_err(failed)?;
            return Ok(0);
        }
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut header = [0; HEADER as usize];
        reader.read_exact(&mut header).map_err(failed)?;
        let (magic, dim) = header.split_at(8);
        if magic != MAGIC || dim != (self.dim as u32).to_le_bytes() {
            let found = match magic == MAGIC {
                true => "another number of components".to_owned(),
                false => "another kind of file".to_owned(),
            };
            return Err(CacheError::Foreign { path: self.path.clone(), found, dim: self.dim });
        }
        let mut record = vec![0; record_bytes(self.dim)];
        let records = (length - HEADER) / record.len() as u64;
        let mut end = HEADER;
        for _ in 0..records {
            reader.read_exact(&mut record).map_err(failed)?;
            let Some((key, row)) = parse(&record) else { break };
            self.keep(key, row);
            end += record.len() as u64;
        }
        Ok(end)
    }

    fn keep(&mut self, key: Key, row: impl Iterator<Item = f32>) {
        let place = self.rows.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.places.entry(key) {
            entry.insert(place);
            self.rows.extend(row);
        }
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn get(&self, key: &Key) -> Option<&[f32]> {
        let place = *self.places.get(key)?;
        self.rows.get(place..place + self.dim)
    }

    /// Takes new vectors, and writes them in one go.
    pub(super) fn add<'a>(&mut self, new: impl Iterator<Item = (Key, &'a [f32])>) -> Result<(), CacheError> {
        let mut bytes = Vec::new();
        for (key, row) in new {
            let start = bytes.len();
            bytes.extend_from_slice(&key);
            bytes.extend_from_slice(&[0; 4]);
            row.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
            let sum = checksum(&bytes[start..]);
            bytes[start + 32..start + 36].copy_from_slice(&sum.to_le_bytes());
            self.keep(key, row.iter().copied());
        }
        if let Some(file) = &mut self.file {
            let path = &self.path;
            file.write_all(&bytes).map_err(|source| CacheError::Io { path: path.clone(), action: "write", source })?;
        }
        Ok(())
    }
}

fn record_bytes(dim: usize) -> usize {
    32 + 4 + 4 * dim
}

fn checksum(record: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&record[..32]);
    hasher.update(&record[36..]);
    hasher.finalize()
}

fn parse(record: &[u8]) -> Option<(Key, impl Iterator<Item = f32>)> {
    let (key, rest) = record.split_first_chunk::<32>()?;
    let (sum, row) = rest.split_first_chunk::<4>()?;
    let (numbers, _) = row.as_chunks::<4>();
    (u32::from_le_bytes(*sum) == checksum(record))
        .then(|| (*key, numbers.iter().map(|bytes| f32::from_le_bytes(*bytes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> EncoderId {
        EncoderId::new("bags@1/f32").unwrap()
    }

    fn add(vectors: &mut VectorFile, texts: &[(&str, [f32; 2])]) {
        vectors.add(texts.iter().map(|(text, row)| (key(Role::Passage, text), row.as_slice()))).unwrap();
    }

    #[test]
    fn a_vector_is_there_the_next_time_for_its_role_only() {
        let folder = tempfile::tempdir().unwrap();
        add(&mut VectorFile::open(folder.path(), &id(), 2).unwrap(), &[("a", [1.0, 0.0]), ("b", [0.6, 0.8])]);
        let again = VectorFile::open(folder.path(), &id(), 2).unwrap();
        assert_eq!(again.get(&key(Role::Passage, "b")), Some(&[0.6, 0.8][..]));
        assert!(!again.has(&key(Role::Query, "b")));
    }

    #[test]
    fn a_torn_or_flipped_tail_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bags@1_f32.vectors");
        add(&mut VectorFile::open(folder.path(), &id(), 2).unwrap(), &[("a", [1.0, 0.0]), ("b", [0.6, 0.8])]);
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..whole.len() - 3], &flipped] {
            fs::write(&path, damaged).unwrap();
            let mut vectors = VectorFile::open(folder.path(), &id(), 2).unwrap();
            assert!(vectors.has(&key(Role::Passage, "a")) && !vectors.has(&key(Role::Passage, "b")));
            add(&mut vectors, &[("b", [0.6, 0.8])]);
            drop(vectors);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_second_writer_keeps_its_own_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = VectorFile::open(folder.path(), &id(), 2).unwrap();
        let mut second = VectorFile::open(folder.path(), &id(), 2).unwrap();
        add(&mut second, &[("b", [0.6, 0.8])]);
        add(&mut first, &[("a", [1.0, 0.0])]);
        assert!(second.has(&key(Role::Passage, "b")));
        drop((first, second));
        let third = VectorFile::open(folder.path(), &id(), 2).unwrap();
        assert!(third.has(&key(Role::Passage, "a")) && !third.has(&key(Role::Passage, "b")));
    }

    #[test]
    fn another_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        VectorFile::open(folder.path(), &id(), 2).unwrap();
        let error = VectorFile::open(folder.path(), &id(), 3).err().unwrap().to_string();
        assert!(error.contains("another number of components"), "{error}");
        fs::write(folder.path().join("bags@1_f32.vectors"), "no vectors at all").unwrap();
        let error = VectorFile::open(folder.path(), &id(), 2).err().unwrap().to_string();
        assert!(error.contains("another kind of file"), "{error}");
    }
}
