//! What an adapter learned from, kept beside the store: a file of weights cannot be searched for what it has seen.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use aforesaid_core::types::{Namespace, Scope, Seq};
use aforesaid_models::{
    Adapter,
    files::{Access, NewFile, make_private_folder},
};
use serde::{Deserialize, Serialize};

use crate::{Error, Memory};

/// The version of what a record holds; a record of another one is an error, because it may speak of what is forgotten.
const VERSION: u32 = 1;

/// The records of the adapters that were learned from a store: a folder beside it, a file an adapter.
///
/// A record has positions of memories in their namespace and nothing of what they say.
#[derive(Debug, Clone)]
pub struct AdapterRecords {
    folder: PathBuf,
}

/// An adapter, and the memories that it learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterRecord {
    version: u32,
    namespace: Namespace,
    file: PathBuf,
    sha256: String,
    /// First and last positions of the memories that are still there.
    memories: Vec<[u64; 2]>,
}

/// An adapter that learned from memories that are not there any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RememberingAdapter {
    /// The file that it was written to.
    pub file: PathBuf,
    /// The checksum of the file, in hex.
    pub sha256: String,
    /// Whether it still is at that place. Where it is not, it may have been moved or copied.
    pub found: bool,
    /// Memories that it learned from and that are gone since this was last asked.
    pub memories: u64,
}

impl AdapterRecord {
    /// The record of an adapter in a file that learned from memories of a namespace, by their positions.
    pub fn new(namespace: Namespace, file: PathBuf, sha256: &str, memories: &BTreeSet<Seq>) -> Self {
        let memories = ranges(memories.iter().map(|seq| seq.0));
        Self { version: VERSION, namespace, file, sha256: sha256.to_owned(), memories }
    }

    fn places(&self) -> impl Iterator<Item = u64> + '_ {
        self.memories.iter().flat_map(|[first, last]| *first..=*last)
    }

    /// Takes out the memories that are not among those alive; returns how many they were.
    fn take_out(&mut self, alive: &BTreeSet<u64>) -> u64 {
        let before = self.places().count();
        let left: Vec<u64> = self.places().filter(|place| alive.contains(place)).collect();
        let gone = (before - left.len()) as u64;
        self.memories = ranges(left.into_iter());
        gone
    }
}

/// Numbers in order as first and last ones of those that follow each other.
fn ranges(numbers: impl Iterator<Item = u64>) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if number == *last + 1 => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}

impl AdapterRecords {
    /// The folder beside a store's file.
    pub fn beside(store: &Path) -> Self {
        let mut name = store.file_name().unwrap_or_default().to_owned();
        name.push(".adapters");
        Self { folder: store.with_file_name(name) }
    }

    /// Keeps a record. One of another adapter in the same file goes: that file is not there any more.
    ///
    /// # Errors
    /// When a record cannot be read, or the folder cannot be written.
    pub fn keep(&self, record: &AdapterRecord) -> Result<(), Error> {
        make_private_folder(&self.folder).map_err(failed(&self.folder))?;
        for (path, other) in self.all()? {
            if other.file == record.file && other.sha256 != record.sha256 {
                fs::remove_file(&path).map_err(failed(&path))?;
            }
        }
        self.write(record)
    }

    /// Copies the records of some namespaces to those of another store, whose memories have the same positions.
    ///
    /// # Errors
    /// When a record cannot be read, or the other folder cannot be written.
    pub fn copy_to(&self, other: &Self, namespaces: &[Namespace]) -> Result<(), Error> {
        for (_, record) in self.all()? {
            if namespaces.contains(&record.namespace) && !other.path(&record).exists() {
                other.keep(&record)?;
            }
        }
        Ok(())
    }

    fn path(&self, record: &AdapterRecord) -> PathBuf {
        self.folder.join(format!("{}.json", record.sha256))
    }

    fn write(&self, record: &AdapterRecord) -> Result<(), Error> {
        let path = self.path(record);
        let write = || {
            let mut file = NewFile::beside(&path, Access::Private)?;
            file.write_all(&serde_json::to_vec(record)?)?;
            file.finish()
        };
        write().map_err(failed(&path))
    }

