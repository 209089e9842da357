//! A turn is about what is said around it.

/// How far away a neighbour may stand.
const REACH: usize = 2;

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

    /// Calls `lent` with each turn of one session and what its neighbours lend it of their `lengths`, openness aside.
    ///
    /// The sum over [`Context::distances`], for whole histories: no turn is looked up more often than it must be.
    pub fn lend(self, turns: &[u32], lengths: impl Fn(u32) -> f64, mut lent: impl FnMut(u32, f64)) {
        let [near, far] = self.weights;
        let at = |place: usize| turns.get(place).map_or(0.0, |&turn| lengths(turn));
        // Lengths of the two before, the turn itself and the two after; 0 beyond the edges.
        let mut window = [0.0, 0.0, 0.0, at(0), at(1)];
        for (place, &turn) in turns.iter().enumerate() {
            window.rotate_left(1);
            window[4] = at(place + 2);
            let [second_before, before, _, after, second_after] = window;
            lent(turn, near * (before + after) + far * (second_before + second_after));
        }
    }

    /// Distances of the neighbours that count, on both sides, each with its weight.
    pub fn distances(self) -> impl Iterator<Item = (i32, f64)> {
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
    fn what_is_lent_is_the_sum_of_what_is_around() {
        let context = Context { weights: [0.5, 0.25], ..Context::NONE };
        for turns in [&[][..], &[3], &[3, 1], &[0, 1, 2, 3, 4, 5]] {
            let length = |turn: u32| f64::from(turn * turn + 1);
            let mut found = Vec::new();
            context.lend(turns, length, |turn, lent| found.push((turn, lent)));
            let at = |place: usize, distance| Some(length(*turns.get(place.checked_add_signed(distance as isize)?)?));
            let sum = |place| {
                context.distances().map(|(distance, weight)| weight * at(place, distance).unwrap_or(0.0)).sum::<f64>()
            };
            let expected: Vec<(u32, f64)> = (0..turns.len()).map(|place| (turns[place], sum(place))).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_long_turn_takes_less() {
        let context = Context { half_length: 20.0, ..Context::NONE };
        assert_eq!(context.openness(0), 1.0);
        assert!((context.openness(20) - 0.5).abs() < 1e-12 && context.openness(200) < 0.04);
        assert_eq!(Context::NONE.openness(u32::MAX), 1.0);
    }
}
