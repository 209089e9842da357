//! The neighbours of a turn count for it.

use super::LengthCache;

/// How many places away a neighbour may stand.
pub const REACH: usize = 2;

/// How the words of its neighbours count for a turn.
///
/// A turn and its neighbours are fields of one text (Robertson, Zaragoza and Taylor 2004): their counts of a term are
/// weighted and added before they are saturated, so that what two of them say counts less than twice. Neighbours are
/// weighted down as the turn gets longer, by [`Neighbours::context_weight`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// Weights of the turns one and two places away, before and after, in the same session; not negative.
    pub weights: [f64; REACH],
    /// Terms at which neighbours count half, above 0; with infinity they count in full for every turn.
    pub half_length: f64,
}

impl Neighbours {
    /// Neighbours do not count.
    pub const NONE: Neighbours = Neighbours { weights: [0.0; REACH], half_length: f64::INFINITY };

    /// Whether neighbours count.
    pub fn is_used(self) -> bool {
        self.weights.iter().any(|&weight| weight > 0.0)
    }

    /// Weight of the neighbours of a text of so many terms, in (0, 1]: `(1 + (sqrt(2) - 1) n / half)^-2`.
    pub fn context_weight(self, terms: u32) -> f64 {
        // It falls with the square: the longest turns should take next to nothing.
        (1.0 + (std::f64::consts::SQRT_2 - 1.0) * f64::from(terms) / self.half_length).powi(-2)
    }

    /// [`Neighbours::context_weight`] of texts of so many terms each.
    pub fn context_weights(self, terms: &[u32]) -> Vec<f64> {
        let context_weight = LengthCache::new(terms.len(), |terms| self.context_weight(terms));
        terms.iter().map(|&terms| context_weight.at(terms)).collect()
    }

    /// Distances of the neighbours that count, on both sides, each with its weight.
    pub fn distances(self) -> impl Iterator<Item = (isize, f64)> {
        (1..).zip(self.weights).filter(|&(_, weight)| weight > 0.0).flat_map(|(d, weight)| [(-d, weight), (d, weight)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_count_alike() {
        let context = Neighbours { weights: [0.5, 0.25], ..Neighbours::NONE };
        assert_eq!(context.distances().collect::<Vec<_>>(), [(-1, 0.5), (1, 0.5), (-2, 0.25), (2, 0.25)]);
        assert!(Neighbours::NONE.distances().next().is_none());
    }

    #[test]
    fn a_long_turn_takes_less() {
        let context = Neighbours { half_length: 20.0, ..Neighbours::NONE };
        assert_eq!(context.context_weight(0), 1.0);
        assert!((context.context_weight(20) - 0.5).abs() < 1e-12 && context.context_weight(200) < 0.04);
        assert_eq!(Neighbours::NONE.context_weight(u32::MAX), 1.0);
    }
}