    /// Every record with its file, in an order that stays.
    fn all(&self) -> Result<Vec<(PathBuf, AdapterRecord)>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&self.folder)(error)),
        };
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
        let mut paths = paths.map_err(failed(&self.folder))?;
        paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
        paths.sort();
        let read = |path: PathBuf| {
            let bytes = fs::read(&path).map_err(failed(&path))?;
            let record: AdapterRecord =
                serde_json::from_slice(&bytes).map_err(|error| failed(&path)(io::Error::other(error)))?;
            if record.version != VERSION {
                let found = format!("found version {}, expected {VERSION}", record.version);
                return Err(failed(&path)(io::Error::other(found)));
            }
            Ok((path, record))
        };
        paths.into_iter().map(read).collect()
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::AdapterRecord { path, source }
}

impl Memory {
    /// The adapters that learned from memories that are gone, however they went; each memory is reported once.
    ///
    /// # Errors
    /// When the store fails, or a record cannot be read or written.
    pub fn adapters_that_remember(&self, records: &AdapterRecords) -> Result<Vec<RememberingAdapter>, Error> {
        let mut told = Vec::new();
        for (path, mut record) in records.all()? {
            let memories = record.take_out(&self.alive(&record.namespace)?);
            if memories > 0 {
                let found = Adapter::read(&record.file).is_ok_and(|adapter| adapter.sha256() == record.sha256);
                let adapter =
                    RememberingAdapter { file: record.file.clone(), sha256: record.sha256.clone(), found, memories };
                told.push((path, adapter, record));
            }
        }
        // First the whole report, then the note that it was given: better told twice than never.
        let note = |(path, adapter, record): (PathBuf, RememberingAdapter, AdapterRecord)| {
            match record.memories.is_empty() {
                true => fs::remove_file(&path).map_err(failed(&path))?,
                false => records.write(&record)?,
            }
            Ok(adapter)
        };
        told.into_iter().map(note).collect()
    }

    /// Positions of all memories that a namespace has; none where there is no such namespace.
    fn alive(&self, namespace: &Namespace) -> Result<BTreeSet<u64>, Error> {
        if self.store.version(namespace)?.is_none() {
            return Ok(BTreeSet::new());
        }
        Ok(self.store.positions(namespace, &Scope::default())?.into_iter().map(|seq| seq.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_as_ranges_and_taken_out_once() {
        let seen: BTreeSet<Seq> = [1, 2, 3, 7, 9, 10].map(Seq).into();
        let mut record = AdapterRecord::new(Namespace::new("me").unwrap(), "mine.safetensors".into(), "ab", &seen);
        assert_eq!(record.memories, [[1, 3], [7, 7], [9, 10]]);
        let alive: BTreeSet<u64> = [1, 3, 7, 10, 11].into();
        assert_eq!((record.take_out(&alive), record.take_out(&alive)), (2, 0));
        assert_eq!(record.memories, [[1, 1], [3, 3], [7, 7], [10, 10]]);
    }

    #[test]
    fn another_adapter_in_the_same_file_takes_the_place_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let records = AdapterRecords::beside(&dir.path().join("memory.db"));
        assert!(records.all().unwrap().is_empty());
        let record = |file: &str, sha256: &str| {
            AdapterRecord::new(Namespace::new("me").unwrap(), file.into(), sha256, &[Seq(1)].into())
        };
        for (file, sha256) in [("a", "01"), ("b", "02"), ("a", "03")] {
            records.keep(&record(file, sha256)).unwrap();
        }
        let kept: Vec<AdapterRecord> = records.all().unwrap().into_iter().map(|(_, record)| record).collect();
        assert_eq!(kept, [record("b", "02"), record("a", "03")]);

        let other = AdapterRecords::beside(&dir.path().join("other.db"));
        records.copy_to(&other, &[Namespace::new("you").unwrap()]).unwrap();
        assert!(other.all().unwrap().is_empty());
        records.copy_to(&other, &[Namespace::new("me").unwrap()]).unwrap();
        assert_eq!(other.all().unwrap().len(), 2);

        std::fs::write(dir.path().join("memory.db.adapters/03.json"), "{}").unwrap();
        let refused = records.keep(&record("c", "04")).unwrap_err();
        assert!(refused.to_string().contains("03.json"), "{refused}");
    }
}
