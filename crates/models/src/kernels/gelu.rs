//! The Gaussian error linear unit, x * Phi(x), Phi being the normal distribution function.

use super::simd::{Simd, fma};

/// Error below 4e-7 of max(1, |x|) for |x| <= 10: a few roundings.
///
/// x * Phi(x) = x / 2 * (1 + erf(x / sqrt 2)), erf an odd rational function of degrees 13 and 8: the one of Eigen's
/// `generic_fast_erf_float`. Beyond 3.8, where erf is 1 to eight digits, it stays there: nearer to 4 the quotient wavers.
#[inline(always)]
pub(super) fn gelu_exact<S: Simd>(x: f32) -> f32 {
    let half = 0.5 * x;
    fma::<S>(half, erf_of_scaled::<S>(x), half)
}

/// erf(x / sqrt 2), for [`gelu_exact`].
#[inline(always)]
pub(super) fn erf_of_scaled<S: Simd>(x: f32) -> f32 {
    const END: f32 = 3.8;
    const P: [f32; 6] = [2.770_681_5e-8, -2.101_024e-6, -5.692_506_5e-5, -7.349_906_5e-4, -2.954_6e-3, -1.609_603_3e-2];
    const Q: [f32; 4] = [-2.133_740_6e-4, -1.682_826_9e-3, -7.373_329e-3, -1.426_473_9e-2];
    let z = (x * std::f32::consts::FRAC_1_SQRT_2).clamp(-END, END);
    let square = z * z;
    let above = z * P.iter().fold(-2.726_142e-10, |series, p| fma::<S>(series, square, *p));
    let below = Q.iter().fold(-1.456_607_2e-5, |series, q| fma::<S>(series, square, *q));
    above / below
}

/// Absolute error below 2e-4: for values that are rounded to fewer bits anyway.
///
/// Phi(x) - 1/2 as an odd polynomial, the one of degree 13 that minimises the largest error of x * Phi(x)
/// among those that reach 1/2 at 4 (by linear programming); beyond 4 it stays there.
#[inline(always)]
pub(super) fn gelu_close<S: Simd>(x: f32) -> f32 {
    const END: f32 = 4.0;
    const P: [f32; 6] = [-1.588_829_2e-6, 4.776_393e-5, -8.121_879_4e-4, 8.763_693e-3, -6.455_442e-2, 3.978_702_7e-1];
    let within = x.clamp(-END, END);
    let square = within * within;
    let series = P.iter().fold(2.258_824_6e-8, |series, p| fma::<S>(series, square, *p));
    x * fma::<S>(series, within, 0.5)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{simd::Kernel, testing::families},
        *,
    };

    struct Map<'a> {
        values: &'a mut [f32],
        exact: bool,
    }

    impl Kernel for Map<'_> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            for x in self.values {
                *x = if self.exact { gelu_exact::<S>(*x) } else { gelu_close::<S>(*x) };
            }
        }
    }

    /// Phi by the series of erf (small |x|) or Lentz-free continued fraction of erfc (large |x|), in f64.
    fn phi(x: f64) -> f64 {
        let z = x.abs() / std::f64::consts::SQRT_2;
        let erfc = if z < 2.5 {
            let (mut term, mut sum) = (z, z);
            for n in 1..200 {
                term *= -z * z / n as f64;
                sum += term / (2 * n + 1) as f64;
            }
            1.0 - 2.0 / std::f64::consts::PI.sqrt() * sum
        } else {
            let fraction = (1..200).rev().fold(z, |below, n| z + n as f64 / 2.0 / below);
            (-z * z).exp() / std::f64::consts::PI.sqrt() / fraction
        };
        if x < 0.0 { erfc / 2.0 } else { 1.0 - erfc / 2.0 }
    }

    #[test]
    fn the_reference_has_known_values() {
        for (x, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-2.0, 0.022_750_131_948_179), (4.0, 0.999_968_328_758_167)]
        {
            assert!((phi(x) - expected).abs() < 1e-14, "{x} {}", phi(x));
        }
    }

    #[test]
    fn both_are_as_close_as_they_say() {
        let xs: Vec<f32> = (-100_000..=100_000).map(|i| i as f32 * 1e-4).collect();
        for (family, (exact, bound)) in families().flat_map(|family| [(family, (true, 4e-7)), (family, (false, 2e-4))])
        {
            let mut found = xs.clone();
            family.run(Map { values: &mut found, exact });
            for (x, found) in xs.iter().zip(found) {
                let expected = f64::from(*x) * phi(f64::from(*x));
                let scale = if exact { f64::from(x.abs()).max(1.0) } else { 1.0 };
                assert!((f64::from(found) - expected).abs() < bound * scale, "{x}: {found} {expected}");
            }
        }
    }

    #[test]
    fn far_tails_and_not_a_number() {
        for (family, exact) in families().flat_map(|family| [(family, true), (family, false)]) {
            let mut values = [-1e30, -40.0, 40.0, 1e30, f32::NAN];
            family.run(Map { values: &mut values, exact });
            assert!(values[1].abs() < 1e-4 && values[4].is_nan(), "{values:?}");
            assert!((values[2] - 40.0).abs() < 1e-4, "{values:?}");
            assert!((values[3] / 1e30 - 1.0).abs() < 1e-5 && values[0].abs() < 1e25, "{values:?}");
        }
    }
}
