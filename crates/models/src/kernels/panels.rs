//! The right-hand side of a matrix product, laid out for the kernel.

use super::Rows;

/// Output columns that the kernel computes together.
pub(super) const PANEL: usize = 32;

/// A matrix of `depth` x `columns` as panels of 32 columns, and a bias per column.
///
/// A panel holds its 32 columns for depth 0, then for depth 1, and so on, so
/// that a product reads it once from front to back. The last panel is padded
/// with zeros.
#[derive(Default)]
pub(crate) struct Panels {
    data: Vec<f32>,
    bias: Vec<f32>,
    depth: usize,
    columns: usize,
}

impl Panels {
    /// Empty panels of a given shape, to be filled by [`Panels::set_column`] and [`Panels::set_bias`].
    pub(crate) fn zeros(depth: usize, columns: usize) -> Self {
        let mut panels = Self::default();
        panels.reshape(depth, columns);
        panels
    }

    /// Makes the shape `depth` x `columns` and keeps the memory; the bias becomes zero.
    fn reshape(&mut self, depth: usize, columns: usize) {
        let padded = columns.next_multiple_of(PANEL);
        self.depth = depth;
        self.columns = columns;
        self.data.resize(padded * depth, 0.0);
        self.bias.clear();
        self.bias.resize(padded, 0.0);
    }

    /// Fills the panels with the transpose of `rows`: row `i` becomes column `i`.
    pub(crate) fn fill_transposed(&mut self, rows: Rows<'_>) {
        self.reshape(rows.width(), rows.count());
        self.set_columns(0, rows);
        self.pad();
    }

    /// Fills the panels with `rows` as they are.
    pub(crate) fn fill(&mut self, rows: Rows<'_>) {
        self.reshape(rows.count(), rows.width());
        for (p, panel) in self.data.chunks_exact_mut(PANEL * self.depth.max(1)).enumerate() {
            let first = p * PANEL;
            let width = PANEL.min(rows.width() - first);
            for (i, lane) in panel.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
                lane[..width].copy_from_slice(&rows.row(i)[first..first + width]);
                lane[width..].fill(0.0);
            }
        }
    }

    /// Writes `rows` as the columns from `first` on.
    pub(crate) fn set_columns(&mut self, first: usize, rows: Rows<'_>) {
        let mut i = 0;
        while i < rows.count() {
            let column = first + i;
            let (p, lane) = (column / PANEL, column % PANEL);
            let take = (PANEL - lane).min(rows.count() - i);
            let panel = &mut self.data[p * PANEL * self.depth..][..PANEL * self.depth];
            transpose_into(panel, lane, rows, i, take);
            i += take;
        }
    }

    /// Writes the bias of the columns from `first` on.
    pub(crate) fn set_bias(&mut self, first: usize, bias: &[f32]) {
        self.bias[first..first + bias.len()].copy_from_slice(bias);
    }

    fn pad(&mut self) {
        let used = self.columns % PANEL;
        if used == 0 {
            return;
        }
        let last = (self.columns / PANEL) * PANEL * self.depth;
        for lane in self.data[last..].as_chunks_mut::<PANEL>().0 {
            lane[used..].fill(0.0);
        }
    }

    /// Rows of the matrix: what is summed over.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Columns of the matrix.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Each panel with the bias of its columns.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[f32], &[f32; PANEL])> {
        self.data.chunks_exact(PANEL * self.depth.max(1)).zip(self.bias.as_chunks::<PANEL>().0)
    }
}

/// Writes rows `first .. first + count` as the lanes of `panel` from `lane` on.
///
/// Works through blocks of 16 depths so that the lines being written stay in the first-level cache.
fn transpose_into(panel: &mut [f32], lane: usize, rows: Rows<'_>, first: usize, count: usize) {
    const BLOCK: usize = 16;
    for (b, block) in panel.chunks_mut(PANEL * BLOCK).enumerate() {
        let block = block.as_chunks_mut::<PANEL>().0;
        for i in 0..count {
            let row = &rows.row(first + i)[b * BLOCK..][..block.len()];
            for (lanes, value) in block.iter_mut().zip(row) {
                lanes[lane + i] = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_filled_either_way_are_equal() {
        let rows: Vec<f32> = (0..35 * 40).map(|i| i as f32).collect();
        let mut transposed = vec![0.0; rows.len()];
        for i in 0..35 {
            for j in 0..40 {
                transposed[j * 35 + i] = rows[i * 40 + j];
            }
        }
        // Larger and smaller shapes before: leftovers must not show.
        let (mut a, mut b) = (Panels::zeros(50, 90), Panels::zeros(3, 3));
        a.data.fill(7.0);
        a.fill(Rows::whole(&rows, 40));
        b.fill_transposed(Rows::whole(&transposed, 35));
        assert_eq!(a.data, b.data);
    }
}
