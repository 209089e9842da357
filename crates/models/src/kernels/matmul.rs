//! The matrix product.
//!
//! Every component of the result is one chain of multiply-adds over the depth,
//! starting at the bias: it does not depend on how many rows are multiplied at
//! once, so a text has the same vector alone and in any batch.

use pulp::{Arch, Simd, WithSimd};

use super::{Panels, Rows, RowsMut, panels::PANEL};

/// What happens to the values that the output holds before a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// They are overwritten.
    Set,
    /// The product is added to them.
    Add,
}

/// Computes `left * right + bias`, `[rows, depth] * [depth, columns]`, into `out`, `[rows, columns]`.
///
/// `scratch` is memory to reuse.
///
/// # Panics
/// When the shapes do not fit: they are checked when weights are loaded.
pub(crate) fn multiply(left: Rows<'_>, right: &Panels, out: RowsMut<'_>, write: Write, scratch: &mut Vec<f32>) {
    assert!(left.width() == right.depth() && out.width() == right.columns() && out.count() == left.count());
    Arch::new().dispatch(Product { left, right, out, write, scratch });
}

struct Product<'a> {
    left: Rows<'a>,
    right: &'a Panels,
    out: RowsMut<'a>,
    write: Write,
    scratch: &'a mut Vec<f32>,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let heights = Heights { lanes: S::F32_LANES };
        interleave(self.left, heights, self.scratch);
        for (p, (panel, bias)) in self.right.iter().enumerate() {
            let mut packed = self.scratch.as_slice();
            for (first, height) in heights.blocks(self.left.count()) {
                let (block, rest) = packed.split_at(height * self.right.depth());
                packed = rest;
                let mut target = Target { out: &mut self.out, first, column: p * PANEL, write: self.write };
                // Tiles fill the registers: 24 accumulators of 32, or 12 of 16.
                match (S::F32_LANES, height) {
                    (16, 12) => tile::<S, 12, 2>(simd, block, panel, bias, &mut target),
                    (16, 8) => tile::<S, 8, 2>(simd, block, panel, bias, &mut target),
                    (16, _) => tile::<S, 4, 2>(simd, block, panel, bias, &mut target),
                    (8, _) => tile::<S, 3, 4>(simd, block, panel, bias, &mut target),
                    (4, _) => tile::<S, 3, 8>(simd, block, panel, bias, &mut target),
                    _ => tile::<S, 1, 32>(simd, block, panel, bias, &mut target),
                }
            }
        }
    }
}

/// How many rows a tile has for registers of `lanes` components.
#[derive(Clone, Copy)]
struct Heights {
    lanes: usize,
}

impl Heights {
    /// First row and height of each block; the last one may reach beyond `rows`.
    fn blocks(self, rows: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut first = 0;
        std::iter::from_fn(move || {
            let height = self.of(rows.checked_sub(first).filter(|left| *left > 0)?);
            first += height;
            Some((first - height, height))
        })
    }

    fn of(self, rows_left: usize) -> usize {
        match self.lanes {
            16 => rows_left.next_multiple_of(4).min(12),
            4 | 8 => 3,
            _ => 1,
        }
    }
}

/// Copies the rows, block by block, so that a block's components of one depth lie side by side.
fn interleave(left: Rows<'_>, heights: Heights, packed: &mut Vec<f32>) {
    let total: usize = heights.blocks(left.count()).map(|(_, height)| height).sum();
    packed.resize(total * left.width(), 0.0);
    let mut rest = packed.as_mut_slice();
    for (first, height) in heights.blocks(left.count()) {
        let (block, tail) = rest.split_at_mut(height * left.width());
        rest = tail;
        for r in 0..height {
            let slots = block[r..].iter_mut().step_by(height);
            if first + r < left.count() {
                slots.zip(left.row(first + r)).for_each(|(slot, value)| *slot = *value);
            } else {
                slots.for_each(|slot| *slot = 0.0);
            }
        }
    }
}

/// Where a tile's values go.
struct Target<'t, 'a> {
    out: &'t mut RowsMut<'a>,
    first: usize,
    column: usize,
    write: Write,
}

