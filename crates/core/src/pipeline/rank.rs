//! Runs a preset over an index.

use std::num::NonZeroUsize;

use serde::Serialize;

use super::{
    Candidates, Preset,
    confidence::{self, Signals},
    fused::{Fused, Own, fuse},
    legs::{LegScores, score_legs},
};
use crate::{
    analysis::Question,
    dense::Rescore,
    error::StoreError,
    explain::Explain,
    index::Index,
    ranking::{NotANumber, Ranking, Scored},
    types::{CueId, Tail, Unit, Vectors},
};

/// Fusion sees this many of the best of each leg, or `k` where that is more: a score
/// is judged against others that could be returned, not against a whole history.
const POOL: usize = 1_000;

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
            cue: match request.unit {
                Unit::Turn => legs.cues.best(index, &[candidate]),
                Unit::Session => legs.cues.best(index, candidates.turns_of(index, candidate)),
            },
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
        let place = self.pool[pooled];
        let unit = candidates.units(request.unit)[place];
        let parts = match (&self.preset.lexical, &self.legs.lexical) {
            (Some(leg), Some(scores)) => leg.explain(scores, index, candidates, request.question, request.unit, unit),
            _ => Vec::new(),
        };
        let lexical = match standing.lexical {
            Some(hit) => format!("lexical score, rank {}", hit.rank),
            None => "lexical score: no word of the question".to_owned(),
        };
        let dense = match standing.dense {
            Some(_) if self.has_vector(place) == Some(false) => {
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

    /// Whether a vector speaks for a candidate, by its place in unit order; `None` where vectors do not count.
    pub(super) fn has_vector(&self, unit: usize) -> Option<bool> {
        Some(self.legs.dense.as_ref()?.known[unit])
    }
}
