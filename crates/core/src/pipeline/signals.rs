//! The table of signals of one request: a row a candidate, a column a leg.

use std::{cmp::Ordering, sync::Arc};

use super::{
    definition::Pipeline,
    leg::{Column, Leg, LegInput},
    request::{Exact, LegHit, Legs, SearchContext},
    shared::Shared,
    vectors::Comparison,
};
use crate::{error::StoreError, ranking::best_places};

/// From so many candidates on, legs that compare vectors are scored beside those that do not.
const SIDE_BY_SIDE: usize = 10_000;

/// The columns of one request, in the order of the pipeline: fused legs first, then boosts.
pub(super) struct SignalTable {
    pub(super) columns: Vec<Filled>,
    /// How many of them are fused legs.
    pub(super) fused: usize,
}

/// One leg and what it gave.
pub(super) struct Filled {
    pub(super) leg: Arc<dyn Leg>,
    /// `None` where the leg has nothing to go by.
    pub(super) column: Option<Box<dyn Column>>,
    /// Places of the candidates that the column scores; `None` for all.
    places: Option<Vec<usize>>,
}

/// A column, or none where the leg has nothing to go by.
type Scored = Result<Option<Box<dyn Column>>, StoreError>;

impl SignalTable {
    /// Scores every leg that may bring a candidate into the pool; the others follow with [`SignalTable::fill_pool`].
    ///
    /// # Errors
    /// When a leg fails.
    pub(super) fn of(
        pipeline: &Pipeline,
        context: SearchContext<'_>,
        shared: &Shared<'_>,
        exact: Exact<'_>,
    ) -> Result<Self, StoreError> {
        let legs: Vec<&Arc<dyn Leg>> = pipeline.legs.iter().chain(pipeline.boosted()).collect();
        let units = context.units();
        let input = LegInput { context, units, shared };
        let score = |leg: &Arc<dyn Leg>| if leg.feeds_pool() { leg.score(&input) } else { Ok(None) };
        let comparison = match pipeline.vectors() {
            Some(using) => Comparison::of(context, using)?,
            None => None,
        };
        let compares = |leg: &Arc<dyn Leg>| leg.vectors().is_some();
        let score_others = || legs.iter().map(|leg| if compares(leg) { Ok(None) } else { score(leg) }).collect();
        let score_vectors = |comparison: &Comparison<'_>| -> Result<Vec<_>, StoreError> {
            shared.keep(comparison.compare(exact)?);
            legs.iter().map(|leg| if compares(leg) { score(leg) } else { Ok(None) }).collect()
        };
        let (others, vectors): (Vec<Scored>, _) = match &comparison {
            None => (score_others(), Vec::new()),
            // A small history is done before another thread has begun.
            Some(comparison) if context.candidates.len() < SIDE_BY_SIDE => (score_others(), score_vectors(comparison)?),
            Some(comparison) => {
                let mut others = Vec::new();
                // Pooled threads begin at once; a new one was seen to wait 3 ms for a processor.
                let vectors = rayon::in_place_scope(|threads| {
                    threads.spawn(|_| {
                        others = score_others();
                        comparison.help();
                    });
                    score_vectors(comparison)
                });
                (others, vectors?)
            }
        };
        let mut vectors = vectors.into_iter();
        let filled = |(leg, other): (&&Arc<dyn Leg>, Scored)| -> Result<Filled, StoreError> {
            let column = vectors.next().flatten().or(other?);
            Ok(Filled { leg: Arc::clone(leg), column, places: None })
        };
        let columns = legs.iter().zip(others).map(filled).collect::<Result<_, _>>()?;
        Ok(Self { columns, fused: pipeline.legs.len() })
    }

    /// Scores the legs that do not feed the pool, on the candidates at these places.
    ///
    /// # Errors
    /// When a leg fails.
    pub(super) fn fill_pool(
        &mut self,
        context: SearchContext<'_>,
        shared: &Shared<'_>,
        pool: &[usize],
    ) -> Result<(), StoreError> {
        let units: Vec<u32> = pool.iter().map(|&place| context.units()[place]).collect();
        for filled in self.columns.iter_mut().filter(|filled| !filled.leg.feeds_pool()) {
            filled.column = filled.leg.score(&LegInput { context, units: &units, shared })?;
            filled.places = Some(pool.to_vec());
        }
        Ok(())
    }

    /// Every column that there is.
    pub(super) fn filled(&self) -> impl Iterator<Item = (&Filled, &dyn Column)> {
        self.columns.iter().filter_map(|filled| Some((filled, filled.column.as_deref()?)))
    }

    /// Whether any leg has evidence enough for the candidate at a place.
    pub(super) fn has_evidence(&self, place: usize) -> bool {
        self.filled().any(|(filled, column)| {
            filled.leg.feeds_pool() && filled.score(place).is_some_and(|score| column.suffices(score))
        })
    }

    /// Places of candidates that are among the best `width` of some leg that feeds the pool, ascending.
    ///
    /// `all` are the candidates there are, with those that are not held.
    pub(super) fn pool(&self, units: usize, all: usize, width: usize) -> Vec<usize> {
        if all <= width {
            return (0..units).collect();
        }
        let feeding = self.filled().filter(|(filled, _)| filled.leg.feeds_pool());
        let mut pool: Vec<usize> = feeding.flat_map(|(_, column)| best_places(entering(column), width)).collect();
        pool.sort_unstable();
        pool.dedup();
        pool
    }

    /// Where the candidates at some places stand in each leg that has evidence for them.
    pub(super) fn standings(&self, places: &[usize]) -> Vec<Legs> {
        let mut all = vec![Legs::default(); places.len()];
        for (filled, column) in self.filled() {
            let scores = column.scores();
            let rows = places.iter().enumerate().filter_map(|(i, &place)| Some((i, filled.row(place)?)));
            // Without those that the leg did not find, nearly all candidates are passed over at one comparison.
            let (found, at): (Vec<usize>, Vec<usize>) =
                rows.filter(|(_, row)| column.is_evidence(scores[*row])).unzip();
            for (i, hit) in found.into_iter().zip(leg_hits(scores, &at)) {
                all[i].0.push((filled.leg.name(), hit));
            }
        }
        all
    }
}

