//! Where one candidate stands in every stage of a ranking, and what it lacks.

use std::fmt;

use serde::Serialize;

use super::{
    Candidates, Expects, Met, Preset,
    lexical::Word,
    rank::{Exact, LegHit, Legs, Request, Scoring, SearchError},
};
use crate::{
    explain::Explain,
    index::Index,
    ranking::{NotANumber, Ranking},
};

/// Where one candidate stands in the ranking that [`super::rank`] makes of the same request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// How many candidates the scope has.
    pub candidates: usize,
    /// How many of them are ranked: those with evidence, of the best of each leg.
    pub ranked: usize,
    /// Whether a vector speaks for it: its own, of a session that of a turn, or one of their cues where those vote;
    /// `None` where vectors do not count.
    pub has_vector: Option<bool>,
    /// Where it stands in each leg, among all candidates.
    pub legs: Legs,
    /// Where it stands after each stage, among those that are ranked; `None` where it is not.
    pub stages: Option<Stages>,
    /// Why it is not ranked, if so.
    pub unranked: Option<Unranked>,
    /// The hit at place k, or the last there is; `None` where nothing is ranked.
    pub cut: Option<Cut>,
    /// The question's terms, the missing ones first, the most valuable in front.
    pub words: Vec<Word>,
    /// What the question leads one to expect.
    pub expectations: Vec<Met>,
    /// How its score came about; `None` where it has none.
    pub explain: Option<Explain>,
}

/// Rank and score of a candidate after each stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stages {
    /// After the fusion of the legs.
    pub fused: LegHit,
    /// And after cue questions; `None` where nothing has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cued: Option<LegHit>,
    /// And after the dates that the question names; `None` where it names none.
    pub dated: Option<LegHit>,
    /// And after importance; `None` where all are equally important.
    pub prior: Option<LegHit>,
    /// After the last.
    pub last: LegHit,
    /// What each stage put into the score.
    pub shares: Shares,
}

/// What each stage put into a score, which is the sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// The lexical leg, after fusion.
    pub lexical: f64,
    /// The dense leg, after fusion.
    pub dense: f64,
    /// Cue questions.
    #[serde(skip_serializing_if = "is_nothing")]
    pub cues: f64,
    /// The dates that the question names.
    pub dated: f64,
    /// Importance.
    pub prior: f64,
}

fn is_nothing(share: &f64) -> bool {
    *share == 0.0
}

/// The hit that a candidate must beat to be one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cut {
    /// Its place: k, or less where fewer are ranked.
    pub rank: usize,
    /// Its score.
    pub score: f64,
    /// Its score less the candidate's: above 0 for what it lacks. `None` where the candidate has no score.
    pub lacks: Option<f64>,
    /// Where it stands in each leg.
    pub legs: Legs,
    /// What its score is made of.
    pub shares: Shares,
}

/// Why a candidate is not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Unranked {
    /// No leg has evidence for it: without vectors, it has no word of the question.
    NoEvidence,
    /// No leg has it among its best.
    BelowPool {
        /// How many of the best of each leg are fused.
        width: usize,
    },
}

impl fmt::Display for Unranked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unranked::NoEvidence => f.write_str("it has no word of the question"),
            Unranked::BelowPool { width } => write!(f, "no leg has it among its best {width}"),
        }
    }
}

/// Says where `candidate`, a text position or a session number, stands; `None` where it may not be found at all.
///
/// # Errors
/// As [`super::rank`].
pub fn stand(
    index: &Index,
    preset: &Preset,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
    candidate: u32,
) -> Result<Option<Standing>, SearchError> {
    let Ok(place) = candidates.units(request.unit).binary_search(&candidate) else { return Ok(None) };
    let scoring = Scoring::of(index, preset, candidates, request, exact)?;
    let fused = &scoring.fused;
    let ranking = Ranking::top(scoring.ranked(&fused.totals), scoring.pool.len())?;
    let legs = |place: usize| scoring.legs.standing(&[place]).first().copied().unwrap_or_default();
    let pooled = scoring.pool.binary_search(&place).ok();
    let ranked = pooled.filter(|&i| scoring.has_evidence(i));
    let at_cut = ranking.iter().take(request.k.get()).enumerate().last();
    let own_legs = legs(place);
    Ok(Some(Standing {
        candidates: candidates.units(request.unit).len(),
        ranked: ranking.len(),
        has_vector: scoring.has_vector(place),
        legs: own_legs,
        stages: ranked.map(|i| scoring.stages(&ranking, i)).transpose()?,
        unranked: match (pooled, ranked) {
            (_, Some(_)) => None,
            (None, _) if scoring.legs.found(place) => Some(Unranked::BelowPool { width: scoring.width }),
            _ => Some(Unranked::NoEvidence),
        },
        cut: at_cut.map(|(place, hit)| Cut {
            rank: place + 1,
            score: hit.score,
            lacks: ranked.map(|i| hit.score - fused.totals[i]),
            legs: legs(scoring.pool[hit.candidate as usize]),
            shares: scoring.shares(hit.candidate as usize),
        }),
        words: preset
            .lexical
            .map_or_else(Vec::new, |leg| leg.words(index, candidates, request.question, request.unit, candidate)),
        expectations: scoring.expectations(candidate, pooled),
        explain: ranked.map(|i| scoring.explain(i, own_legs)),
    }))
}

impl Scoring<'_> {
    fn shares(&self, pooled: usize) -> Shares {
        let fused = &self.fused;
        Shares {
            lexical: fused.lexical.as_ref().map_or(0.0, |leg| leg.of(pooled)),
            dense: fused.dense.as_ref().map_or(0.0, |leg| leg.of(pooled)),
            cues: fused.cued(pooled),
            dated: fused.dated(pooled),
            prior: fused.prior(pooled),
        }
    }

    fn stages(&self, last: &Ranking, pooled: usize) -> Result<Stages, NotANumber> {
        let fused = &self.fused;
        let after = |scores: &[f64]| Ranking::top(self.ranked(scores), self.pool.len());
        let place = |ranking: &Ranking| {
            let found = (1..).zip(ranking.iter()).find(|(_, scored)| scored.candidate as usize == pooled);
            // Every stage ranks the same candidates.
            found.map_or(LegHit { rank: 0, score: 0.0 }, |(rank, scored)| LegHit { rank, score: scored.score })
        };
        Ok(Stages {
            fused: place(&after(&fused.legs)?),
            cued: fused.after_cues().map(|scores| Ok(place(&after(&scores)?))).transpose()?,
            dated: fused.dated.as_ref().map(|_| Ok(place(&after(fused.before_prior())?))).transpose()?,
            prior: fused.prior.as_ref().map(|_| place(last)),
            last: place(last),
            shares: self.shares(pooled),
        })
    }

    /// What is expected of a candidate, its date included where it is fused.
    fn expectations(&self, candidate: u32, pooled: Option<usize>) -> Vec<Met> {
        let mut expectations = match (&self.preset.lexical, &self.legs.lexical) {
            (Some(leg), Some(scores)) => {
                leg.expectations(scores, self.index, self.candidates, self.request.unit, candidate)
            }
            _ => Vec::new(),
        };
        if let (Some(dated), Some(i)) = (&self.fused.dated, pooled) {
            let (fit, at_best) = (dated.fits[i], self.preset.dated);
            expectations.push(Met { expects: Expects::Date, met: fit > 0.0, adds: fit * at_best, at_best });
        }
        expectations
    }
}