impl Target<'_, '_> {
    /// Writes one row of a tile; rows and columns beyond the output are dropped.
    #[inline(always)]
    fn write(&mut self, r: usize, values: &[f32]) {
        if self.first + r >= self.out.count() {
            return;
        }
        let row = &mut self.out.row(self.first + r)[self.column..];
        match self.write {
            Write::Set => row.iter_mut().zip(values).for_each(|(slot, value)| *slot = *value),
            Write::Add => row.iter_mut().zip(values).for_each(|(slot, value)| *slot += *value),
        }
    }
}

/// Multiplies a block of `R` rows with one panel of `V` registers.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    block: &[f32],
    panel: &[f32],
    bias: &[f32; PANEL],
    target: &mut Target<'_, '_>,
) {
    let (weights, _) = S::as_simd_f32s(panel);
    let (start, _) = S::as_simd_f32s(bias);
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for row in &mut sums {
        row.copy_from_slice(&start[..V]);
    }
    for (lefts, weights) in block.as_chunks::<R>().0.iter().zip(weights.as_chunks::<V>().0) {
        for (row, left) in sums.iter_mut().zip(lefts) {
            let left = simd.splat_f32s(*left);
            for (sum, weight) in row.iter_mut().zip(weights) {
                *sum = simd.mul_add_e_f32s(left, *weight, *sum);
            }
        }
    }
    for (r, row) in sums.iter().enumerate() {
        let mut values = [0.0; PANEL];
        S::as_mut_simd_f32s(&mut values).0.copy_from_slice(row);
        target.write(r, &values);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(left: &[f32], right: &[f32], bias: &[f32], depth: usize) -> Vec<f32> {
        let columns = bias.len();
        let mut out = Vec::new();
        for row in left.chunks_exact(depth) {
            for c in 0..columns {
                let dot: f64 = (0..depth).map(|d| f64::from(row[d]) * f64::from(right[c * depth + d])).sum();
                out.push((dot + f64::from(bias[c])) as f32);
            }
        }
        out
    }

    fn panels(right: &[f32], bias: &[f32], depth: usize) -> Panels {
        let mut panels = Panels::zeros(depth, bias.len());
        panels.set_columns(0, Rows::whole(right, depth));
        panels.set_bias(0, bias);
        panels
    }

    fn product(left: &[f32], panels: &Panels) -> Vec<f32> {
        let mut out = vec![f32::NAN; left.len() / panels.depth() * panels.columns()];
        let rows = RowsMut::whole(&mut out, panels.columns());
        multiply(Rows::whole(left, panels.depth()), panels, rows, Write::Set, &mut Vec::new());
        out
    }

    fn shape() -> impl Strategy<Value = (usize, Vec<f32>, Vec<f32>, Vec<f32>)> {
        (1usize..30, 1usize..70, 1usize..100).prop_flat_map(|(rows, depth, columns)| {
            let numbers = |n| prop::collection::vec(-2.0f32..2.0, n);
            (Just(depth), numbers(rows * depth), numbers(columns * depth), numbers(columns))
        })
    }

    proptest! {
        #[test]
        fn equals_the_naive_product_on_any_shape((depth, left, right, bias) in shape()) {
            let found = product(&left, &panels(&right, &bias, depth));
            for (found, expected) in found.iter().zip(naive(&left, &right, &bias, depth)) {
                prop_assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
        }

        #[test]
        fn a_row_does_not_depend_on_its_neighbours((depth, left, right, bias) in shape()) {
            let panels = panels(&right, &bias, depth);
            let together = product(&left, &panels);
            for (row, expected) in left.chunks_exact(depth).zip(together.chunks_exact(bias.len())) {
                prop_assert_eq!(product(row, &panels), expected);
            }
        }
    }

    #[test]
    fn adds_to_a_window_of_a_wider_matrix_and_leaves_the_rest() {
        let panels = panels(&[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0], 2);
        let left = [9.0, 1.0, 1.0, 9.0, 2.0, 0.0];
        let mut out = vec![100.0; 8];
        let rows = RowsMut::window(&mut out, 4, 1, 2);
        multiply(Rows::window(&left, 3, 1, 2), &panels, rows, Write::Add, &mut Vec::new());
        assert_eq!(out, [100.0, 113.0, 127.0, 100.0, 100.0, 112.0, 126.0, 100.0]);
    }
}
