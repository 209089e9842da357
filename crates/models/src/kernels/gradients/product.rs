//! Products of matrices of which one changes from step to step, so that packing it would not pay.

use crate::kernels::simd::{Family, Kernel, Simd, fma};

/// Rows, and depths, that a tile takes together.
const TILE: usize = 4;

/// The left-hand side of a product: `data[row * row_step + depth * depth_step]`.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) row_step: usize,
    pub(crate) depth_step: usize,
}

impl<'a> Left<'a> {
    /// Rows of `depth` numbers, one after the other.
    pub(crate) fn rows(data: &'a [f32], depth: usize) -> Self {
        Self { data, row_step: depth, depth_step: 1 }
    }

    /// The transpose of rows of `width` numbers, one after the other.
    pub(crate) fn transposed(data: &'a [f32], width: usize) -> Self {
        Self { data, row_step: 1, depth_step: width }
    }
}

/// Adds `left * right` to `out`.
///
/// `right` is `[depth, columns]` and `out` `[rows, columns]`; both numbers of columns are `columns`, from 1.
pub(crate) fn add_product(family: Family, left: Left<'_>, right: &[f32], columns: usize, out: &mut [f32]) {
    family.run(Product { left, right, columns, out });
}

struct Product<'a> {
    left: Left<'a>,
    right: &'a [f32],
    columns: usize,
    out: &'a mut [f32],
}

impl Kernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { left, right, columns, out } = self;
        let at = |row: usize, depth: usize| left.data[row * left.row_step + depth * left.depth_step];
        let mut rows = out.chunks_exact_mut(columns * TILE);
        let mut row = 0;
        for tile in &mut rows {
            let (first, rest) = tile.split_at_mut(columns);
            let (second, rest) = rest.split_at_mut(columns);
            let (third, fourth) = rest.split_at_mut(columns);
            for (k, right) in right.chunks(columns * TILE).enumerate() {
                for (r, out) in [&mut *first, &mut *second, &mut *third, &mut *fourth].into_iter().enumerate() {
                    add_rows::<S>(|depth| at(row + r, k * TILE + depth), right, columns, out);
                }
            }
            row += TILE;
        }
        for out in rows.into_remainder().chunks_exact_mut(columns) {
            for (k, right) in right.chunks(columns * TILE).enumerate() {
                add_rows::<S>(|depth| at(row, k * TILE + depth), right, columns, out);
            }
            row += 1;
        }
    }
}

/// Adds up to [`TILE`] weighted rows to one.
#[inline(always)]
fn add_rows<S: Simd>(weight: impl Fn(usize) -> f32, rows: &[f32], columns: usize, out: &mut [f32]) {
    if rows.len() == TILE * columns {
        let weights: [f32; TILE] = std::array::from_fn(&weight);
        let (first, rest) = rows.split_at(columns);
        let (second, rest) = rest.split_at(columns);
        let (third, fourth) = rest.split_at(columns);
        for ((((out, a), b), c), d) in out.iter_mut().zip(first).zip(second).zip(third).zip(fourth) {
            let low = fma::<S>(weights[0], *a, fma::<S>(weights[1], *b, *out));
            *out = fma::<S>(weights[2], *c, fma::<S>(weights[3], *d, low));
        }
        return;
    }
    for (depth, row) in rows.chunks_exact(columns).enumerate() {
        let weight = weight(depth);
        out.iter_mut().zip(row).for_each(|(out, value)| *out = fma::<S>(weight, *value, *out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::families;

    #[test]
    fn equals_the_definition() {
        let value = |i: usize| ((i * 37) % 19) as f32 - 9.0;
        for family in families() {
            for (rows, depth, columns) in [(1, 1, 1), (3, 5, 2), (4, 4, 33), (9, 7, 17), (5, 12, 64)] {
                let left: Vec<f32> = (0..rows * depth).map(value).collect();
                let right: Vec<f32> = (0..depth * columns).map(|i| value(i + 3)).collect();
                let mut transposed = vec![0.0; rows * depth];
                (0..rows * depth).for_each(|i| transposed[i % depth * rows + i / depth] = left[i]);
                for left_side in [Left::rows(&left, depth), Left::transposed(&transposed, rows)] {
                    let mut out = vec![1.0; rows * columns];
                    add_product(family, left_side, &right, columns, &mut out);
                    for (i, found) in out.iter().enumerate() {
                        let sum: f32 =
                            (0..depth).map(|k| left[i / columns * depth + k] * right[k * columns + i % columns]).sum();
                        assert_eq!(*found, sum + 1.0, "{rows} x {depth} x {columns}: {i}");
                    }
                }
            }
        }
    }
}
