//! The matrix product.
//!
//! Every component of the result is one chain of sums over the depth: it does
//! not depend on how many rows are multiplied at once, so a text has the same
//! vector alone and in any batch.

use super::{
    Activations, Aligned, RowsMut, Weights,
    activations::Range,
    cache::DepthSteps,
    dot::{Dot, Encoding, Product},
    gelu::{gelu_close, gelu_exact},
    row_blocks::blocks,
    simd::{Simd, fma},
    weights::{Columns, PANEL},
};

mod strips;
mod tiles;

/// What becomes of a product's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// It is written.
    Set,
    /// Its Gaussian error linear unit is written: within 1e-6 in f32, 2e-4 where inputs are rounded anyway.
    Gelu,
    /// It is added to what is there: the residual connection.
    Add,
}

/// `[rows, PANEL]`: sums of a panel's columns that are not complete yet.
pub(crate) type PartialSums = Aligned<u32>;

/// Computes `left * right + bias` into `out`, `[rows, columns]`.
pub(super) struct Multiply<'a> {
    pub(super) left: &'a Activations,
    pub(super) right: &'a Weights,
    pub(super) out: RowsMut<'a>,
    pub(super) finish: Finish,
    pub(super) sums: &'a mut PartialSums,
}

impl Product for Multiply<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        if let Some(tiles) = dot.tiles() {
            self.by_tiles::<D>(&tiles);
        } else if D::Simd::INTERLEAVED {
            self.by_panels(dot);
        } else {
            self.by_strips(dot);
        }
    }
}

impl Multiply<'_> {
    /// Tiles are a panel wide.
    #[inline(always)]
    fn by_panels<D: Dot>(mut self, dot: D) {
        let depth = self.right.word_depth();
        // Steps of equal length, so that none is short.
        let step = depth.div_ceil(number_of_parts(depth, DepthSteps::here().panel)).max(1);
        let padded: usize = blocks(self.left.rows(), D::ROWS, D::ROW_STEP).map(|(_, height)| height).sum();
        self.sums.resize(padded * PANEL);
        // Words that one block fetches at each depth, so that all blocks together fetch a part.
        let share = PANEL.div_ceil(padded.div_ceil(D::ROWS).max(1));
        for (p, (panel, columns)) in self.right.strips::<PANEL>().enumerate() {
            let mut from = 0;
            while from < depth {
                let to = (from + step).min(depth);
                let part = &panel[from * PANEL..to * PANEL];
                // The part of the weights that comes next is fetched while this one is multiplied, a share with every block.
                let mut ahead = Ahead { at: part.as_ptr_range().end, step: share };
                for (first, height) in blocks(self.left.rows(), D::ROWS, D::ROW_STEP) {
                    let block = &self.left.block(first, height)[from * height..to * height];
                    let sums = &mut self.sums.as_chunks_mut().0[first..first + height];
                    // Tiles fill the registers: 24 sums of 32.
                    match (<D::Simd as Simd>::LANES, height) {
                        (16, 8) => tile::<D, 8, 3>(dot, block, part, sums, &mut ahead, from > 0),
                        (16, _) => tile::<D, 4, 3>(dot, block, part, sums, &mut ahead, from > 0),
                        (_, 2) => tile::<D, 2, 12>(dot, block, part, sums, &mut ahead, from > 0),
                        _ => tile::<D, 1, 12>(dot, block, part, sums, &mut ahead, from > 0),
                    }
                    if to == depth {
                        self.write::<D, PANEL>(first, height, p * PANEL, columns);
                    }
                }
                from = to;
            }
        }
    }

    /// Writes the complete sums of a block, `W` columns from `column` on.
    #[inline(always)]
    fn write<D: Dot, const W: usize>(&mut self, first: usize, height: usize, column: usize, columns: Columns<'_, W>) {
        match (self.finish, D::ENCODING) {
            (Finish::Set, _) => self.write_as::<D, W>(first, height, column, columns, |_, value| value),
            (Finish::Add, _) => self.write_as::<D, W>(first, height, column, columns, |there, value| there + value),
            (Finish::Gelu, Encoding::F32) => {
                self.write_as::<D, W>(first, height, column, columns, |_, value| gelu_exact::<D::Simd>(value));
            }
            (Finish::Gelu, _) => {
                self.write_as::<D, W>(first, height, column, columns, |_, value| gelu_close::<D::Simd>(value));
            }
        }
    }

    /// Rows and columns beyond the output are dropped.
    #[inline(always)]
    fn write_as<D: Dot, const W: usize>(
        &mut self,
        first: usize,
        height: usize,
        column: usize,
        columns: Columns<'_, W>,
        put: impl Fn(f32, f32) -> f32,
    ) {
        let sums = &self.sums.as_chunks::<W>().0[first..first + height];
        for (i, sums) in (first..self.out.count()).zip(sums) {
            let range = self.left.range(i);
            let row = &mut self.out.row(i)[column..];
            if let Some(slots) = row.first_chunk_mut::<W>() {
                if D::Simd::INTERLEAVED {
                    for c in 0..W {
                        slots[c] = put(slots[c], number::<D, W>(sums[c], range, columns, c));
                    }
                } else {
                    // By way of arrays that nothing else can point to: a compiler for 8 lanes vectorises no others.
                    let (sums, there) = (*sums, *slots);
                    let mut values = [0.0; W];
                    for c in 0..W {
                        values[c] = put(there[c], number::<D, W>(sums[c], range, columns, c));
                    }
                    *slots = values;
                }
            } else {
                for (c, slot) in row.iter_mut().enumerate() {
                    *slot = put(*slot, number::<D, W>(sums[c], range, columns, c));
                }
            }
        }
    }
}

