//! The pages of a store's file, to do to them what disks do.

use std::{fs, path::PathBuf};

use rusqlite::{Connection, OpenFlags};

/// A closed store's file in memory.
pub(crate) struct Pages {
    path: PathBuf,
    sound: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) size: usize,
}

impl Pages {
    pub(crate) fn of(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let sound = fs::read(&path).unwrap();
        let size = usize::from(u16::from_be_bytes([sound[16], sound[17]]));
        Self { bytes: sound.clone(), path, sound, size }
    }

    /// Bytes of a page, numbered from 1.
    pub(crate) fn page(&mut self, number: usize) -> &mut [u8] {
        &mut self.bytes[(number - 1) * self.size..][..self.size]
    }

    pub(crate) fn count(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Leaves of the tree of a table without row ids, or of an index, from left to right.
    pub(crate) fn leaves(&self, name: &str) -> Vec<usize> {
        let file = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: usize = file.query_row(root, [name], |row| row.get(0)).unwrap();
        let mut leaves = Vec::new();
        self.descend(root, &mut leaves);
        leaves
    }

    fn descend(&self, number: usize, leaves: &mut Vec<usize>) {
        const INNER: [u8; 2] = [0x02, 0x05];
        let page = &self.sound[(number - 1) * self.size..][..self.size];
        if !INNER.contains(&page[0]) {
            return leaves.push(number);
        }
        let pointer = |at: usize| u32::from_be_bytes(page[at..at + 4].try_into().unwrap()) as usize;
        for cell in 0..self.cells(number) {
            let at = usize::from(u16::from_be_bytes([page[12 + 2 * cell], page[13 + 2 * cell]]));
            self.descend(pointer(at), leaves);
        }
        self.descend(pointer(8), leaves);
    }

    /// How many cells a page says that it has.
    pub(crate) fn cells(&self, number: usize) -> usize {
        let page = &self.sound[(number - 1) * self.size..];
        usize::from(u16::from_be_bytes([page[3], page[4]]))
    }

    /// Has a page say that it has so many cells fewer.
    pub(crate) fn lose_cells(&mut self, number: usize, lost: usize) {
        let left = u16::try_from(self.cells(number) - lost).unwrap().to_be_bytes();
        self.page(number)[3..5].copy_from_slice(&left);
    }

    pub(crate) fn swap(&mut self, one: usize, other: usize) {
        for at in 0..self.size {
            self.bytes.swap((one - 1) * self.size + at, (other - 1) * self.size + at);
        }
    }

    /// Where a text stands first in the file.
    pub(crate) fn find(&self, text: &str) -> usize {
        self.bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap()
    }

    /// Writes the file as it is now; nothing else of the store is left.
    pub(crate) fn write(&self) {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", self.path.display()));
        }
        fs::write(&self.path, &self.bytes).unwrap();
    }

    /// Undoes everything.
    pub(crate) fn mend(&mut self) {
        self.bytes.clone_from(&self.sound);
    }
}
