//! Sums and other folds in many lanes, an order that every instruction set can follow.

/// Lanes of a fold: enough that one addition need not wait for the one before.
pub(super) const LANES: usize = 32;

/// The sum of `term` over `values`.
#[inline(always)]
pub(super) fn sum(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let (chunks, tail) = values.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += term(*value);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(tail) {
        *lane += term(*value);
    }
    across(lanes, |a, b| a + b)
}

/// The sum of the products of two rows of one length.
#[inline(always)]
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let ((chunks, tail), (of_right, rest)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let mut lanes = [0.0f32; LANES];
    for (left, right) in chunks.iter().zip(of_right) {
        for ((lane, left), right) in lanes.iter_mut().zip(left).zip(right) {
            *lane += left * right;
        }
    }
    for ((lane, left), right) in lanes.iter_mut().zip(tail).zip(rest) {
        *lane += left * right;
    }
    across(lanes, |a, b| a + b)
}

/// Folds lanes by halves.
#[inline(always)]
pub(super) fn across(mut lanes: [f32; LANES], fold: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = fold(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_counts_once() {
        for count in [0, 1, 31, 32, 33, 100] {
            let values: Vec<f32> = (1..=count).map(|i| i as f32).collect();
            assert_eq!(sum(&values, |x| 2.0 * x), (count * (count + 1)) as f32);
        }
        let lanes: [f32; LANES] = std::array::from_fn(|i| ((i * 7) % LANES) as f32);
        assert_eq!(across(lanes, |a, b| if a > b { a } else { b }), (LANES - 1) as f32);
    }
}
