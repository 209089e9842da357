//! The legs and the cue questions, scored for every candidate of one request.

use std::cmp::Ordering;

use super::{
    Candidates, Exact, LegHit, Legs, Preset, Request,
    comparison::Comparison,
    confidence::Passage,
    cues::{self, Asked, CueScores},
    dense::DenseScores,
    lexical::LexicalScores,
};
use crate::{
    error::StoreError,
    fusion::{Leg, mean_and_deviation},
    index::Index,
    lexical::Bm25,
    ranking::{Ranking, Scored, best_places},
    types::Unit,
};

/// From so many candidates on, the legs are scored side by side.
const SIDE_BY_SIDE: usize = 10_000;

/// Turns shown with a session.
const BEST_TURNS: usize = 3;

/// What the legs say of every candidate, in unit order.
pub(super) struct LegScores {
    pub(super) lexical: Option<LexicalScores>,
    pub(super) dense: Option<DenseScores>,
    pub(super) cues: CueScores,
}

pub(super) fn score_legs(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<LegScores, StoreError> {
    let (question, unit) = (request.question, request.unit);
    let score_words = || {
        let bm25 = preset.lexical.map_or((Bm25::default(), 0.0), |leg| (leg.bm25, leg.pairs));
        let asked = Asked::of(index, &question.terms, bm25.1 > 0.0);
        let lexical = preset.lexical.map(|leg| leg.score(index, candidates, (question, &asked), unit));
        let cued = (preset.cues.words > 0.0).then(|| cues::by_words(index, candidates, &asked, bm25, unit));
        (lexical, cued.flatten())
    };
    let comparison = Comparison::of(index, preset, candidates, request)?;
    let Some(comparison) = &comparison else {
        let (lexical, words) = score_words();
        return Ok(LegScores { lexical, dense: None, cues: CueScores { words, meaning: None } });
    };
    // A small history is done before another thread has begun.
    let ((lexical, words), meaning) = match candidates.len() < SIDE_BY_SIDE {
        true => (score_words(), comparison.scores(exact)),
        false => {
            let mut words = (None, None);
            // Threads that wait for work begin at once; a new one was seen to wait 3 ms for a processor.
            let meaning = rayon::in_place_scope(|threads| {
                threads.spawn(|_| {
                    words = score_words();
                    comparison.help();
                });
                comparison.scores(exact)
            });
            (words, meaning)
        }
    };
    let (dense, meaning) = meaning?;
    Ok(LegScores { lexical, dense: Some(dense), cues: CueScores { words, meaning } })
}

impl LegScores {
    pub(super) fn lexical(&self) -> Option<&[f64]> {
        self.lexical.as_ref().map(|lexical| lexical.units.as_slice())
    }

    pub(super) fn dense(&self) -> Option<&[f64]> {
        self.dense.as_ref().map(|dense| dense.units.as_slice())
    }

    /// Whether any leg has evidence for a candidate; the dense leg has for all it scored.
    pub(super) fn found(&self, unit: usize) -> bool {
        let asked = || self.cue_words().is_some_and(|scores| scores[unit] > 0.0);
        self.dense.is_some() || self.lexical().is_some_and(|scores| scores[unit] > 0.0) || asked()
    }

    fn cue_words(&self) -> Option<&[f64]> {
        self.cues.words.as_ref().map(|best| best.units.as_slice())
    }

    fn cue_meaning(&self) -> Option<&[f64]> {
        self.cues.meaning.as_ref().map(|best| best.units.as_slice())
    }

    /// What cue questions say of some candidates, by words and by meaning.
    pub(super) fn cued(&self, pool: &[usize]) -> [Option<Vec<f64>>; 2] {
        let pooled = |scores: &[f64]| pool.iter().map(|&unit| scores[unit]).collect();
        [self.cue_words().map(pooled), self.cue_meaning().map(pooled)]
    }

    /// Candidates that are among the best `width` of some leg, in unit order.
    pub(super) fn pool(&self, units: usize, width: usize) -> Vec<usize> {
        if units <= width {
            return (0..units).collect();
        }
        let legs = [self.lexical(), self.dense(), self.cue_words(), self.cue_meaning()].into_iter().flatten();
        let mut pool: Vec<usize> =
            legs.flat_map(|scores| best_places(scores.iter().copied().enumerate(), width)).collect();
        pool.sort_unstable();
        pool.dedup();
        pool
    }

    pub(super) fn standing(&self, at: &[usize]) -> Vec<Legs> {
        let lexical = self.lexical().map(|scores| leg_hits(scores, at));
        let dense = self.dense().map(|scores| leg_hits(scores, at));
        (0..at.len())
            .map(|i| Legs {
                lexical: lexical.as_ref().map(|hits| hits[i]).filter(|hit| hit.score > 0.0),
                dense: dense.as_ref().map(|hits| hits[i]),
            })
            .collect()
    }

    /// What of a candidate a reader would look at: the text, or the best turns of a session.
    pub(super) fn passages(
        &self,
        index: &Index,
        preset: &Preset,
        candidates: &Candidates,
        kind: Unit,
        units: &[u32],
        unit: usize,
    ) -> Vec<Passage> {
        let dense = self.dense.as_ref();
        match kind {
            Unit::Turn => vec![Passage { text: units[unit], cosine: dense.map(|dense| dense.units[unit]) }],
            Unit::Session => {
                let turns = self.best_turns(preset, candidates.turns_of(index, units[unit]));
                let cosine = |text: u32| dense.and_then(|dense| dense.turns[text as usize]);
                turns.into_iter().map(|text| Passage { text, cosine: cosine(text) }).collect()
            }
        }
    }

    /// The turns of a session that speak most for it, best first.
    pub(super) fn best_turns(&self, preset: &Preset, turns: &[u32]) -> Vec<u32> {
        let words: Option<Vec<f64>> =
            self.lexical.as_ref().map(|scores| turns.iter().map(|&turn| scores.turns[turn as usize]).collect());
        let meaning: Option<Vec<f64>> = self
            .dense
            .as_ref()
            .map(|dense| turns.iter().map(|&turn| dense.turns[turn as usize].unwrap_or(-1.0)).collect());
        let fused = preset.fusion.fuse(
            words.as_deref().map(|scores| Leg { scores, floor: Some(0.0) }),
            meaning.as_deref().map(|scores| Leg { scores, floor: Some(-1.0) }),
        );
        let [asked, alike] =
            [&self.cues.words, &self.cues.meaning].map(|best| best.as_ref().map(|best| best.of_texts(turns)));
        let by_words = asked.clone();
        let ranking = fused.and_then(|mut scores| {
            let deviation = mean_and_deviation(&scores).1.unwrap_or(1.0);
            preset.cues.adds(asked, alike, deviation).iter().flatten().for_each(|cued| cued.add_to(&mut scores));
            let evident = |i: &u32| {
                let asked = by_words.as_ref().is_some_and(|asked| asked[*i as usize] > 0.0);
                self.dense.is_some() || words.as_ref().is_some_and(|w| w[*i as usize] > 0.0) || asked
            };
            let scored = (0u32..).zip(scores).filter(|(i, _)| evident(i));
            Ranking::top(scored.map(|(candidate, score)| Scored { candidate, score }).collect(), BEST_TURNS)
        });
        // Scores were already proven to be numbers when the session was ranked.
        ranking.unwrap_or_default().iter().map(|scored| turns[scored.candidate as usize]).collect()
    }
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

    fn of(units: Vec<f64>) -> LegScores {
        LegScores {
            lexical: None,
            dense: Some(DenseScores { turns: Vec::new(), known: vec![true; units.len()], units }),
            cues: CueScores::default(),
        }
    }

    #[test]
    fn a_pool_has_the_best_and_the_first_of_equals() {
        assert_eq!(of(vec![1.0, 3.0, 2.0, 2.0, 2.0]).pool(5, 3), [1, 2, 3]);
        assert_eq!(of(vec![1.0, 3.0]).pool(2, 3), [0, 1]);
    }

    #[test]
    fn a_score_that_is_not_a_number_is_not_dropped_by_the_pool() {
        assert!(of(vec![1.0, f64::NAN, 2.0, 3.0]).pool(4, 2).contains(&1));
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