/// A sum as a number.
#[inline(always)]
fn number<D: Dot, const W: usize>(sum: u32, range: Range, columns: Columns<'_, W>, c: usize) -> f32 {
    if D::ENCODING.is_integer() {
        // sum of (low + scale * byte) * weight = low * (sum of weights) + scale * (sum of byte * weight)
        let rest = fma::<D::Simd>(range.low, columns.total[c], columns.bias[c]);
        // The sum of bytes * weights, the same whichever bytes were multiplied.
        let sum = match D::ENCODING {
            Encoding::Balanced | Encoding::SignedBytes => {
                sum.cast_signed() + range.offset + range.zero * columns.whole[c]
            }
            _ => sum.cast_signed(),
        };
        fma::<D::Simd>(range.scale * sum as f32, columns.scale[c], rest)
    } else {
        f32::from_bits(sum) + columns.bias[c]
    }
}

/// How many parts of at most `step` words a depth has: equal ones, so that none is short.
#[inline(always)]
fn number_of_parts(depth: usize, step: usize) -> usize {
    depth.div_ceil(step.max(1)).max(1)
}

/// Words that a prefetch fetches.
const LINE: usize = 16;

/// What is fetched at the next depth of a tile, and how many words further at the one after it.
struct Ahead {
    at: *const u32,
    step: usize,
}

