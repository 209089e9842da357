//! The right-hand side of a matrix product: weights, packed once when a model is loaded.

use super::{
    Aligned, Rows,
    activations::{bf16_words, bytes_of, words_of},
    dot::Encoding,
};

/// Output columns that a tile computes together.
pub(crate) const PANEL: usize = 48;

/// A matrix of `depth` x `columns` and a bias a column.
///
/// The words of a panel lie side by side for the first depth,
/// then for the next, and so on, so that a product reads it once from front to
/// back. The last panel is padded with zeros.
pub(crate) struct Weights {
    words: Aligned<u32>,
    columns: Vec<Columns>,
    /// Numbers that are summed over.
    depth: usize,
    count: usize,
    encoding: Encoding,
}

/// What turns the sums of a panel's columns into numbers.
#[derive(Clone)]
pub(super) struct Columns {
    pub(super) bias: [f32; PANEL],
    /// What a column's integers are multiplied with.
    pub(super) scale: [f32; PANEL],
    /// The sum of a column's weights as they are after rounding.
    pub(super) total: [f32; PANEL],
}

impl Weights {
    /// Zeros of a shape, to be filled by [`Weights::set_columns`] and [`Weights::set_bias`].
    pub(super) fn zeros(depth: usize, count: usize, encoding: Encoding) -> Self {
        let panels = count.div_ceil(PANEL);
        let zero = [0.0; PANEL];
        Self {
            words: Aligned::zeros(panels * PANEL * depth.div_ceil(encoding.depth())),
            columns: vec![Columns { bias: zero, scale: zero, total: zero }; panels],
            depth,
            count,
            encoding,
        }
    }

    /// Writes `rows` as the columns from `first` on.
    pub(crate) fn set_columns(&mut self, first: usize, rows: Rows<'_>) {
        let depth = self.word_depth();
        let mut band = vec![0; depth * PANEL];
        let mut i = 0;
        while i < rows.count() {
            let (p, lane) = ((first + i) / PANEL, (first + i) % PANEL);
            let take = (PANEL - lane).min(rows.count() - i);
            for (r, words) in band.chunks_exact_mut(depth).take(take).enumerate() {
                let (scale, total) = encode(rows.row(i + r), self.encoding, words);
                self.columns[p].scale[lane + r] = scale;
                self.columns[p].total[lane + r] = total;
            }
            let panel = &mut self.words[p * PANEL * depth..][..PANEL * depth];
            transpose_into(panel, lane, &band[..take * depth], depth);
            i += take;
        }
    }

    /// Writes the bias of the columns from `first` on.
    pub(crate) fn set_bias(&mut self, first: usize, bias: &[f32]) {
        for (i, value) in bias.iter().enumerate() {
            self.columns[(first + i) / PANEL].bias[(first + i) % PANEL] = *value;
        }
    }

    /// Columns of the matrix.
    pub(crate) fn columns(&self) -> usize {
        self.count
    }

    /// Words of a column.
    pub(super) fn word_depth(&self) -> usize {
        self.depth.div_ceil(self.encoding.depth())
    }

    /// Each panel's words with what its columns need besides.
    #[inline(always)]
    pub(super) fn panels(&self) -> impl Iterator<Item = (&[u32], &Columns)> {
        self.words.chunks_exact(PANEL * self.word_depth().max(1)).zip(&self.columns)
    }
}

/// Writes a column's words; returns its scale and the sum of its rounded weights.
fn encode(column: &[f32], encoding: Encoding, words: &mut [u32]) -> (f32, f32) {
    match encoding {
        Encoding::F32 => words.iter_mut().zip(column).for_each(|(word, value)| *word = value.to_bits()),
        Encoding::Bf16 => bf16_words(column, words),
        Encoding::Bytes | Encoding::WideBytes => return encode_bytes(column, encoding, words),
    }
    (1.0, 0.0)
}

/// Signed bytes, symmetric around 0, in 127 steps to the largest magnitude.
fn encode_bytes(column: &[f32], encoding: Encoding, words: &mut [u32]) -> (f32, f32) {
    let largest = column.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    // A NaN passes by the maximum; it must not be lost.
    let lost: f32 = column.iter().map(|value| value * 0.0).sum();
    let scale = largest / 127.0 + lost;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    let byte = |value: f32| ((value * inverse + 12_582_912.0).to_bits() as u8).cast_signed();
    match encoding {
        Encoding::Bytes => bytes_of(column, words, |value| byte(value).cast_unsigned()),
        _ => words_of::<2>(column, words, |value, place| {
            u32::from(i16::from(byte(value)).cast_unsigned()) << (16 * place)
        }),
    }
    let total: i32 = column.iter().map(|value| i32::from(byte(*value))).sum();
    (scale, scale * total as f32)
}

/// Writes rows of `depth` words as the lanes of `panel` from `lane` on.
///
/// Works through blocks of 16 depths so that the lines being written stay in the first-level cache.
fn transpose_into(panel: &mut [u32], lane: usize, rows: &[u32], depth: usize) {
    const BLOCK: usize = 16;
    for (b, block) in panel.chunks_mut(PANEL * BLOCK).enumerate() {
        let block = block.as_chunks_mut::<PANEL>().0;
        for (i, row) in rows.chunks_exact(depth).enumerate() {
            for (lanes, word) in block.iter_mut().zip(&row[b * BLOCK..]) {
                lanes[lane + i] = *word;
            }
        }
    }
}
