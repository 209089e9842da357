//! The exponential function as a short chain of vectorisable steps.

use super::simd::{Simd, fma};

/// The Taylor series of e^r, from the term of r^7 to that of 1.
const TAYLOR: [f32; 8] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// `e^x` for x in -87..=88, relative error below 3e-7; below -87 the value at -87, which is 1.6e-38.
#[inline(always)]
pub(super) fn exp<S: Simd>(x: f32) -> f32 {
    by_series::<S>(x, &TAYLOR)
}

/// [`exp`] with a relative error below 6e-5: for values that are rounded to fewer bits anyway.
#[inline(always)]
pub(super) fn exp_close<S: Simd>(x: f32) -> f32 {
    by_series::<S>(x, &TAYLOR[3..])
}

/// x = n ln 2 + r with |r| <= ln 2 / 2, then a series for e^r.
#[inline(always)]
fn by_series<S: Simd>(x: f32, series: &[f32]) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts; the first has few enough bits that n * LN2_HIGH is exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;

    let x = x.clamp(-87.0, 88.0);
    let shifted = fma::<S>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fma::<S>(n, -LN2_LOW, fma::<S>(n, -LN2_HIGH, x));
    let value = series.iter().fold(0.0, |value, term| fma::<S>(value, r, *term));
    let power = f32::from_bits(shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23);
    value * power
}

#[cfg(test)]
mod tests {
    use super::{super::testing::families, *};
    use crate::kernels::simd::Kernel;

    struct Exp<'a> {
        values: &'a mut [f32],
        close: bool,
    }

    impl Kernel for Exp<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            self.values.iter_mut().for_each(|x| *x = if self.close { exp_close::<S>(*x) } else { exp::<S>(*x) });
        }
    }

    #[test]
    fn both_are_as_close_as_they_say() {
        let xs: Vec<f32> = (-870_000..880_000).map(|i| i as f32 * 1e-4).collect();
        for (family, (close, bound)) in families().flat_map(|family| [(family, (false, 3e-7)), (family, (true, 6e-5))])
        {
            let mut found = xs.clone();
            family.run(Exp { values: &mut found, close });
            for (x, found) in xs.iter().zip(found) {
                let expected = f64::from(*x).exp();
                let error = (f64::from(found) - expected).abs() / expected;
                assert!(error < bound, "{x}: {error}");
            }
            let mut ends = [0.0, f32::NEG_INFINITY, f32::NAN];
            family.run(Exp { values: &mut ends, close });
            assert!(ends[0] == 1.0 && ends[1] < 2e-38 && ends[2].is_nan(), "{ends:?}");
        }
    }
}
