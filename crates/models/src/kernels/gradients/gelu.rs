//! GELU with its derivative, Phi(x) + x phi(x).

use crate::kernels::{
    exp::exp,
    gelu::erf_of_scaled,
    simd::{Family, Kernel, Simd, fma},
};

/// Puts the GELU of each number in its place and the slope there into `slopes`.
pub(crate) fn gelu_with_slopes(family: Family, values: &mut [f32], slopes: &mut [f32]) {
    family.run(GeluWithSlopes { values, slopes });
}

struct GeluWithSlopes<'a> {
    values: &'a mut [f32],
    slopes: &'a mut [f32],
}

impl Kernel for GeluWithSlopes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        /// 1 / sqrt(2 pi)
        const DENSITY: f32 = 0.398_942_3;
        for (value, slope) in self.values.iter_mut().zip(self.slopes) {
            let x = *value;
            let below = fma::<S>(0.5, erf_of_scaled::<S>(x), 0.5);
            *value = x * below;
            *slope = fma::<S>(x * DENSITY, exp::<S>(-0.5 * x * x), below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::testing::families;

    #[test]
    fn the_slope_is_that_of_the_value() {
        for family in families() {
            let at = |x: f32| {
                let (mut value, mut slope) = ([x], [0.0]);
                gelu_with_slopes(family, &mut value, &mut slope);
                (f64::from(value[0]), f64::from(slope[0]))
            };
            assert!((at(1.0).0 - 0.841_344_746).abs() < 1e-6);
            for i in -50..=50 {
                let x = i as f32 * 0.1;
                let (step, slope) = (0.01, at(x).1);
                let difference = (at(x + step as f32).0 - at(x - step as f32).0) / (2.0 * step);
                assert!((difference - slope).abs() < 2e-4, "{x}: {difference} {slope}");
            }
        }
    }
}
