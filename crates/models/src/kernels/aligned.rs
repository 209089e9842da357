//! Buffers that begin where a cache line begins.
//!
//! A vector of 64 bytes that lies across two lines is read twice; a product reads nothing but such vectors.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers of 4 bytes of which the first begins a cache line.
#[derive(Default)]
pub(crate) struct Aligned<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        let mut zeros = Self { data: Vec::new(), start: 0, len: 0 };
        zeros.resize(len);
        zeros
    }

    /// Makes room for `len` numbers; what they are is left open.
    pub(crate) fn resize(&mut self, len: usize) {
        let spare = LINE / size_of::<T>().max(1);
        if self.data.len() < len + spare {
            self.data = vec![T::default(); len + spare];
            // Where an offset cannot be told, the buffer is slower and nothing else.
            self.start = Some(self.data.as_ptr().align_offset(LINE)).filter(|start| *start < spare).unwrap_or(0);
        }
        self.len = len;
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_a_line_and_keeps_its_memory() {
        let mut buffer = Aligned::<f32>::zeros(100);
        assert!(buffer.len() == 100 && buffer.iter().all(|x| *x == 0.0));
        assert_eq!(buffer.as_ptr().addr() % LINE, 0);
        let address = buffer.as_ptr();
        buffer.resize(10);
        assert_eq!((buffer.len(), buffer.as_ptr()), (10, address));
        buffer.resize(100_000);
        assert_eq!((buffer.len(), buffer.as_ptr().addr() % LINE), (100_000, 0));
    }
}
