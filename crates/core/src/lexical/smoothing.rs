//! A turn is about what its neighbours say.

/// Share of its neighbours' scores that a turn gets (retrieval.md, lexical leg).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothing {
    /// Share of the turn before it in the session.
    pub previous: f64,
    /// Share of the turn after it.
    pub next: f64,
}

impl Smoothing {
    /// Every turn for itself.
    pub const NONE: Smoothing = Smoothing { previous: 0.0, next: 0.0 };

    /// `scores[t] + previous * scores[t-1] + next * scores[t+1]` for each turn of one session.
    ///
    /// `turns` are positions in `scores` in the order they were said.
    pub fn smooth(self, turns: &[u32], scores: &[f64], smoothed: &mut [f64]) {
        let at = |i: Option<usize>| i.and_then(|i| turns.get(i)).map_or(0.0, |&turn| scores[turn as usize]);
        for (i, &turn) in turns.iter().enumerate() {
            smoothed[turn as usize] =
                scores[turn as usize] + self.previous * at(i.checked_sub(1)) + self.next * at(Some(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_lend_and_edges_have_none() {
        let mut smoothed = [0.0; 4];
        Smoothing { previous: 0.5, next: 0.25 }.smooth(&[0, 2, 3], &[8.0, 100.0, 4.0, 0.0], &mut smoothed);
        assert_eq!(smoothed, [9.0, 0.0, 8.0, 2.0]);
    }
}
