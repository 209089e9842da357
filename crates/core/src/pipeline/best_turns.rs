//! The turns that a session is shown with.

use super::{combine::boost_share, definition::Pipeline, signals::SignalTable};
use crate::{
    fusion::{LegScores, mean_and_deviation},
    ranking::{Ranking, Scored},
};

/// Turns shown with a session.
const BEST_TURNS: usize = 3;

impl SignalTable {
    /// The turns of a session with the best scores, best first, fused and boosted as sessions are.
    pub(super) fn best_turns(&self, pipeline: &Pipeline, turns: &[u32]) -> Vec<u32> {
        let scores = |filled: &super::signals::Filled| filled.column.as_ref().and_then(|of| of.turn_scores(turns));
        let all: Vec<Option<Vec<f64>>> = self.columns.iter().map(scores).collect();
        let floor = |place: usize| self.columns[place].column.as_ref().and_then(|column| column.floor());
        let legs: Vec<Option<LegScores<'_>>> = all[..self.fused]
            .iter()
            .enumerate()
            .map(|(place, own)| Some(LegScores { scores: own.as_deref()?, floor: floor(place) }))
            .collect();
        let Ok(mut fused) = pipeline.fusion.fuse(&legs) else {
            // Scores were proven to be numbers when the session was ranked.
            return Vec::new();
        };
        if fused.is_empty() {
            return Vec::new();
        }
        let deviation = Some(mean_and_deviation(&fused).1.unwrap_or(1.0));
        let counting =
            pipeline.boosts.iter().flat_map(|boost| boost.legs.iter().map(|(_, weight)| (boost.measure, *weight)));
        let counting = counting.filter(|(_, weight)| *weight > 0.0);
        for ((measure, weight), own) in counting.zip(&all[self.fused..]) {
            if let Some(share) = boost_share(measure, weight, (deviation, &fused), own.clone()) {
                fused.iter_mut().enumerate().for_each(|(i, score)| *score += share.of(i));
            }
        }
        let evident = |i: usize| {
            self.columns.iter().zip(&all).any(|(filled, scores)| match (&filled.column, scores) {
                (Some(column), Some(scores)) => filled.leg.feeds_pool() && column.is_evidence(scores[i]),
                _ => false,
            })
        };
        let scored = (0u32..).zip(fused).filter(|(i, _)| evident(*i as usize));
        let ranking = Ranking::top(scored.map(|(candidate, score)| Scored { candidate, score }).collect(), BEST_TURNS);
        ranking.unwrap_or_default().iter().map(|scored| turns[scored.candidate as usize]).collect()
    }
}
