//! Coordinate ascent over the configurations of a system.

use std::collections::BTreeMap;

/// A search is stopped after so many passes over the sets; two to four are usual.
pub const PASSES: usize = 20;

/// Sums in another order must not break a tie.
pub(super) const TOLERANCE: f64 = 1e-9;

/// Where a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ascent {
    /// The place of the value of each set.
    pub configuration: Vec<usize>,
    /// Whether the last pass changed nothing; otherwise [`PASSES`] were too few.
    pub settled: bool,
}

/// Searches over one set of configurations; each is run once, over all questions, and remembered.
pub struct Search<R> {
    sizes: Vec<usize>,
    clusters: Vec<usize>,
    run: R,
    values: BTreeMap<Vec<usize>, Vec<f64>>,
}

impl<R> Search<R> {
    /// A search over sets with so many values each.
    ///
    /// `run` gives the value of every question, the more the better, and `clusters` its group.
    pub fn new(sizes: Vec<usize>, clusters: Vec<usize>, run: R) -> Self {
        Self { sizes, clusters, run, values: BTreeMap::new() }
    }

    /// Configurations that were run.
    pub fn runs(&self) -> usize {
        self.values.len()
    }

    /// The configuration that coordinate ascent finds best on the questions of the groups marked.
    ///
    /// It starts at the first value of each set and goes through the sets in order, trying the values of one while the
    /// others stand, until a pass over all of them changes nothing. A value has to be better than the one at hand to
    /// take its place; with one set, that is the first of the best.
    ///
    /// # Errors
    /// When a run fails.
    pub fn best_on<E>(&mut self, marked: &[bool]) -> Result<Ascent, E>
    where
        R: FnMut(&[usize]) -> Result<Vec<f64>, E>,
    {
        let mut best = vec![0; self.sizes.len()];
        let mut most = self.sum(&best, marked)?;
        for _ in 0..PASSES {
            let before = best.clone();
            for set in 0..self.sizes.len() {
                let mut tried = best.clone();
                for value in 0..self.sizes[set] {
                    tried[set] = value;
                    let sum = self.sum(&tried, marked)?;
                    if sum > most + TOLERANCE {
                        (most, best[set]) = (sum, value);
                    }
                }
            }
            if best == before {
                return Ok(Ascent { configuration: best, settled: true });
            }
        }
        Ok(Ascent { configuration: best, settled: false })
    }

    fn sum<E>(&mut self, configuration: &[usize], marked: &[bool]) -> Result<f64, E>
    where
        R: FnMut(&[usize]) -> Result<Vec<f64>, E>,
    {
        if !self.values.contains_key(configuration) {
            self.values.insert(configuration.to_vec(), (self.run)(configuration)?);
        }
        let values = self.values.get(configuration).map(Vec::as_slice).unwrap_or_default();
        let among = values.iter().zip(&self.clusters).filter(|(_, group)| marked[**group]);
        Ok(among.map(|(value, _)| value).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, convert::Infallible};

    use super::*;

    /// One question in one group, whose value is that of the configuration.
    fn over(
        sizes: &[usize],
        value: impl Fn(&[usize]) -> f64,
    ) -> Search<impl FnMut(&[usize]) -> Result<Vec<f64>, Infallible>> {
        Search::new(sizes.to_vec(), vec![0], move |configuration: &[usize]| Ok(vec![value(configuration)]))
    }

    fn square(from: usize, to: usize) -> f64 {
        let apart = from as f64 - to as f64;
        apart * apart
    }

    #[test]
    fn a_separable_optimum_is_found_in_one_pass() {
        let mut search = over(&[5, 4, 3], |at| -square(at[0], 3) - square(at[1], 2) - square(at[2], 1));
        let Ok(found) = search.best_on(&[true]);
        assert_eq!(found, Ascent { configuration: vec![3, 2, 1], settled: true });
        // The start and the others of each set; and again in the pass that changes nothing, where the line of the
        // first two sets is another by then.
        assert_eq!(search.runs(), (1 + 4 + 3 + 2) + (4 + 3));
    }

    #[test]
    fn sets_that_lean_on_each_other_take_more_passes() {
        let mut search = over(&[8, 8], |at| -0.4 * square(at[0] + 1, at[1]) - square(at[0], 5));
        let Ok(found) = search.best_on(&[true]);
        assert_eq!(found, Ascent { configuration: vec![5, 6], settled: true });
        assert!(search.runs() < 64);
    }

    #[test]
    fn a_plateau_is_left_at_its_first_value() {
        let mut search = over(&[3, 3], |_| 0.5);
        let Ok(found) = search.best_on(&[true]);
        assert_eq!((found.configuration, found.settled, search.runs()), (vec![0, 0], true, 5));
        // What is no better by more than rounding is no better.
        let mut search = over(&[3], |at| 0.1 * 3.0 + at[0] as f64 * 1e-12);
        let Ok(found) = search.best_on(&[true]);
        assert_eq!(found.configuration, [0]);
    }

    #[test]
    fn the_groups_not_marked_have_no_say_and_runs_are_shared() {
        let runs = Cell::new(0);
        let run = |at: &[usize]| {
            runs.set(runs.get() + 1);
            // Group 0 wants the last value, the other two want the middle one.
            Ok::<_, Infallible>(vec![at[0] as f64, f64::from(at[0] == 1), f64::from(at[0] == 1)])
        };
        let mut search = Search::new(vec![3], vec![0, 1, 2], run);
        let mut without = |held_out: usize| {
            let marked: Vec<bool> = (0..3).map(|group| group != held_out).collect();
            let Ok(found) = search.best_on(&marked);
            found.configuration
        };
        assert_eq!([without(0), without(1), without(2)], [[1], [1], [1]]);
        let Ok(alone) = search.best_on(&[true, false, false]);
        assert_eq!((alone.configuration, search.runs(), runs.get()), (vec![2], 3, 3));
    }

    #[test]
    fn a_search_that_does_not_settle_is_told() {
        // A ridge: each pass takes one step along it.
        let steps = PASSES + 5;
        let ridge = |at: &[usize]| match at[0].abs_diff(at[1]) {
            0 | 1 => (at[0] + at[1]) as f64,
            apart => -(apart as f64),
        };
        let Ok(found) = over(&[2 * steps, 2 * steps], ridge).best_on(&[true]);
        assert!(!found.settled && found.configuration[1] < 2 * steps - 1, "{found:?}");
    }

    #[test]
    fn a_run_that_fails_ends_the_search() {
        let mut search =
            Search::new(vec![2], vec![0], |at: &[usize]| if at == [1] { Err("lost") } else { Ok(vec![0.0]) });
        assert_eq!(search.best_on(&[true]), Err("lost"));
    }
}
