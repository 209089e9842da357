//! The word embeddings, read from disk as words occur.
//!
//! They are half of a small model's weights and most of a vocabulary never
//! occurs: loading is twice as fast without them, and what was read once is kept.

use std::{fs::File, io, path::PathBuf, sync::OnceLock};

use super::tensors::Number;
use crate::ModelError;

/// A matrix in a weights file, read row by row.
///
/// The file stays open, so that replacing it by renaming, as aforesaid does, changes nothing here.
pub(crate) struct WordRows {
    path: PathBuf,
    file: File,
    start: u64,
    number: Number,
    width: usize,
    /// The rows that have been read.
    read: Vec<OnceLock<Box<[f32]>>>,
}

impl WordRows {
    /// `rows` rows of `width` numbers that begin at byte `start` of a file.
    pub(super) fn new(path: PathBuf, file: File, start: u64, number: Number, [rows, width]: [usize; 2]) -> Self {
        Self { path, file, start, number, width, read: (0..rows).map(|_| OnceLock::new()).collect() }
    }

    /// Row `i`, `width` components; `i` must be below the number of rows.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub(crate) fn row(&self, i: usize) -> Result<&[f32], ModelError> {
        if let Some(row) = self.read[i].get() {
            return Ok(row);
        }
        let mut bytes = vec![0; self.width * self.number.bytes()];
        let offset = self.start + (i * bytes.len()) as u64;
        read_exact_at(&self.file, &mut bytes, offset).map_err(ModelError::io("read a word embedding", &self.path))?;
        let mut row = vec![0.0; self.width];
        self.number.decode(&bytes, &mut row);
        Ok(self.read[i].get_or_init(|| row.into_boxed_slice()))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}
