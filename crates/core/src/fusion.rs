//! Merging the columns of several legs into one score.

use std::{fmt, str::FromStr};

use crate::{
    explain::Arithmetic,
    ranking::{NotANumber, Ranking},
    types::UnknownChoice,
};

/// Rank constant of reciprocal rank fusion (Cormack et al. 2009).
pub const RRF_K: f64 = 60.0;

/// How the scores of several legs become one.
///
/// A leg that is missing contributes nothing. A leg that is alone counts in full, whatever its weight, so that
/// every method keeps its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Fusion {
    /// How scores are made comparable.
    pub method: Method,
    /// Weight of each leg, in the order of the legs; not negative. A leg beyond the last has weight 1.
    pub weights: Vec<f64>,
}

/// How the scores of a leg are made comparable with those of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// `sum_s w_s / (k + rank_s)`, ranks from 1 (decision record, "weighted RRF").
    Rrf {
        /// Rank constant, above 0.
        k: f64,
    },
    /// `sum_s w_s * z(score_s)` (fusion study, eq. 5).
    ZScore,
    /// TM2C2: scores are scaled from the leg's theoretical minimum to the largest one found.
    MinMax,
}

/// One leg's scores, one a candidate, and the least a score of it can be.
#[derive(Debug, Clone, Copy)]
pub struct LegScores<'a> {
    /// Score of each candidate, in unit order.
    pub scores: &'a [f64],
    /// Theoretical minimum: 0 for BM25, -1 for a cosine; `None` takes the least found.
    pub floor: Option<f64>,
}

/// What one leg puts into the fused scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// Of each candidate, in unit order.
    pub shares: Vec<f64>,
    weight: f64,
    measure: Measure,
}

/// What a leg's scores are measured by.
#[derive(Debug, Clone, PartialEq)]
enum Measure {
    /// `(x - zero) / one`; without a width all scores are alike, and each counts 0.
    Scale { zero: f64, one: Option<f64> },
    /// `1 / (k + rank)`; 0 without a rank.
    Ranks { k: f64, ranks: Vec<Option<u32>> },
}

impl Contribution {
    /// How a candidate's share follows from its score in the leg.
    pub fn arithmetic(&self, candidate: usize) -> Arithmetic {
        match &self.measure {
            Measure::Scale { zero, one: Some(one) } => {
                Arithmetic::Scaled { weight: self.weight, minus: *zero, over: *one }
            }
            Measure::Scale { zero, one: None } => Arithmetic::Scaled { weight: 0.0, minus: *zero, over: 1.0 },
            Measure::Ranks { k, ranks } => {
                Arithmetic::ReciprocalRank { weight: self.weight, k: *k, rank: ranks.get(candidate).copied().flatten() }
            }
        }
    }
}

impl Measure {
    fn of(method: Method, leg: LegScores<'_>) -> Result<Self, NotANumber> {
        Ok(match method {
            Method::Rrf { k } => Measure::Ranks { k, ranks: ranks(leg)? },
            Method::ZScore => {
                let (mean, deviation) = mean_and_deviation(leg.scores);
                Measure::Scale { zero: mean, one: deviation }
            }
            Method::MinMax => {
                let least = leg.floor.unwrap_or_else(|| leg.scores.iter().copied().fold(f64::INFINITY, f64::min));
                let most = leg.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                Measure::Scale { zero: least, one: Some(most - least).filter(|range| *range > 0.0) }
            }
        })
    }

    fn apply(&self, scores: &[f64]) -> Vec<f64> {
        match self {
            Measure::Scale { zero, one: Some(one) } => scores.iter().map(|x| (x - zero) / one).collect(),
            Measure::Scale { one: None, .. } => {
                scores.iter().map(|x| if x.is_nan() { f64::NAN } else { 0.0 }).collect()
            }
            Measure::Ranks { k, ranks } => {
                ranks.iter().map(|rank| rank.map_or(0.0, |rank| 1.0 / (k + f64::from(rank)))).collect()
            }
        }
    }
}

impl Method {
    /// The word it is written with.
    pub fn name(self) -> &'static str {
        match self {
            Method::Rrf { .. } => "rrf",
            Method::ZScore => "zscore",
            Method::MinMax => "minmax",
        }
    }
}

impl Fusion {
    /// Weighted reciprocal rank fusion.
    pub fn rrf(k: f64, weights: impl Into<Vec<f64>>) -> Self {
        Self { method: Method::Rrf { k }, weights: weights.into() }
    }

    /// Z-scores of two legs: weight `alpha` in [0, 1] for the first, `1 - alpha` for the second.
    pub fn zscore(alpha: f64) -> Self {
        Self { method: Method::ZScore, weights: vec![alpha, 1.0 - alpha] }
    }

    /// Min-max scores of two legs: weight `alpha` in [0, 1] for the first, `1 - alpha` for the second.
    pub fn minmax(alpha: f64) -> Self {
        Self { method: Method::MinMax, weights: vec![alpha, 1.0 - alpha] }
    }

