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

/// Sums kept at once: more than an instruction takes cycles, twice over, and few enough to stay in registers.
const SUMS: usize = 12;

/// Steps between two looks at the clock.
const STEPS: usize = 200_000;

struct Spin {
    steps: usize,
}

impl Product for Spin {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        // Bit patterns that are small numbers in every encoding, unknown to the compiler.
        let words = black_box([0x3c00_3c00_u32; 16]);
        let columns = dot.load(&D::Simd::words(&words)[0]);
        let mut sums = [dot.zero(); SUMS];
        for _ in 0..self.steps {
            // Another one at every step, for all the compiler knows: nothing can be worked out once for all of them.
            let row = dot.splat(*black_box(&words[0]));
            for sum in &mut sums {
                *sum = dot.dot(*sum, row, columns);
            }
        }
        let mut out = [0; 16];
        for sum in sums {
            dot.store(sum, &mut D::Simd::words_mut(&mut out)[0]);
            black_box(&out);
        }
    }
}

/// Multiply-adds that a step of [`Spin`] does.
struct Width<'a>(&'a mut usize);

impl Product for Width<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, _: D) {
        *self.0 = SUMS * D::Simd::LANES * D::ENCODING.depth();
    }
}

impl Arithmetic {
    /// Multiply-adds a second of one core whose operands are all in registers, the best of runs within `time`.
    pub(crate) fn peak(self, time: Duration) -> f64 {
        let mut width = 0;
        self.run(Width(&mut width));
        let (begin, mut best) = (Instant::now(), 0.0f64);
        while begin.elapsed() < time {
            let start = Instant::now();
            self.run(Spin { steps: STEPS });
            best = best.max((width * STEPS) as f64 / start.elapsed().as_secs_f64());
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
