//! Runs a preset over an index.

use std::{cmp::Ordering, num::NonZeroUsize, thread};

use serde::Serialize;

use super::{
    Candidates, Preset, Votes,
    confidence::{self, Passage, Signals},
    cues::{self, CueScores},
    dense,
    dense::DenseScores,
    fused::{Fused, Own, fuse},
    lexical::LexicalScores,
};
use crate::{
    analysis::Question,
    dense::Rescore,
    error::StoreError,
    explain::Explain,
    fusion::{Leg, mean_and_deviation},
    index::{Index, Owned},
    lexical::Bm25,
    ranking::{NotANumber, Ranking, Scored},
    types::{CueId, Tail, Unit, Vectors},
};

/// Fusion sees this many of the best of each leg, or `k` where that is more: a score
/// is judged against others that could be returned, not against a whole history.
const POOL: usize = 1_000;

/// From so many candidates on, the legs are scored side by side.
const SIDE_BY_SIDE: usize = 10_000;

/// Turns shown with a session.
const BEST_TURNS: usize = 3;

/// A search failed; there is no partial answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A stage made a score that is not a number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One question, analysed and encoded.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Its terms, and what else it says of what it asks for.
    pub question: &'a Question,
    /// Its unit-length vector, by the index's encoder.
    pub vector: Option<&'a [f32]>,
    /// What to return.
    pub unit: Unit,
    /// How many at the most.
    pub k: NonZeroUsize,
    /// Whether candidates without evidence are listed.
    pub tail: Tail,
    /// How much is said of a hit besides its score.
    pub detail: Detail,
}

/// How much is said of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Its score.
    Scores,
    /// And the best turns of a session.
    BestTurns,
    /// And how the score came about.
    Explained,
}

/// Where a candidate stands in one leg, or after one stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LegHit {
    /// From 1.
    pub rank: usize,
    /// The leg's own score, or that of the stage.
    pub score: f64,
}

/// Where a candidate stands in each leg that found it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Legs {
    /// By its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexical: Option<LegHit>,
    /// By its meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<LegHit>,
}

/// A candidate that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// Text position for [`Unit::Turn`], session number for [`Unit::Session`].
    pub candidate: u32,
    /// Final score; only its order means something.
    pub score: f64,
    /// Where it stands in each leg; of the first hit only under [`Detail::Scores`].
    pub legs: Legs,
    /// The best turns of a session, by text position; empty for a turn.
    pub best_turns: Vec<u32>,
    /// The cue question that speaks most for it, if cues count.
    pub cue: Option<CueId>,
    /// How the score came about, if asked for.
    pub explain: Option<Explain>,
}

/// The hits of one request, and what speaks for them.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Best first.
    pub hits: Vec<RankedHit>,
    /// What the first hits show; `None` without any.
    pub signals: Option<Signals>,
}

/// Fetches real vectors, for scans over codes: of texts and of the rows of [`crate::index::CueIndex`].
#[derive(Clone, Copy)]
pub struct Exact<'a> {
    /// Of texts.
    pub texts: &'a Rescore<'a>,
    /// Of single questions.
    pub questions: &'a Rescore<'a>,
    /// Of texts with all their questions.
    pub passages: &'a Rescore<'a>,
}

impl Exact<'_> {
    /// For an index that holds its vectors as they are.
    pub fn none() -> Self {
        let nothing: &Rescore<'static> = &|_| Ok(Vectors::default());
        Self { texts: nothing, questions: nothing, passages: nothing }
    }
}

/// Ranks the candidates of one request.
///
/// # Errors
/// When a score is not a number, the query vector does not fit the index, or `exact` fails.
pub fn rank(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<Found, SearchError> {
    let scoring = Scoring::of(index, preset, candidates, request, exact)?;
    let legs = &scoring.legs;
    let mut ranking = Ranking::top(scoring.ranked(&scoring.fused.totals), request.k.get().max(confidence::LOOKED_AT))?;
    let looked_at: Vec<usize> = scoring.places(&ranking).take(confidence::LOOKED_AT).collect();
    ranking.truncate(request.k.get());
    let at: Vec<usize> = scoring.places(&ranking).collect();
    let mut standing = match request.detail {
        Detail::Scores => legs.standing(at.get(..1).unwrap_or_default()),
        Detail::BestTurns | Detail::Explained => legs.standing(&at),
    };
    standing.resize(at.len(), Legs::default());
    let signals = scoring.signals(&looked_at, standing.first().copied().unwrap_or_default());
    let hits = ranking.iter().zip(&at).zip(standing).map(|((scored, &unit), standing)| {
        let candidate = candidates.units(request.unit)[unit];
        RankedHit {
            candidate,
            score: scored.score,
            legs: standing,
            best_turns: match request.unit {
                _ if request.detail == Detail::Scores => Vec::new(),
                Unit::Turn => Vec::new(),
                Unit::Session => legs.best_turns(preset, candidates.turns_of(index, candidate)),
            },
            cue: legs.cues.best(index, unit),
            explain: (request.detail == Detail::Explained)
                .then(|| scoring.explain(scored.candidate as usize, standing)),
        }
    });
    Ok(Found { hits: hits.collect(), signals })
}

/// Every score of one request; what is asked of it, a ranking or one candidate's standing, rests on the same.
pub(super) struct Scoring<'a> {
    pub(super) index: &'a Index,
    pub(super) preset: &'a Preset,
    pub(super) candidates: &'a Candidates,
    pub(super) request: &'a Request<'a>,
    pub(super) legs: LegScores,
    /// Candidates that are fused, as places in unit order, ascending.
    pub(super) pool: Vec<usize>,
    /// How many of the best of each leg are fused at the most.
    pub(super) width: usize,
    pub(super) fused: Fused,
}

