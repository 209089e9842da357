//! A turn is about what is said around it.

use super::ByLength;

/// How many places away a neighbour may stand.
pub const REACH: usize = 2;

/// How the words of its neighbours count for a turn.
///
/// A turn and its neighbours are fields of one text (Robertson, Zaragoza and Taylor 2004): their counts
/// of a term are weighted and added before they are saturated, so that what two of them say counts
/// less than twice. A short turn leans on what is said around it; a long one says what it is about:
/// so a turn takes its [`Context::openness`] of the weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Context {
    /// Weights of the turns one and two places away, before and after, in the same session; not negative.
    pub weights: [f64; REACH],
    /// Terms at which a turn takes half of what others lend, above 0; without end, every turn takes all.
    pub half_length: f64,
}

impl Context {
    /// Every turn for itself.
    pub const NONE: Context = Context { weights: [0.0; REACH], half_length: f64::INFINITY };

    /// Whether neighbours count.
    pub fn is_used(self) -> bool {
        self.weights.iter().any(|&weight| weight > 0.0)
    }

    /// What a text of so many terms takes of what others lend it, in (0, 1]: `(1 + (sqrt(2) - 1) n / half)^-2`.
    pub fn openness(self, terms: u32) -> f64 {
        // It falls with the square: the longest turns should take next to nothing.
        (1.0 + (std::f64::consts::SQRT_2 - 1.0) * f64::from(terms) / self.half_length).powi(-2)
    }

    /// [`Context::openness`] of texts of so many terms each.
    pub fn openness_of(self, terms: &[u32]) -> Vec<f64> {
        let openness = ByLength::new(terms.len(), |terms| self.openness(terms));
        terms.iter().map(|&terms| openness.at(terms)).collect()
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
        let context = Context { weights: [0.5, 0.25], ..Context::NONE };
        assert_eq!(context.distances().collect::<Vec<_>>(), [(-1, 0.5), (1, 0.5), (-2, 0.25), (2, 0.25)]);
        assert!(Context::NONE.distances().next().is_none());
    }

    #[test]
    fn a_long_turn_takes_less() {
        let context = Context { half_length: 20.0, ..Context::NONE };
        assert_eq!(context.openness(0), 1.0);
        assert!((context.openness(20) - 0.5).abs() < 1e-12 && context.openness(200) < 0.04);
        assert_eq!(Context::NONE.openness(u32::MAX), 1.0);
    }
}