    /// A method that weighs `legs` legs alike.
    pub fn even(method: Method, legs: usize) -> Self {
        let weight = if matches!(method, Method::Rrf { .. }) { 1.0 } else { 1.0 / legs.max(1) as f64 };
        Self { method, weights: vec![weight; legs] }
    }

    /// What each leg contributes to each candidate; the fused score is the sum. `None` stands for a missing leg.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn contributions(&self, legs: &[Option<LegScores<'_>>]) -> Result<Vec<Option<Contribution>>, NotANumber> {
        let alone = legs.iter().flatten().count() == 1;
        let contribution = |(place, leg): (usize, &Option<LegScores<'_>>)| {
            let Some(leg) = *leg else { return Ok(None) };
            let weight = if alone { 1.0 } else { self.weights.get(place).copied().unwrap_or(1.0) };
            let measure = Measure::of(self.method, leg)?;
            let mut shares = measure.apply(leg.scores);
            shares.iter_mut().for_each(|share| *share *= weight);
            Ok(Some(Contribution { shares, weight, measure }))
        };
        legs.iter().enumerate().map(contribution).collect()
    }

    /// Fused scores, one a candidate; empty when no leg is there.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn fuse(&self, legs: &[Option<LegScores<'_>>]) -> Result<Vec<f64>, NotANumber> {
        let mut contributions = self.contributions(legs)?.into_iter().flatten();
        let mut fused = contributions.next().map(|first| first.shares).unwrap_or_default();
        for contribution in contributions {
            fused.iter_mut().zip(&contribution.shares).for_each(|(sum, share)| *sum += share);
        }
        Ok(fused)
    }

    /// Its numbers, in the order they are written: one weight stands for two that add up to 1.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match (self.method, self.weights.as_slice()) {
            (Method::Rrf { k }, weights) => [&[k], weights].concat(),
            (_, [alpha, rest]) if *alpha <= 1.0 && *rest == 1.0 - alpha => vec![*alpha],
            (_, weights) => weights.to_vec(),
        }
    }

    /// The method `name` with the numbers written for it; without numbers, `legs` legs count alike.
    pub(crate) fn read(name: &str, numbers: &[f64], legs: usize) -> Option<Self> {
        let weighted = |method, weights: &[f64]| Some(Self { method, weights: weights.to_vec() });
        match (name, numbers) {
            ("rrf", []) => Some(Self::even(Method::Rrf { k: RRF_K }, legs)),
            ("rrf", [k, weights @ ..]) if *k > 0.0 && weights.len() == legs => weighted(Method::Rrf { k: *k }, weights),
            ("zscore", []) => Some(Self::even(Method::ZScore, legs)),
            ("minmax", []) => Some(Self::even(Method::MinMax, legs)),
            ("zscore", [alpha]) if legs == 2 && *alpha <= 1.0 => Some(Self::zscore(*alpha)),
            ("minmax", [alpha]) if legs == 2 && *alpha <= 1.0 => Some(Self::minmax(*alpha)),
            ("zscore", weights) if weights.len() == legs => weighted(Method::ZScore, weights),
            ("minmax", weights) if weights.len() == legs => weighted(Method::MinMax, weights),
            _ => None,
        }
    }
}

/// Mean and population standard deviation; `None` for scores that are all the same.
pub(crate) fn mean_and_deviation(scores: &[f64]) -> (f64, Option<f64>) {
    mean_and_deviation_with(scores, 0)
}

/// [`mean_and_deviation`] of some scores and so many zeros.
pub(crate) fn mean_and_deviation_with(scores: &[f64], zeros: usize) -> (f64, Option<f64>) {
    let (n, zeros) = ((scores.len() + zeros) as f64, zeros as f64);
    let mean = scores.iter().sum::<f64>() / n;
    let squares = scores.iter().map(|x| (x - mean).powi(2)).sum::<f64>() + zeros * mean.powi(2);
    let deviation = (squares / n).sqrt();
    // Rounding gives equal scores a deviation of about 1e-17 of their size, not 0.
    (mean, Some(deviation).filter(|deviation| *deviation > 1e-12 * mean.abs().max(f64::MIN_POSITIVE)))
}

/// Ranks from 1. A candidate at the leg's floor was not found by the leg, and has no rank.
fn ranks(leg: LegScores<'_>) -> Result<Vec<Option<u32>>, NotANumber> {
    let mut ranks = vec![None; leg.scores.len()];
    let ranking = Ranking::of_scores(leg.scores)?;
    let found = ranking.iter().take_while(|scored| leg.floor.is_none_or(|floor| scored.score > floor));
    for (rank, scored) in (1u32..).zip(found) {
        ranks[scored.candidate as usize] = Some(rank);
    }
    Ok(ranks)
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(f64::to_string).collect();
        write!(f, "{}({})", self.method.name(), numbers.join(","))
    }
}

impl FromStr for Fusion {
    type Err = UnknownChoice;

