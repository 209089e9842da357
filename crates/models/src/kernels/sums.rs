//! Sums in sixteen lanes, an order that every instruction set can follow.

const LANES: usize = 16;

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
    let tail: f32 = tail.iter().map(|value| term(*value)).sum();
    lanes.iter().sum::<f32>() + tail
}
