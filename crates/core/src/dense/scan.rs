//! One query against many rows, by every thread that has time.

use std::{
    borrow::Cow,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{codes::ScanQuery, matrix::DenseIndex};

/// Rows taken at a time: long enough that taking them costs nothing, short enough that threads end together.
const BLOCK: usize = 4096;

/// Cosines of a unit-length query with some texts of an index, made block by block.
pub struct Scan<'a> {
    index: &'a DenseIndex,
    query: ScanQuery<'a>,
    texts: Cow<'a, [u32]>,
    blocks: Vec<OnceLock<Vec<f32>>>,
    next: AtomicUsize,
}

impl<'a> Scan<'a> {
    /// Nothing is computed yet. `query` has the index's [`DenseIndex::dim`] components, `texts` are positions in it.
    pub fn new(index: &'a DenseIndex, query: &'a [f32], texts: impl Into<Cow<'a, [u32]>>) -> Self {
        let texts = texts.into();
        let query = ScanQuery::new(query);
        let blocks = texts.chunks(BLOCK).map(|_| OnceLock::new()).collect();
        Self { index, query, texts, blocks, next: AtomicUsize::new(0) }
    }

    /// Computes blocks until all are taken; another thread may not be done with its last.
    pub fn help(&self) {
        while self.next.load(Ordering::Relaxed) < self.blocks.len() {
            self.block(self.next.fetch_add(1, Ordering::Relaxed));
        }
    }

    /// A block of cosines, computed by whoever asks first; empty beyond the last.
    fn block(&self, i: usize) -> &[f32] {
        let texts = self.texts.chunks(BLOCK).nth(i).unwrap_or_default();
        self.blocks.get(i).map_or(&[], |block| block.get_or_init(|| self.index.block(&self.query, texts)))
    }

    /// Shows every text with its cosine, in order; a text without a vector has none.
    ///
    /// Helps first, and waits for who still helps. In an index that [is not exact](DenseIndex::is_exact), cosines are
    /// within about 0.002; see [`DenseIndex::rescored`].
    pub fn each(&self, mut seen: impl FnMut(u32, Option<f64>)) {
        self.help();
        for (i, texts) in self.texts.chunks(BLOCK).enumerate() {
            for (&text, &cosine) in texts.iter().zip(self.block(i)) {
                seen(text, self.index.has(text as usize).then(|| f64::from(cosine)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_share_the_blocks() {
        let mut index = DenseIndex::new(2);
        let n = 3 * BLOCK + 7;
        let row = |i: usize| [i as f32, 1.0];
        (0..n).for_each(|i| index.push((i % 5 > 0).then(|| row(i)).as_ref().map(|row| &row[..])));
        let texts: Vec<u32> = (0..n as u32).rev().collect();
        let scan = Scan::new(&index, &[1.0, 0.0], &texts);
        thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| scan.help());
            }
        });
        let mut found = Vec::new();
        scan.each(|text, cosine| found.push((text, cosine)));
        assert!(texts.iter().map(|&i| (i, (i % 5 > 0).then_some(f64::from(i)))).eq(found));
    }

    #[test]
    fn nothing_is_no_block() {
        let index = DenseIndex::new(2);
        Scan::new(&index, &[1.0, 0.0], Vec::new()).each(|_, _| panic!("there is none"));
    }
}
