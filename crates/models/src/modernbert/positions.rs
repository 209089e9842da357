//! Rotary positions, and which tokens a window lets a token look at.
//!
//! Su et al. 2021, section 3.4.2, with the halves of a head's components as pairs, as transformers has them.

use crate::kernels::{Heads, ScoreBias};

/// The turns of queries and keys at every position: `[tokens, size / 2]` cosines and sines.
pub(super) struct Rotation {
    cosines: Vec<f32>,
    sines: Vec<f32>,
    half: usize,
}

impl Rotation {
    /// The turns of `tokens` positions in heads of `size` components, an even number, over a base `theta`.
    ///
    /// Angles are in single precision, as the models were trained.
    pub(super) fn new(tokens: usize, size: usize, theta: f64) -> Self {
        let half = size / 2;
        let frequencies: Vec<f32> =
            (0..half).map(|c| (1.0 / theta.powf(2.0 * c as f64 / size as f64)) as f32).collect();
        let angles = (0..tokens).flat_map(|token| frequencies.iter().map(move |frequency| token as f32 * frequency));
        let (cosines, sines) =
            angles.map(|angle| (f64::from(angle).cos() as f32, f64::from(angle).sin() as f32)).unzip();
        Self { cosines, sines, half }
    }

    /// Turns the queries and keys of one text, `[tokens, 3, size, heads]`.
    pub(super) fn turn(&self, query_key_value: &mut [f32], heads: Heads) {
        let width = heads.count * heads.size;
        for (token, row) in query_key_value.chunks_exact_mut(3 * width).enumerate() {
            let turns = token * self.half..(token + 1) * self.half;
            let (cosines, sines) = (&self.cosines[turns.clone()], &self.sines[turns]);
            for part in row[..2 * width].chunks_exact_mut(width) {
                let (first, second) = part.split_at_mut(self.half * heads.count);
                let pairs = first.chunks_exact_mut(heads.count).zip(second.chunks_exact_mut(heads.count));
                for ((first, second), (cosine, sine)) in pairs.zip(cosines.iter().zip(sines)) {
                    for (a, b) in first.iter_mut().zip(second) {
                        (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
                    }
                }
            }
        }
    }
}

/// What keeps a token from looking beyond its window: minus infinity for keys too far away.
pub(super) struct Window {
    /// `[2 longest - 1, heads]`
    table: Vec<f32>,
    longest: usize,
}

impl Window {
    /// A window of `half` tokens on both sides for texts of up to `longest` tokens; `None` where it holds every text.
    pub(super) fn new(half: usize, heads: usize, longest: usize) -> Option<Self> {
        let at = |distance: isize| if distance.unsigned_abs() <= half { 0.0 } else { f32::NEG_INFINITY };
        let span = longest as isize;
        let table = || (1 - span..span).flat_map(|distance| std::iter::repeat_n(at(distance), heads)).collect();
        (half + 1 < longest).then(|| Self { table: table(), longest })
    }

    /// What attention adds to the scores of a text of `tokens` tokens; `None` where that is nothing.
    pub(super) fn of(&self, tokens: usize, half: usize) -> Option<ScoreBias<'_>> {
        (half + 1 < tokens).then_some(ScoreBias { table: &self.table, reach: self.longest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_and_a_key_turned_alike_keep_their_product_at_every_distance() {
        let heads = Heads { count: 3, size: 4 };
        let rotation = Rotation::new(40, heads.size, 100.0);
        // The same query and key at every place.
        let row: Vec<f32> = (0..36).map(|i| ((i * 7) % 11) as f32 * 0.3 - 1.0).collect();
        let mut rows = row.repeat(40);
        rotation.turn(&mut rows, heads);
        let product = |query: usize, key: usize, head: usize| -> f32 {
            (0..4).map(|c| rows[query * 36 + c * 3 + head] * rows[key * 36 + 12 + c * 3 + head]).sum()
        };
        for head in 0..3 {
            assert!((product(3, 1, head) - product(39, 37, head)).abs() < 1e-4, "{head}");
            assert!((product(3, 1, head) - product(3, 2, head)).abs() > 1e-2, "{head}");
        }
        assert_eq!(rows[39 * 36 + 24..], row[24..], "values are not turned");
    }

    #[test]
    fn turns_by_hand() {
        // One head of two components at position 2: an angle of 2.
        let (heads, rotation) = (Heads { count: 1, size: 2 }, Rotation::new(3, 2, 100.0));
        let mut rows = vec![0.0; 18];
        rows[12..16].copy_from_slice(&[1.0, 0.5, -2.0, 3.0]);
        rotation.turn(&mut rows, heads);
        let (cosine, sine) = (2f32.cos(), 2f32.sin());
        let expected =
            [cosine - 0.5 * sine, 0.5 * cosine + sine, -2.0 * cosine - 3.0 * sine, 3.0 * cosine - 2.0 * sine];
        for (found, expected) in rows[12..16].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn a_window_reaches_as_far_on_both_sides_and_no_further() {
        let window = Window::new(2, 1, 6).unwrap();
        let bias = window.of(6, 2).unwrap();
        let at = |query: usize, key: usize| bias.table[bias.reach - 1 + key - query];
        assert_eq!([at(3, 1), at(3, 5), at(0, 2)], [0.0; 3]);
        assert_eq!([at(3, 0), at(0, 3), at(5, 0)], [f32::NEG_INFINITY; 3]);
        assert!(window.of(3, 2).is_none() && Window::new(2, 1, 3).is_none());
    }
}
