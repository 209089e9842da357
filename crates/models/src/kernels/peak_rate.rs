//! The peak rate of one core: the instruction of a product on registers, but for one word a step.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use super::{
    Arithmetic,
    dot::{Dot, Product},
    simd::Simd,
};

/// Rows and columns of the tile: more sums than an instruction takes cycles, twice over, and few enough to stay in registers.
const TILE: [usize; 2] = [6, 2];

/// Rows of the tile where words are multiplied in pairs, which takes registers of its own.
const ROWS_IN_PAIRS: usize = 4;

/// Steps between two looks at the clock.
const STEPS: usize = 200_000;

/// Steps of vectors in the time of a step of tiles, about: looks at the clock are as far apart with both.
const TILE_STEPS: usize = 20;

struct Spin<'a> {
    steps: usize,
    /// Multiply-adds that were done.
    done: &'a mut usize,
}

impl Product for Spin<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        if let Some(tiles) = dot.tiles() {
            *self.done += tiles.spin(self.steps / TILE_STEPS);
            return;
        }
        // Bit patterns that are small numbers in every encoding, unknown to the compiler.
        let words = black_box([0x3c00_3c00_u32; TILE[1] * 16]);
        let columns: [_; TILE[1]] = std::array::from_fn(|c| dot.load(&D::Simd::words(&words)[c]));
        let mut sums = [[dot.zero(); TILE[1]]; TILE[0]];
        for _ in 0..self.steps {
            // Other ones at every step, for all the compiler knows, and another pair for every sum: nothing can be
            // worked out once for all of them.
            let words = black_box(&words);
            if D::IN_PAIRS {
                for (sums, [first, second]) in sums.iter_mut().zip(words.as_chunks().0).take(ROWS_IN_PAIRS) {
                    let rows = [dot.splat(*first), dot.splat(*second)];
                    sums[0] = dot.dot_two(sums[0], rows, columns);
                    sums[1] = dot.dot_two(sums[1], rows, [columns[1], columns[0]]);
                }
                continue;
            }
            let rows: &[u32; TILE[0]] = words.first_chunk().unwrap_or(&[0; TILE[0]]);
            for (sums, row) in sums.iter_mut().zip(rows) {
                let row = dot.splat(*row);
                for (sum, columns) in sums.iter_mut().zip(&columns) {
                    *sum = dot.dot(*sum, row, *columns);
                }
            }
        }
        let mut out = [0; 16];
        for sum in sums.into_iter().flatten() {
            dot.store(sum, &mut D::Simd::words_mut(&mut out)[0]);
            black_box(&out);
        }
        let words = if D::IN_PAIRS { ROWS_IN_PAIRS * TILE[1] * 2 } else { TILE[0] * TILE[1] };
        *self.done += self.steps * words * D::Simd::LANES * D::ENCODING.depth();
    }
}

impl Arithmetic {
    /// Multiply-adds a second of one core whose operands are all in registers, the best of runs within `time`.
    pub(crate) fn peak(self, time: Duration) -> f64 {
        let (begin, mut best) = (Instant::now(), 0.0f64);
        while begin.elapsed() < time {
            let start = Instant::now();
            let mut done = 0;
            self.run(Spin { steps: STEPS, done: &mut done });
            best = best.max(done as f64 / start.elapsed().as_secs_f64());
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::arithmetics;

    #[test]
    fn every_kernel_does_some_million_a_second() {
        for arithmetic in arithmetics() {
            assert!(arithmetic.peak(Duration::from_millis(1)) > 1e6, "{arithmetic:?}");
        }
    }
}
