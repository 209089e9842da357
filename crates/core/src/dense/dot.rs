//! Dot products, written so that the compiler uses vector registers.

/// Independent partial sums: enough for one 512-bit register.
const LANES: usize = 16;

/// `sum a[i] * b[i]` over the common length, in f32.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (heads_a, tail_a) = a.as_chunks::<LANES>();
    let (heads_b, tail_b) = b.as_chunks::<LANES>();
    for (a, b) in heads_a.iter().zip(heads_b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let tail: f32 = tail_a.iter().zip(tail_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + tail
}

/// `sum a[i] * b[i]` of 8-bit codes, exact.
pub(super) fn dot_codes(a: &[i8], b: &[i8]) -> i32 {
    let mut sums = [0i32; LANES];
    let (heads_a, tail_a) = a.as_chunks::<LANES>();
    let (heads_b, tail_b) = b.as_chunks::<LANES>();
    for (a, b) in heads_a.iter().zip(heads_b) {
        for lane in 0..LANES {
            sums[lane] += i32::from(i16::from(a[lane]) * i16::from(b[lane]));
        }
    }
    let tail: i32 = tail_a.iter().zip(tail_b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sums.iter().sum::<i32>() + tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_the_plain_sum(pairs in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 0..100)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - plain).abs() < 1e-4);
        }

        #[test]
        fn codes_are_exact(pairs in prop::collection::vec((-127i8..=127, -127i8..=127), 0..100)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.into_iter().unzip();
            let plain: i32 = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert_eq!(dot_codes(&a, &b), plain);
        }
    }
}
