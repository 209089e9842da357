//! The product by an instruction for tiles of 16 rows and 16 columns: three of them are a panel wide.

use super::{Multiply, number_of_parts};
use crate::kernels::{
    cache::DepthSteps,
    dot::{Dot, Tiles},
    row_blocks::blocks,
    weights::PANEL,
};

impl Multiply<'_> {
    /// Blocks are 16 rows by a panel.
    #[inline(always)]
    pub(super) fn by_tiles<D: Dot>(mut self, tiles: &Tiles) {
        let depth = self.right.word_depth();
        let step = depth.div_ceil(number_of_parts(depth, DepthSteps::here().tiles)).next_multiple_of(D::DEPTH_STEP);
        let rows = self.left.rows();
        self.sums.resize(rows.next_multiple_of(D::ROWS) * PANEL);
        for (p, (panel, columns)) in self.right.strips::<PANEL>().enumerate() {
            let mut from = 0;
            while from < depth {
                let to = (from + step).min(depth);
                let part = &panel[from * PANEL..to * PANEL];
                for (first, height) in blocks(rows, D::ROWS, D::ROW_STEP) {
                    let sums = &mut self.sums.as_chunks_mut().0[first..first + height];
                    tiles.multiply(self.left.block(first, height), depth, from, part, sums);
                    if to == depth {
                        self.write::<D, PANEL>(first, height, p * PANEL, columns);
                    }
                }
                from = to;
            }
        }
    }
}