impl<'a> Scoring<'a> {
    pub(super) fn of(
        index: &'a Index,
        preset: &'a Preset,
        candidates: &'a Candidates,
        request: &'a Request<'a>,
        exact: Exact<'_>,
    ) -> Result<Self, SearchError> {
        let units = candidates.units(request.unit).len();
        let legs = score_legs(index, preset, candidates, request, exact)?;
        let width = if request.tail == Tail::All { units } else { POOL.max(request.k.get()) };
        let pool = legs.pool(units, width);
        let fused = fuse(index, preset, candidates, (request.question, request.unit), &legs, &pool)?;
        Ok(Self { index, preset, candidates, request, legs, pool, width, fused })
    }

    /// Where ranked candidates stand in unit order, best first.
    fn places<'r>(&'r self, ranking: &'r Ranking) -> impl Iterator<Item = usize> + 'r {
        ranking.iter().map(|scored| self.pool[scored.candidate as usize])
    }

    /// What the first hits show; `first` is where the first of them stands in each leg.
    fn signals(&self, looked_at: &[usize], first: Legs) -> Option<Signals> {
        let Self { index, preset, candidates, request, legs, .. } = self;
        let units = candidates.units(request.unit);
        let passages =
            looked_at.iter().map(|&unit| legs.passages(index, preset, candidates, request.unit, units, unit));
        Signals::of(&confidence::Scene {
            index,
            candidates,
            question: request.question,
            unit: request.unit,
            hits: &passages.collect::<Vec<_>>(),
            by_words: &|| legs.lexical.as_ref().map(|scores| scores.best_by_words(candidates)).unwrap_or_default(),
            first,
            scores: &self.fused.totals,
        })
    }

    /// Those of the pool that may be returned, each with its one of `scores`.
    pub(super) fn ranked(&self, scores: &[f64]) -> Vec<Scored> {
        (0u32..)
            .zip(scores)
            .filter(|(i, _)| self.has_evidence(*i as usize))
            .map(|(candidate, &score)| Scored { candidate, score })
            .collect()
    }

    /// Whether a candidate of the pool may be returned.
    pub(super) fn has_evidence(&self, pooled: usize) -> bool {
        self.request.tail == Tail::All || self.legs.found(self.pool[pooled])
    }

    /// How the score of a candidate of the pool came about.
    pub(super) fn explain(&self, pooled: usize, standing: Legs) -> Explain {
        let Self { index, candidates, request, .. } = *self;
        let unit = candidates.units(request.unit)[self.pool[pooled]];
        let parts = match (&self.preset.lexical, &self.legs.lexical) {
            (Some(leg), Some(scores)) => leg.explain(scores, index, candidates, request.question, request.unit, unit),
            _ => Vec::new(),
        };
        let lexical = match standing.lexical {
            Some(hit) => format!("lexical score, rank {}", hit.rank),
            None => "lexical score: no word of the question".to_owned(),
        };
        let dense = match standing.dense {
            Some(_) if self.has_vector(unit) == Some(false) => {
                "dense score: it has no vector, and the mean of the others instead".to_owned()
            }
            hit => format!("dense score, rank {}", hit.map_or(0, |hit| hit.rank)),
        };
        let importance = if request.unit == Unit::Turn { index.documents().importance(unit) } else { 1.0 };
        self.fused.explain(
            self.preset,
            pooled,
            importance,
            Own { label: lexical, parts },
            Own { label: dense, parts: Vec::new() },
        )
    }

    /// Whether a text, or a turn of a session, has a vector; `None` where vectors do not count.
    pub(super) fn has_vector(&self, unit: u32) -> Option<bool> {
        self.legs.dense.as_ref()?;
        let has = |text: u32| self.index.dense().is_some_and(|dense| dense.has(text as usize));
        Some(match self.request.unit {
            Unit::Turn => has(unit),
            Unit::Session => self.candidates.turns_of(self.index, unit).iter().any(|&text| has(text)),
        })
    }
}

/// What the legs say of every candidate, in unit order.
pub(super) struct LegScores {
    pub(super) lexical: Option<LexicalScores>,
    dense: Option<DenseScores>,
    pub(super) cues: CueScores,
}

