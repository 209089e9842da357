//! The right-hand side of a matrix product: weights, packed once when a model is loaded.

use super::{
    Aligned, Rows,
    activations::{bf16_words, bytes_of, words_of},
    balanced::{RUN, parts},
    dot::Encoding,
};

/// Output columns that a tile computes together.
pub(crate) const PANEL: usize = 48;

/// Columns of a tile in registers of 8 lanes: two beside six rows are 12 sums, and 8 loads for 12 products.
pub(super) const STRIP: usize = 16;

/// A matrix of `depth` x `columns` and a bias a column.
///
/// A panel is one strip of columns or several. The words of a strip lie side by
/// side for the first depth, then for the next, and so on, so that a product
/// reads it once from front to back. The last panel is padded with zeros.
pub(crate) struct Weights {
    words: Aligned<u32>,
    /// Columns of a strip.
    strip: usize,
    columns: Vec<Panel>,
    /// Numbers that are summed over.
    depth: usize,
    count: usize,
    encoding: Encoding,
    /// What the words of a column are padded to a multiple of.
    depth_step: usize,
}

/// [`Columns`] of a panel.
#[derive(Clone)]
struct Panel {
    bias: [f32; PANEL],
    scale: [f32; PANEL],
    total: [f32; PANEL],
    whole: [i32; PANEL],
}

impl Panel {
    #[inline(always)]
    fn strips<const W: usize>(&self) -> impl Iterator<Item = Columns<'_, W>> {
        let parts = [&self.bias, &self.scale, &self.total].map(|numbers| numbers.as_chunks().0.iter());
        let [bias, scale, total] = parts;
        let columns = bias.zip(scale).zip(total).zip(self.whole.as_chunks().0);
        columns.map(|(((bias, scale), total), whole)| Columns { bias, scale, total, whole })
    }
}

/// What turns the sums of some columns into numbers.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, const W: usize> {
    pub(super) bias: &'a [f32; W],
    /// What a column's integers are multiplied with.
    pub(super) scale: &'a [f32; W],
    /// The sum of a column's weights as they are after rounding.
    pub(super) total: &'a [f32; W],
    /// That sum in steps.
    pub(super) whole: &'a [i32; W],
}

impl Weights {
    /// Zeros of a shape, to be filled by [`Weights::set_columns`] and [`Weights::set_bias`].
    pub(super) fn zeros(depth: usize, count: usize, encoding: Encoding, strip: usize, depth_step: usize) -> Self {
        let panels = count.div_ceil(PANEL);
        let zero = [0.0; PANEL];
        Self {
            words: Aligned::zeros(panels * PANEL * depth.div_ceil(encoding.depth()).next_multiple_of(depth_step)),
            strip,
            columns: vec![Panel { bias: zero, scale: zero, total: zero, whole: [0; PANEL] }; panels],
            depth,
            count,
            encoding,
            depth_step,
        }
    }

    /// Writes `rows` as the columns from `first` on.
    pub(crate) fn set_columns(&mut self, first: usize, rows: Rows<'_>) {
        let depth = self.word_depth();
        let mut band = vec![0; depth * self.strip];
        let mut i = 0;
        while i < rows.count() {
            let (s, lane) = ((first + i) / self.strip, (first + i) % self.strip);
            let take = (self.strip - lane).min(rows.count() - i);
            for (r, words) in band.chunks_exact_mut(depth).take(take).enumerate() {
                let column = first + i + r;
                let (scale, whole) = encode(rows.row(i + r), self.encoding, words);
                self.columns[column / PANEL].scale[column % PANEL] = scale;
                self.columns[column / PANEL].total[column % PANEL] = scale * whole as f32;
                self.columns[column / PANEL].whole[column % PANEL] = whole;
            }
            let strip = &mut self.words[s * self.strip * depth..][..self.strip * depth];
            transpose_into(strip, self.strip, lane, &band[..take * depth], depth);
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
        self.depth.div_ceil(self.encoding.depth()).next_multiple_of(self.depth_step)
    }

    /// The words of each strip of `W` columns, with what its columns need besides.
    #[inline(always)]
    pub(super) fn strips<const W: usize>(&self) -> impl Iterator<Item = (&[u32], Columns<'_, W>)> {
        let columns = self.columns.iter().flat_map(Panel::strips);
        self.words.chunks_exact(W * self.word_depth().max(1)).zip(columns)
    }
}

/// Writes a column's words; returns its scale and the sum of its weights in steps of it.
fn encode(column: &[f32], encoding: Encoding, words: &mut [u32]) -> (f32, i32) {
    match encoding {
        Encoding::F32 => words.iter_mut().zip(column).for_each(|(word, value)| *word = value.to_bits()),
        Encoding::Bf16 => bf16_words(column, words),
        Encoding::Bytes | Encoding::SignedBytes | Encoding::WideBytes | Encoding::Balanced => {
            return encode_bytes(column, encoding, words);
        }
    }
    (1.0, 0)
}

/// Signed bytes, symmetric around 0, in 127 steps to the largest magnitude.
fn encode_bytes(column: &[f32], encoding: Encoding, words: &mut [u32]) -> (f32, i32) {
    let largest = column.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    // A NaN passes by the maximum; it must not be lost.
    let lost: f32 = column.iter().map(|value| value * 0.0).sum();
    let scale = largest / 127.0 + lost;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    let byte = |value: f32| ((value * inverse + 12_582_912.0).to_bits() as u8).cast_signed();
    match encoding {
        Encoding::Bytes | Encoding::SignedBytes => bytes_of(column, words, |value| byte(value).cast_unsigned()),
        Encoding::Balanced => {
            for (r, run) in words.chunks_mut(RUN).enumerate() {
                run.fill(0);
                for (i, part) in parts(column, r * RUN, run.len()).into_iter().enumerate() {
                    for (word, value) in run.iter_mut().zip(part) {
                        *word |= u32::from(byte(*value).cast_unsigned() ^ 0x80) << (8 * i);
                    }
                }
            }
        }
        _ => words_of::<2>(column, words, |value, place| {
            u32::from(i16::from(byte(value)).cast_unsigned()) << (16 * place)
        }),
    }
    (scale, column.iter().map(|value| i32::from(byte(*value))).sum())
}

/// Writes rows of `depth` words as the lanes of a strip of `width` columns, from `lane` on.
///
/// Works through blocks of 16 depths so that the lines being written stay in the first-level cache.
fn transpose_into(strip: &mut [u32], width: usize, lane: usize, rows: &[u32], depth: usize) {
    const BLOCK: usize = 16;
    for (b, block) in strip.chunks_mut(width * BLOCK).enumerate() {
        for (i, row) in rows.chunks_exact(depth).enumerate() {
            for (lanes, word) in block.chunks_exact_mut(width).zip(&row[b * BLOCK..]) {
                lanes[lane + i] = *word;
            }
        }
    }
}
