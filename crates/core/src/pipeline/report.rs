//! Where one candidate stands in every stage of a ranking, and what it lacks.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{
    combine::IMPORTANCE,
    definition::Pipeline,
    matches::{FeatureMatch, TermMatch},
    presets::LEARNED,
    rank::Scoring,
    request::{Exact, LegHit, Legs, Request, SearchContext, SearchError},
    scope::Candidates,
};
use crate::{
    explain::Explain,
    index::Index,
    ranking::{NotANumber, Ranking},
};

/// Where one candidate stands in the ranking that [`super::rank()`] makes of the same request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateReport {
    /// How many candidates the scope has.
    pub candidates: usize,
    /// How many of them are ranked: those with evidence, of the best of each leg.
    pub ranked: usize,
    /// Whether a vector stands for it: its own, of a session that of a turn, or a cue question's where those count;
    /// `None` where vectors do not count.
    pub has_vector: Option<bool>,
    /// The legs that score candidates, fused ones first.
    pub columns: Vec<&'static str>,
    /// Where it stands in each leg that has evidence for it, among all candidates.
    pub legs: Legs,
    /// Its signals, as far as they are computed for it.
    pub signals: Values,
    /// Rank and score after each stage, among the candidates that are ranked; empty where it is not.
    pub stages: Vec<Stage>,
    /// What each signal and the importance put into the score, which is the sum; empty where it is not ranked.
    pub shares: Values,
    /// Why it is not ranked, if so.
    pub unranked: Option<Unranked>,
    /// The hit at place k, or the last there is; `None` where nothing is ranked.
    pub cut: Option<Cut>,
    /// What speaks for it, a fragment for each leg that does.
    pub strengths: Vec<String>,
    /// Where it falls most behind the cut, as a fragment; `None` where it does not, or is not ranked.
    pub weakness: Option<String>,
    /// The terms of the query: missing ones first, each group by falling idf.
    pub terms: Vec<TermMatch>,
    /// The features of an answer that the query leads one to expect.
    pub features: Vec<FeatureMatch>,
    /// How its score came about; `None` where it has none.
    pub explain: Option<Explain>,
}

/// Rank and score of a candidate after one stage: `fused`, each boost by its word, `importance`, `learned`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stage {
    /// The stage.
    pub stage: &'static str,
    /// Rank and score after it.
    #[serde(flatten)]
    pub hit: LegHit,
}

/// Numbers by the name of the signal they belong to, in the order of the table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values(pub(super) Vec<(&'static str, f64)>);

impl Values {
    /// The number of that name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(of, _)| *of == name).map(|(_, value)| *value)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The hit that a candidate must beat to be one.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub shares: Values,
}

/// Why a candidate is not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Unranked {
    /// No leg has evidence for it: without vectors, it has no term of the query.
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
            Unranked::NoEvidence => f.write_str("it has no term of the query"),
            Unranked::BelowPool { width } => write!(f, "no leg has it among its best {width}"),
        }
    }
}

impl CandidateReport {
    /// Its rank and score after the last stage; `None` where it is not ranked.
    pub fn last(&self) -> Option<LegHit> {
        self.stages.last().map(|stage| stage.hit)
    }

    /// Its rank and score after the stage of that name.
    pub fn stage(&self, name: &str) -> Option<LegHit> {
        self.stages.iter().find(|stage| stage.stage == name).map(|stage| stage.hit)
    }
}

/// Reports on `candidate`, a text position or a session number; `None` where it may not be found at all.
///
/// # Errors
/// As [`super::rank()`].
pub fn diagnose(
    index: &Index,
    pipeline: &Pipeline,
    candidates: &Candidates,
    request: &Request<'_>,
    exact: Exact<'_>,
    candidate: u32,
) -> Result<Option<CandidateReport>, SearchError> {
    let context = SearchContext { index, candidates, request };
    let Ok(place) = context.units().binary_search(&candidate) else { return Ok(None) };
    let scoring = Scoring::of(pipeline, context, exact)?;
    let totals = scoring.scores();
    let ranking = Ranking::top(scoring.ranked(totals), scoring.pool.len())?;
    let pooled = scoring.pool.binary_search(&place).ok();
    let ranked = pooled.filter(|&i| scoring.may_return(i));
    let at_cut = ranking.iter().take(request.k.get()).enumerate().last();
    let legs = scoring.legs(place);
    let cut = at_cut.map(|(cut, hit)| Cut {
        rank: cut + 1,
        score: hit.score,
        lacks: ranked.map(|i| hit.score - totals[i]),
        legs: scoring.legs(scoring.pool[hit.candidate as usize]),
        shares: scoring.shares(hit.candidate as usize),
    });
    let cut_at = at_cut.map(|(_, hit)| hit.candidate as usize);
    Ok(Some(CandidateReport {
        candidates: context.candidate_count(),
        ranked: ranking.len(),
        has_vector: scoring.columns(place).find_map(|(_, column, row)| column.has_vector(row)),
        columns: scoring.table.filled().map(|(filled, _)| filled.leg.name()).collect(),
        signals: scoring.signal_values(place),
        stages: ranked.map_or_else(|| Ok(Vec::new()), |i| scoring.stages(i))?,
        shares: ranked.map(|i| scoring.shares(i)).unwrap_or_default(),
        unranked: match (pooled, ranked) {
            (_, Some(_)) => None,
            (None, _) if scoring.table.has_evidence(place) => Some(Unranked::BelowPool { width: scoring.width }),
            _ => Some(Unranked::NoEvidence),
        },
        cut,
        strengths: scoring.strengths(place, &legs),
        weakness: ranked.zip(cut_at).and_then(|(own, cut)| scoring.weakness(own, cut)),
        terms: scoring.columns(place).flat_map(|(_, column, row)| column.terms(context, row)).collect(),
        features: scoring.features(place),
        explain: ranked.map(|i| scoring.explain((i, place), &legs)),
        legs,
    }))
}

