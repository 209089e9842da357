//! The word embeddings, left on disk.
//!
//! They are half of a small model's weights and a text needs a handful of
//! their rows: reading those when they are needed makes loading twice as fast
//! and costs under a hundredth of the time of a forward pass.

use std::{fs::File, io, path::PathBuf};

use super::tensors::Number;
use crate::ModelError;

/// A matrix in a weights file, read row by row.
///
/// The file stays open, so that replacing it by renaming, as aforesaid does, changes nothing here.
pub(crate) struct WordRows {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) start: u64,
    pub(super) number: Number,
    pub(super) width: usize,
}

impl WordRows {
    /// Reads row `i` into `row`, `width` components; `bytes` is memory to reuse.
    ///
    /// `i` must be below the number of rows that was checked when the file was opened.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub(super) fn read(&self, i: usize, row: &mut [f32], bytes: &mut Vec<u8>) -> Result<(), ModelError> {
        let size = self.width * self.number.bytes();
        bytes.resize(size, 0);
        let offset = self.start + (i * size) as u64;
        read_exact_at(&self.file, bytes, offset).map_err(ModelError::io("read a word embedding", &self.path))?;
        self.number.decode(bytes, row);
        Ok(())
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