/// Multiplies a block of `R` rows with part of a panel of `V` registers.
#[inline(always)]
fn tile<D: Dot, const R: usize, const V: usize>(
    dot: D,
    block: &[u32],
    panel: &[u32],
    sums: &mut [[u32; PANEL]],
    ahead: &mut Ahead,
    resume: bool,
) {
    // Of known length, so that the tile stays in registers.
    let Some(sums) = sums.first_chunk_mut::<R>() else { return };
    let mut tile = [[dot.zero(); V]; R];
    if resume {
        for (row, stored) in tile.iter_mut().zip(sums.iter()) {
            for (sum, words) in row.iter_mut().zip(D::Simd::words(stored)) {
                *sum = dot.resume(words);
            }
        }
    }
    for (rows, columns) in block.as_chunks::<R>().0.iter().zip(panel.as_chunks::<PANEL>().0) {
        let columns = D::Simd::words(columns);
        dot.simd().prefetch(ahead.at);
        if ahead.step > LINE {
            dot.simd().prefetch(ahead.at.wrapping_add(LINE));
        }
        if ahead.step > 2 * LINE {
            dot.simd().prefetch(ahead.at.wrapping_add(2 * LINE));
        }
        ahead.at = ahead.at.wrapping_add(ahead.step);
        // The fewer operands are held, the other ones pass by: there are registers for no more.
        if R > 1 && R <= V {
            let mut held = [dot.splat(0); R];
            for (register, word) in held.iter_mut().zip(rows) {
                *register = dot.splat(*word);
            }
            for (v, words) in columns.iter().enumerate().take(V) {
                let words = dot.load(words);
                for (row, word) in tile.iter_mut().zip(&held) {
                    row[v] = dot.dot(row[v], *word, words);
                }
            }
        } else {
            let mut held = [dot.splat(0); V];
            for (register, words) in held.iter_mut().zip(columns) {
                *register = dot.load(words);
            }
            for (row, word) in tile.iter_mut().zip(rows) {
                let word = dot.splat(*word);
                for (sum, columns) in row.iter_mut().zip(&held) {
                    *sum = dot.dot(*sum, word, *columns);
                }
            }
        }
    }
    for (row, stored) in tile.iter().zip(sums.iter_mut()) {
        for (sum, words) in row.iter().zip(D::Simd::words_mut(stored)) {
            dot.store(*sum, words);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Instructions, Precision,
        kernels::{
            Arithmetic, Rows,
            testing::{arithmetics, families_of},
        },
    };

    /// Rows, depth and columns; numbers for both sides and the bias.
    #[derive(Debug, Clone)]
    struct Case {
        depth: usize,
        left: Vec<f32>,
        right: Vec<f32>,
        bias: Vec<f32>,
    }

    impl Case {
        fn product(&self, arithmetic: Arithmetic, left: &[f32], finish: Finish) -> Vec<f32> {
            let columns = self.bias.len();
            let mut weights = arithmetic.weights(self.depth, columns);
            weights.set_columns(0, Rows::whole(&self.right, self.depth));
            weights.set_bias(0, &self.bias);
            let mut input = Activations::default();
            arithmetic.take(Rows::whole(left, self.depth), &mut input);
            let mut out = vec![0.25; left.len() / self.depth * columns];
            let rows = RowsMut::whole(&mut out, columns);
            arithmetic.multiply(&input, &weights, rows, finish, &mut PartialSums::default());
            out
        }

        /// The exact value of each component, and how far a precision may be from it.
        fn exact(&self, precision: Precision) -> Vec<(f64, f64)> {
            let mut out = Vec::new();
            for row in self.left.chunks_exact(self.depth) {
                let (low, high) = row.iter().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
                for (column, bias) in self.right.chunks_exact(self.depth).zip(&self.bias) {
                    let largest = column.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
                    // How far rounding may move a number of the row, and a weight.
                    let (of_row, of_weight) = match precision {
                        Precision::F32 => (0.0, 0.0),
                        Precision::Bf16 => (0.0, 0.0),
                        Precision::Int8 => (f64::from(high - low) / 510.0, f64::from(largest) / 254.0),
                    };
                    let (mut sum, mut slack) = (f64::from(*bias), 1e-4);
                    for (a, b) in row.iter().zip(column) {
                        let (a, b) = (f64::from(*a), f64::from(*b));
                        sum += a * b;
                        slack += of_row * b.abs() + of_weight * a.abs() + of_row * of_weight;
                        slack += (a * b).abs() * if precision == Precision::Bf16 { 1.0 / 128.0 } else { 1e-6 };
                    }
                    out.push((sum, slack));
                }
            }
            out
        }
    }

    fn cases() -> impl Strategy<Value = Case> {
        (1usize..30, 1usize..600, 1usize..80).prop_flat_map(|(rows, depth, columns)| {
            let numbers = |n| prop::collection::vec(-2.0f32..2.0, n);
            let case = move |(left, right, bias)| Case { depth, left, right, bias };
            (numbers(rows * depth), numbers(columns * depth), numbers(columns)).prop_map(case)
        })
    }

    fn portable(precision: Precision) -> Arithmetic {
        Arithmetic::new(precision, Instructions::Portable).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_kernel_is_as_close_to_the_exact_product_as_its_precision_allows(case in cases()) {
            for arithmetic in arithmetics() {
                let found = case.product(arithmetic, &case.left, Finish::Set);
                for (found, (expected, slack)) in found.iter().zip(case.exact(arithmetic.precision())) {
                    let error = (f64::from(*found) - expected).abs();
                    prop_assert!(error <= slack, "{arithmetic:?}: {found} {expected} {slack}");
                }
            }
        }

        #[test]
        fn every_kernel_equals_the_portable_one(case in cases()) {
            for arithmetic in arithmetics() {
                for finish in [Finish::Set, Finish::Add, Finish::Gelu] {
                    let expected = case.product(portable(arithmetic.precision()), &case.left, finish);
                    let found = case.product(arithmetic, &case.left, finish);
                    for (found, expected) in found.iter().zip(expected) {
                        let error = (found - expected).abs();
                        prop_assert!(error < 2e-4 + 1e-5 * expected.abs(), "{arithmetic:?}: {found} {expected}");
                    }
                }
            }
        }

        #[test]
        fn a_row_does_not_depend_on_its_neighbours(case in cases()) {
            for arithmetic in arithmetics() {
                let together = case.product(arithmetic, &case.left, Finish::Set);
                for (row, expected) in case.left.chunks_exact(case.depth).zip(together.chunks_exact(case.bias.len())) {
                    let alone = case.product(arithmetic, row, Finish::Set);
                    prop_assert_eq!(&alone, expected);
                }
            }
        }
    }

    /// Numbers that are bytes as they are: their range is 255 steps of 1, and weights have 127 steps of 1.
    fn whole_numbers() -> impl Strategy<Value = Case> {
        (1usize..12, 2usize..500, 1usize..70).prop_flat_map(|(rows, depth, columns)| {
            let of_rows = prop_oneof![Just(0i32), Just(255), 0..=255].prop_map(|step| step as f32);
            let of_columns = prop_oneof![Just(-127i32), Just(127), -127..=127].prop_map(|step| step as f32);
            let left = (prop::collection::vec(of_rows, rows * depth), -255i32..=0);
            (left, prop::collection::vec(of_columns, columns * depth)).prop_map(move |((mut left, low), mut right)| {
                for row in left.chunks_exact_mut(depth) {
                    (row[0], row[1]) = (0.0, 255.0);
                    row.iter_mut().for_each(|number| *number += low as f32);
                }
                right.chunks_exact_mut(depth).for_each(|column| column[0] = 127.0);
                Case { depth, left, right, bias: vec![0.0; columns] }
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn bytes_are_summed_exactly(case in whole_numbers()) {
            for arithmetic in families_of(Precision::Int8) {
                let found = case.product(arithmetic, &case.left, Finish::Set);
                let expected = case.exact(Precision::F32);
                for (found, (expected, _)) in found.iter().zip(expected) {
                    prop_assert_eq!(f64::from(*found), expected, "{:?}", arithmetic);
                }
            }
        }
    }

    #[test]
    fn nothing_by_something_is_nothing() {
        let case = Case { depth: 3, left: Vec::new(), right: vec![1.0; 12], bias: vec![0.0; 4] };
        for arithmetic in arithmetics() {
            assert!(case.product(arithmetic, &[], Finish::Set).is_empty());
        }
    }

    #[test]
    fn what_is_not_a_number_stays_visible() {
        for (left, right) in [(f32::NAN, 1.0), (f32::INFINITY, 1.0), (1.0, f32::NAN)] {
            let case = Case { depth: 2, left: vec![0.5, left], right: vec![0.5, right], bias: vec![0.0] };
            for arithmetic in arithmetics() {
                let found = case.product(arithmetic, &case.left, Finish::Set);
                assert!(!found[0].is_finite(), "{arithmetic:?}: {left} * {right} = {}", found[0]);
            }
        }
    }

    #[test]
    fn a_row_of_one_number_is_exact_in_bytes() {
        let case = Case { depth: 5, left: vec![3.5; 5], right: vec![1.0, -1.0, 1.0, 1.0, -1.0], bias: vec![0.5] };
        for arithmetic in arithmetics() {
            assert_eq!(case.product(arithmetic, &case.left, Finish::Set), [4.0], "{arithmetic:?}");
        }
    }
}