    /// Reads a fusion of as many legs as it has weights, of two where it has one or none.
    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        let unknown = || UnknownChoice {
            what: "fusion",
            found: text.to_owned(),
            expected: "zscore(alpha), minmax(alpha) with alpha from 0 to 1, rrf or rrf(k, weight of each leg)",
        };
        let (name, numbers) = match text.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(unknown)?),
            None => (text, ""),
        };
        let number = |n: &str| n.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
        let numbers = numbers.split(',').filter(|n| !n.trim().is_empty()).map(|n| number(n).ok_or_else(unknown));
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
        let legs = if name == "rrf" { numbers.len().saturating_sub(1) } else { numbers.len() };
        Self::read(name, &numbers, legs.max(2)).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all() -> [Fusion; 3] {
        [Fusion::rrf(RRF_K, [1.0, 1.0]), Fusion::zscore(0.5), Fusion::minmax(0.5)]
    }

    fn leg(scores: &[f64], floor: f64) -> Option<LegScores<'_>> {
        Some(LegScores { scores, floor: Some(floor) })
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn rrf_by_hand() {
        let fused =
            Fusion::rrf(60.0, [1.0, 0.5]).fuse(&[leg(&[3.0, 1.0, 2.0], 0.0), leg(&[0.1, 0.9, 0.5], -1.0)]).unwrap();
        close(&fused, &[1.0 / 61.0 + 0.5 / 63.0, 1.0 / 63.0 + 0.5 / 61.0, 1.0 / 62.0 + 0.5 / 62.0]);
    }

    #[test]
    fn rrf_gives_nothing_to_what_a_leg_did_not_find() {
        // Without this, arrival order would rank the unmatched.
        let fused = all()[0].fuse(&[leg(&[0.0, 0.0, 2.0, 0.0], 0.0), None]).unwrap();
        close(&fused, &[0.0, 0.0, 1.0 / 61.0, 0.0]);
    }

    #[test]
    fn zscore_by_hand() {
        // mean 2, population deviation sqrt(2/3)
        let z = (1.5f64).sqrt();
        let fused = Fusion::zscore(0.25).fuse(&[leg(&[1.0, 2.0, 3.0], 0.0), leg(&[0.3, 0.3, 0.3], -1.0)]);
        close(&fused.unwrap(), &[-0.25 * z, 0.0, 0.25 * z]);
    }

    #[test]
    fn minmax_by_hand() {
        let fused = Fusion::minmax(0.5).fuse(&[leg(&[0.0, 2.0, 4.0], 0.0), leg(&[-1.0, 0.0, 0.6], -1.0)]);
        close(&fused.unwrap(), &[0.0, 0.25 + 0.3125, 1.0]);
    }

    #[test]
    fn three_legs_are_fused_by_their_weights() {
        let fusion = Fusion::rrf(60.0, [1.0, 0.5, 2.0]);
        let fused = fusion.fuse(&[leg(&[1.0, 0.0], 0.0), leg(&[0.2, 0.9], -1.0), leg(&[0.0, 3.0], 0.0)]).unwrap();
        close(&fused, &[1.0 / 61.0 + 0.5 / 62.0, 0.5 / 61.0 + 2.0 / 61.0]);
        // A leg that is missing leaves the weights of the others to their legs.
        let without = fusion.fuse(&[leg(&[1.0, 0.0], 0.0), None, leg(&[0.0, 3.0], 0.0)]).unwrap();
        close(&without, &[1.0 / 61.0, 2.0 / 61.0]);
    }

    #[test]
    fn a_name_reads_back() {
        for text in ["rrf(60,1,0.5)", "zscore(0.35)", "minmax(1)", "zscore(0.5,0.3,0.2)", "rrf(60,1,1,0.2)"] {
            assert_eq!(text.parse::<Fusion>().unwrap().to_string(), text);
        }
        for text in ["rff", "zscore(2)", "zscore(-1)", "zscore(x)", "zscore(0.5", "rrf(0,1,1)", "minmax(NaN)"] {
            assert!(text.parse::<Fusion>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_leg_and_no_candidate_are_not_a_panic() {
        for fusion in all() {
            assert!(fusion.fuse(&[None, None]).unwrap().is_empty());
            assert!(fusion.fuse(&[leg(&[], 0.0), leg(&[], -1.0)]).unwrap().is_empty());
        }
    }

    #[test]
    fn not_a_number_is_never_hidden() {
        for fusion in all() {
            let fused = fusion.fuse(&[leg(&[1.0, f64::NAN], 0.0), None]);
            assert!(fused.and_then(|scores| Ranking::of_scores(&scores)).is_err(), "{fusion}");
        }
    }

    proptest! {
        #[test]
        fn a_single_leg_keeps_its_order(scores in prop::collection::vec(0u16..50, 1..40)) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let alone = Ranking::of_scores(&scores).unwrap();
            let alone: Vec<u32> = alone.iter().map(|s| s.candidate).collect();
            for fusion in all() {
                let fused = fusion.fuse(&[leg(&scores, 0.0), None]).unwrap();
                let fused = Ranking::of_scores(&fused).unwrap();
                prop_assert_eq!(&fused.iter().map(|s| s.candidate).collect::<Vec<_>>(), &alone);
            }
        }
    }
}