fn score_legs(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<LegScores, StoreError> {
    let (question, unit) = (request.question, request.unit);
    let score_words = || {
        let bm25 = preset.lexical.map_or((Bm25::default(), 0.0), |leg| (leg.bm25, leg.pairs));
        let cued = (preset.cues.words > 0.0).then(|| cues::by_words(index, candidates, question, bm25, unit));
        (preset.lexical.map(|leg| leg.score(index, candidates, question, unit)), cued.flatten())
    };
    let score_vectors = || score_meaning(index, preset, candidates, request, exact);
    // The legs have nothing to do with each other; a thread costs as much as a small history.
    let ((lexical, words), (dense, meaning)) = match candidates.len() < SIDE_BY_SIDE || preset.dense.is_none() {
        true => (score_words(), score_vectors()?),
        false => thread::scope(|threads| {
            let words = threads.spawn(score_words);
            let dense = score_vectors();
            let words = words.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            dense.map(|dense| (words, dense))
        })?,
    };
    Ok(LegScores { lexical, dense, cues: CueScores { words, meaning } })
}

/// The dense leg, and the cue questions by their vectors.
fn score_meaning(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
) -> Result<(Option<DenseScores>, Option<cues::Best>), StoreError> {
    let (Some(leg), Some(query), Some(vectors), Some(encoder)) =
        (&preset.dense, request.vector, index.dense(), &index.spec().encoder)
    else {
        return Ok((None, None));
    };
    if query.len() != vectors.dim() {
        return Err(StoreError::Dimension { encoder: encoder.clone(), expected: vectors.dim(), found: query.len() });
    }
    let own = vectors.similarities(query, &candidates.texts, exact.texts)?;
    let cosines = |rows: &Owned, exact: &Rescore<'_>| cues::cosines(index, candidates, rows, query, exact);
    let counts = preset.cues.meaning > 0.0 || leg.votes == Votes::Questions;
    let questions = match index.cues().filter(|_| counts) {
        Some(of) => cosines(of.questions().rows(), exact.questions)?,
        None => None,
    };
    let passages = match index.cues().filter(|_| leg.votes == Votes::Passage) {
        Some(of) => cosines(of.passages(), exact.passages)?,
        None => None,
    };
    let others = match leg.votes {
        Votes::Text => None,
        Votes::Passage => passages.as_deref(),
        Votes::Questions => questions.as_deref(),
    };
    let by = (leg.pooling, leg.votes);
    let dense = dense::score(vectors, by, index, candidates, request.unit, (&own, others));
    let questions = questions.filter(|_| preset.cues.meaning > 0.0);
    Ok((Some(dense), questions.map(|best| cues::by_meaning(index, candidates, request.unit, best, &own))))
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
        let asked = || self.cues.words.as_ref().is_some_and(|best| best.speaks_for(unit));
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
    fn pool(&self, units: usize, width: usize) -> Vec<usize> {
        if units <= width {
            return (0..units).collect();
        }
        let mut pool = Vec::new();
        for scores in [self.lexical(), self.dense(), self.cue_words(), self.cue_meaning()].into_iter().flatten() {
            let mut sorted = scores.to_vec();
            let (_, &mut least, _) = sorted.select_nth_unstable_by(width - 1, |a, b| b.total_cmp(a));
            // By total order, so that a score that is not a number is in, and found out.
            let among = |ordering: Ordering| (0..units).filter(move |&unit| scores[unit].total_cmp(&least) == ordering);
            let before = pool.len();
            pool.extend(among(Ordering::Greater));
            let ties = width - (pool.len() - before);
            pool.extend(among(Ordering::Equal).take(ties));
        }
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
    fn passages(
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
    fn best_turns(&self, preset: &Preset, turns: &[u32]) -> Vec<u32> {
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
        let of_turns = |best: &cues::Best| {
            let score = |&turn: &u32| best.texts[turn as usize].map(|(score, _)| score);
            dense::fill(turns.iter().map(score).collect())
        };
        let [asked, alike] = [&self.cues.words, &self.cues.meaning].map(|best| best.as_ref().map(of_turns));
        let ranking = fused.and_then(|mut scores| {
            let deviation = mean_and_deviation(&scores).1.unwrap_or(1.0);
            let scales = preset.cues.scales(asked.as_deref(), alike.as_deref(), deviation);
            for (own, scale) in [&asked, &alike].into_iter().zip(scales) {
                let (Some(own), Some((weight, mean, over))) = (own, scale) else { continue };
                scores.iter_mut().zip(own).for_each(|(score, own)| *score += weight * (own - mean) / over);
            }
            let evident = |i: &u32| {
                let asked = asked.as_ref().is_some_and(|asked| asked[*i as usize] > 0.0);
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
    for candidate in (0..scores.len()).filter(|&candidate| better(candidate, at[worst])) {
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
        LegScores { lexical: None, dense: Some(DenseScores { turns: Vec::new(), units }), cues: CueScores::default() }
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
