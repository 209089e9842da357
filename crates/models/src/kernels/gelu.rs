//! The exact Gaussian error linear unit.

use pulp::{Arch, Simd, WithSimd};

use super::exp::exp;

/// Replaces each value x by x * Phi(x), Phi being the normal distribution function.
///
/// Absolute error below 1e-6 for |x| <= 10.
pub(crate) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(Gelu(values));
}

struct Gelu<'a>(&'a mut [f32]);

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for value in self.0 {
            *value = gelu_of(*value);
        }
    }
}

/// x * Phi(x) = x / 2 * (1 + erf(x / sqrt 2)), written with the complement
/// erfc(z) = t(a1 + t(a2 + ...)) * e^(-z^2), t = 1 / (1 + p z), for z >= 0:
/// Abramowitz and Stegun 7.1.26, |error| <= 1.5e-7.
#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    const P: f32 = 0.327_591_1;
    const A: [f32; 5] = [0.254_829_6, -0.284_496_72, 1.421_413_8, -1.453_152_1, 1.061_405_4];
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + P * z);
    let series = t * (A[0] + t * (A[1] + t * (A[2] + t * (A[3] + t * A[4]))));
    let upper_tail = 0.5 * series * exp(-z * z);
    let below = if x < 0.0 { upper_tail } else { 1.0 - upper_tail };
    x * below
}

#[cfg(test)]
mod tests {
    use super::gelu;

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
    fn is_within_a_millionth_of_the_exact_value() {
        let xs: Vec<f32> = (-100_000..=100_000).map(|i| i as f32 * 1e-4).collect();
        let mut found = xs.clone();
        gelu(&mut found);
        for (x, found) in xs.iter().zip(found) {
            let expected = f64::from(*x) * phi(f64::from(*x));
            assert!((f64::from(found) - expected).abs() < 1e-6, "{x}: {found} {expected}");
        }
    }

    #[test]
    fn far_tails_and_not_a_number() {
        let mut values = [-1e30, -40.0, 40.0, 1e30, f32::NAN];
        gelu(&mut values);
        assert!(values[0].abs() < 1e-6 && values[1].abs() < 1e-30);
        assert_eq!(values[2..4], [40.0, 1e30]);
        assert!(values[4].is_nan());
    }
}
