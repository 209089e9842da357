//! The exponential function as a short chain of vectorisable steps.

use super::simd::{Simd, fma};

/// `e^x` for x in -87..=88, relative error below 3e-7; below -87 the value at -87, which is 1.6e-38.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2, then the Taylor series of e^r to the seventh power.
#[inline(always)]
pub(super) fn exp<S: Simd>(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts; the first has few enough bits that n * LN2_HIGH is exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const TAYLOR: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

    let x = x.clamp(-87.0, 88.0);
    let shifted = fma::<S>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<S>(n, -LN2_LOW, fma::<S>(n, -LN2_HIGH, x));
    let series = TAYLOR.iter().fold(1.0 / 5040.0, |series, term| fma::<S>(series, r, *term));
    let power = f32::from_bits(shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23);
    series * power
}

#[cfg(test)]
mod tests {
    use super::{super::testing::families, *};
    use crate::kernels::simd::Kernel;

    struct Exp<'a>(&'a mut [f32]);

    impl Kernel for Exp<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            self.0.iter_mut().for_each(|x| *x = exp::<S>(*x));
        }
    }

    #[test]
    fn is_within_a_few_units_in_the_last_place() {
        let xs: Vec<f32> = (-870_000..880_000).map(|i| i as f32 * 1e-4).collect();
        for family in families() {
            let mut found = xs.clone();
            family.run(Exp(&mut found));
            for (x, found) in xs.iter().zip(found) {
                let expected = f64::from(*x).exp();
                let error = (f64::from(found) - expected).abs() / expected;
                assert!(error < 3e-7, "{x}: {error}");
            }
            let mut ends = [0.0, f32::NEG_INFINITY, f32::NAN];
            family.run(Exp(&mut ends));
            assert!(ends[0] == 1.0 && ends[1] < 2e-38 && ends[2].is_nan(), "{ends:?}");
        }
    }
}