/// A number and its ending: 1st, 2nd, 3rd, 4th, 11th.
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

impl Scoring<'_> {
    fn legs(&self, place: usize) -> Legs {
        self.table.standings(&[place]).into_iter().next().unwrap_or_default()
    }

    /// Each column that scores a candidate, with the candidate's row in it.
    fn columns(&self, place: usize) -> impl Iterator<Item = (&super::signals::Filled, &dyn super::leg::Column, usize)> {
        self.table.filled().filter_map(move |(filled, column)| Some((filled, column, filled.row(place)?)))
    }

    fn signal_values(&self, place: usize) -> Values {
        let mut values = Vec::new();
        for (filled, column, row) in self.columns(place) {
            values.push((filled.leg.name(), column.scores()[row]));
            let signals = column.signals(self.context, &[row]);
            values.extend(signals.into_iter().filter_map(|(name, values)| Some((name, *values.first()?))));
        }
        Values(values)
    }

    fn shares(&self, pooled: usize) -> Values {
        let columns = self.table.columns.iter().zip(&self.combined.shares);
        let mut values: Vec<(&'static str, f64)> =
            columns.filter_map(|(filled, share)| Some((filled.leg.name(), share.as_ref()?.of(pooled)))).collect();
        if self.combined.prior.is_some() {
            values.push((IMPORTANCE, self.combined.prior(pooled)));
        }
        values.extend(self.learned(pooled).map(|adds| (LEARNED, adds)));
        Values(values)
    }

    /// What the learned stage adds to a candidate's score, the change of scale included.
    fn learned(&self, pooled: usize) -> Option<f64> {
        self.reordered.as_ref().map(|reordered| reordered.scores()[pooled] - self.combined.totals[pooled])
    }

    fn stages(&self, pooled: usize) -> Result<Vec<Stage>, NotANumber> {
        let combined = &self.combined;
        let boosted = combined.boosted.iter().map(|(word, scores)| (*word, scores.as_slice()));
        let last = combined.prior.as_ref().map(|_| (IMPORTANCE, combined.totals.as_slice()));
        let learned = self.reordered.as_ref().map(|reordered| (LEARNED, reordered.scores()));
        let stages = std::iter::once(("fused", combined.fused.as_slice())).chain(boosted).chain(last).chain(learned);
        let place = |(stage, scores): (&'static str, &[f64])| {
            let ranking = Ranking::top(self.ranked(scores), self.pool.len())?;
            let found = (1..).zip(ranking.iter()).find(|(_, scored)| scored.candidate as usize == pooled);
            // Every stage ranks the same candidates.
            let hit = found.map_or(LegHit { rank: 0, score: 0.0 }, |(rank, of)| LegHit { rank, score: of.score });
            Ok(Stage { stage, hit })
        };
        stages.map(place).collect()
    }

    /// The features of a boost's column are in parts of its weight.
    fn features(&self, place: usize) -> Vec<FeatureMatch> {
        let weights = self.pipeline.boosts.iter().flat_map(|boost| &boost.legs).map(|(_, weight)| *weight);
        let weights: Vec<f64> = weights.filter(|weight| *weight > 0.0).collect();
        let weight = |number: usize| number.checked_sub(self.table.fused).and_then(|i| weights.get(i).copied());
        let mut features = Vec::new();
        for (number, filled) in self.table.columns.iter().enumerate() {
            let (Some(column), Some(row)) = (&filled.column, filled.row(place)) else { continue };
            let weight = weight(number).unwrap_or(1.0);
            features.extend(column.features(self.context, row).into_iter().map(|of| FeatureMatch {
                adds: of.adds * weight,
                at_best: of.at_best * weight,
                ..of
            }));
        }
        features
    }

    /// What each fused leg that found a candidate says for it.
    fn strengths(&self, place: usize, legs: &Legs) -> Vec<String> {
        let fused = self.table.columns[..self.table.fused].iter();
        let strength = |filled: &super::signals::Filled| {
            let (hit, row) = (legs.get(filled.leg.name())?, filled.row(place)?);
            let own = filled.column.as_ref()?.strength(self.context, row);
            Some(own.unwrap_or_else(|| format!("it is {} in the {} leg", ordinal(hit.rank), filled.leg.name())))
        };
        fused.filter_map(strength).collect()
    }

    /// Where a candidate of the pool falls most behind another.
    fn weakness(&self, own: usize, cut: usize) -> Option<String> {
        let columns = self.table.columns.iter().zip(&self.combined.shares);
        let behind = columns.filter_map(|(filled, share)| {
            let share = share.as_ref()?;
            Some((share.of(cut) - share.of(own), Some(filled)))
        });
        let prior = (self.combined.prior(cut) - self.combined.prior(own), None);
        let learned = self.learned(cut).zip(self.learned(own)).map_or(0.0, |(cut, own)| cut - own);
        let (most, filled) = behind.chain([prior]).max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        if learned > most.max(0.0) {
            return Some("most of it because the candidate ranker sets others above it".to_owned());
        }
        if most <= 0.0 {
            return None;
        }
        let Some(filled) = filled else { return Some("most of it because it is less important".to_owned()) };
        let rows = filled.row(self.pool[own]).zip(filled.row(self.pool[cut]));
        let why = rows.and_then(|(own, cut)| filled.column.as_ref()?.weakness(self.context, own, cut));
        let leg = format!("most of it in the {} leg", filled.leg.name());
        Some(why.map_or(leg.clone(), |why| format!("{leg}: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let found = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal);
        assert_eq!(found, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
    }
}