impl Filled {
    /// The row of the candidate at a place, if the column scores it.
    pub(super) fn row(&self, place: usize) -> Option<usize> {
        match &self.places {
            None => Some(place),
            Some(places) => places.binary_search(&place).ok(),
        }
    }

    fn score(&self, place: usize) -> Option<f64> {
        let row = self.row(place)?;
        Some(self.column.as_ref()?.scores()[row])
    }

    /// The scores of the candidates of the pool, in its order; `None` where the leg has nothing to go by.
    pub(super) fn pooled(&self, pool: &[usize]) -> Option<Vec<f64>> {
        let scores = self.column.as_ref()?.scores();
        match &self.places {
            None => Some(pool.iter().map(|&place| scores[place]).collect()),
            Some(_) => Some(scores.to_vec()),
        }
    }
}

/// Places and scores of the candidates that a column can bring into the pool.
fn entering(column: &dyn Column) -> impl Iterator<Item = (usize, f64)> {
    column.scores().iter().copied().enumerate().filter(|(_, score)| column.enters_pool(*score))
}

/// Rank and score of some candidates among all, in one pass.
fn leg_hits(scores: &[f64], at: &[usize]) -> Vec<LegHit> {
    let better = |a: usize, b: usize| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)).is_gt();
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_unstable_by(|&a, &b| if better(at[a], at[b]) { Ordering::Less } else { Ordering::Greater });
    let Some(&worst) = order.last() else { return Vec::new() };
    let mut ahead = vec![0usize; at.len() + 1];
    // Nearly every candidate is worse than all of them: seen at once, and well predicted.
    let least = scores[at[worst]];
    let ahead_of_some = |&candidate: &usize| scores[candidate] >= least && better(candidate, at[worst]);
    for candidate in (0..scores.len()).filter(ahead_of_some) {
        // The first of the sorted that this candidate beats, and with it all after.
        ahead[order.partition_point(|&i| !better(candidate, at[i]))] += 1;
    }
    let mut hits = vec![LegHit { rank: 0, score: 0.0 }; at.len()];
    let mut before = 0;
    for (place, &i) in order.iter().enumerate() {
        before += ahead[place];
        hits[i] = LegHit { rank: before + 1, score: scores[at[i]] };
    }
    hits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        pipeline::{leg::Scores, legs::DenseLeg, legs::ReplyLeg},
        ranking::Ranking,
    };

    fn of(scores: Vec<f64>) -> SignalTable {
        let leg: Arc<dyn Leg> = Arc::new(DenseLeg::any(crate::dense::Pooling::Max));
        let column: Option<Box<dyn Column>> = Some(Box::new(Scores::new(scores, None)));
        SignalTable { columns: vec![Filled { leg, column, places: None }], fused: 1 }
    }

    #[test]
    fn a_pool_has_the_best_and_the_first_of_equals() {
        assert_eq!(of(vec![1.0, 3.0, 2.0, 2.0, 2.0]).pool(5, 5, 3), [1, 2, 3]);
        assert_eq!(of(vec![1.0, 3.0]).pool(2, 2, 3), [0, 1]);
    }

    #[test]
    fn a_score_that_is_not_a_number_is_not_dropped_by_the_pool() {
        assert!(of(vec![1.0, f64::NAN, 2.0, 3.0]).pool(4, 4, 2).contains(&1));
    }

    #[test]
    fn a_column_of_the_pool_alone_knows_only_its_candidates() {
        let column: Option<Box<dyn Column>> = Some(Box::new(Scores::new(vec![0.0, 0.5, 1.0], Some(0.0))));
        let filled = Filled { leg: Arc::new(ReplyLeg), column, places: Some(vec![1, 4, 7]) };
        let table = SignalTable { columns: vec![filled], fused: 0 };
        let ranks: Vec<Option<usize>> =
            table.standings(&[1, 4, 5, 7]).iter().map(|legs| Some(legs.get("reply_match")?.rank)).collect();
        assert_eq!(ranks, [None, Some(2), None, Some(1)]);
        assert!(!table.has_evidence(7), "it brings nothing into the pool");
    }

    proptest! {
        #[test]
        fn a_leg_rank_is_the_place_in_the_full_ranking(scores in prop::collection::vec(0u8..6, 1..40)) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let at: Vec<usize> = (0..scores.len()).rev().step_by(2).collect();
            let full = Ranking::of_scores(&scores).unwrap();
            for (unit, hit) in at.iter().zip(leg_hits(&scores, &at)) {
                let place = full.iter().position(|s| s.candidate as usize == *unit).unwrap();
                prop_assert_eq!(hit.rank, place + 1);
            }
        }
    }
}
