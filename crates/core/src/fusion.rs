//! Merging a lexical and a dense leg into one score.

use std::{fmt, str::FromStr};

use crate::{
    explain::Arithmetic,
    ranking::{NotANumber, Ranking},
    types::UnknownChoice,
};

/// Rank constant of reciprocal rank fusion (Cormack et al. 2009).
pub const RRF_K: f64 = 60.0;

/// How two legs become one score.
///
/// `alpha` in [0, 1] is the weight of the lexical leg, 1 - alpha that of the
/// dense one. A leg that is missing contributes nothing, so every variant
/// keeps the order of the leg that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// `sum_s w_s / (k + rank_s)`, ranks from 1 (decision record, "weighted RRF").
    Rrf {
        /// Rank constant, above 0.
        k: f64,
        /// Weight of the lexical leg.
        lexical: f64,
        /// Weight of the dense leg.
        dense: f64,
    },
    /// `alpha * z(lexical) + (1 - alpha) * z(dense)` (fusion study, eq. 5).
    ZScore {
        /// Weight of the lexical leg.
        alpha: f64,
    },
    /// TM2C2: scores scaled from the leg's theoretical minimum to the largest one seen.
    MinMax {
        /// Weight of the lexical leg.
        alpha: f64,
    },
}

/// One leg's scores, one a candidate, and the least a score of it can be.
#[derive(Debug, Clone, Copy)]
pub struct Leg<'a> {
    /// Score of each candidate, in unit order.
    pub scores: &'a [f64],
    /// Theoretical minimum: 0 for BM25, -1 for a cosine; `None` takes the least seen.
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
    fn of(fusion: Fusion, leg: Leg<'_>) -> Result<Self, NotANumber> {
        Ok(match fusion {
            Fusion::Rrf { k, .. } => Measure::Ranks { k, ranks: ranks(leg)? },
            Fusion::ZScore { .. } => {
                let (mean, deviation) = mean_and_deviation(leg.scores);
                Measure::Scale { zero: mean, one: deviation }
            }
            Fusion::MinMax { .. } => {
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

impl Fusion {
    /// What each leg contributes to each candidate; the fused score is the sum of the two.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn contributions(
        self,
        lexical: Option<Leg<'_>>,
        dense: Option<Leg<'_>>,
    ) -> Result<[Option<Contribution>; 2], NotANumber> {
        let contribution = |leg: Option<Leg<'_>>, weight: f64| {
            leg.map(|leg| {
                let measure = Measure::of(self, leg)?;
                let mut shares = measure.apply(leg.scores);
                shares.iter_mut().for_each(|share| *share *= weight);
                Ok(Contribution { shares, weight, measure })
            })
            .transpose()
        };
        // With one leg there is nothing to weigh: it counts in full, even at weight 0.
        let weights = if lexical.is_some() && dense.is_some() { self.weights() } else { [1.0, 1.0] };
        Ok([contribution(lexical, weights[0])?, contribution(dense, weights[1])?])
    }

    /// The word it is written with.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fusion::Rrf { .. } => "rrf",
            Fusion::ZScore { .. } => "zscore",
            Fusion::MinMax { .. } => "minmax",
        }
    }

    /// Its numbers, in the order they are written.
    pub(crate) fn numbers(self) -> Vec<f64> {
        match self {
            Fusion::Rrf { k, lexical, dense } => vec![k, lexical, dense],
            Fusion::ZScore { alpha } | Fusion::MinMax { alpha } => vec![alpha],
        }
    }

    /// Weights of the lexical and the dense leg.
    fn weights(self) -> [f64; 2] {
        match self {
            Fusion::Rrf { lexical, dense, .. } => [lexical, dense],
            Fusion::ZScore { alpha } | Fusion::MinMax { alpha } => [alpha, 1.0 - alpha],
        }
    }

    /// Fused scores, one a candidate; empty when no leg is there.
    ///
    /// # Errors
    /// When a score is NaN.
    pub fn fuse(self, lexical: Option<Leg<'_>>, dense: Option<Leg<'_>>) -> Result<Vec<f64>, NotANumber> {
        Ok(match self.contributions(lexical, dense)? {
            [Some(a), Some(b)] => a.shares.iter().zip(&b.shares).map(|(a, b)| a + b).collect(),
            [Some(one), None] | [None, Some(one)] => one.shares,
            [None, None] => Vec::new(),
        })
    }
}

/// Mean and population standard deviation; `None` for scores that are all the same.
pub(crate) fn mean_and_deviation(scores: &[f64]) -> (f64, Option<f64>) {
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let deviation = (scores.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    // Rounding gives equal scores a deviation of about 1e-17 of their size, not 0.
    (mean, Some(deviation).filter(|deviation| *deviation > 1e-12 * mean.abs().max(f64::MIN_POSITIVE)))
}

/// Ranks from 1. A candidate at its leg's floor was not found by it: it has none.
fn ranks(leg: Leg<'_>) -> Result<Vec<Option<u32>>, NotANumber> {
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
        write!(f, "{}({})", self.name(), numbers.join(","))
    }
}

impl FromStr for Fusion {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        let unknown = || UnknownChoice {
            what: "fusion",
            found: text.to_owned(),
            expected: "rrf, rrf(k,lexical,dense), zscore(alpha) or minmax(alpha), numbers not negative and alpha at most 1",
        };
        let (name, numbers) = match text.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(unknown)?),
            None => (text, ""),
        };
        let numbers: Vec<f64> = numbers
            .split(',')
            .filter(|n| !n.trim().is_empty())
            .map(|n| n.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0).ok_or_else(unknown))
            .collect::<Result<_, _>>()?;
        let alpha = |alpha: f64| (alpha <= 1.0).then_some(alpha).ok_or_else(unknown);
        match (name, numbers.as_slice()) {
            ("rrf", []) => Ok(Fusion::Rrf { k: RRF_K, lexical: 1.0, dense: 1.0 }),
            ("rrf", [k, lexical, dense]) if *k > 0.0 => Ok(Fusion::Rrf { k: *k, lexical: *lexical, dense: *dense }),
            ("zscore", []) => Ok(Fusion::ZScore { alpha: 0.5 }),
            ("zscore", [a]) => Ok(Fusion::ZScore { alpha: alpha(*a)? }),
            ("minmax", []) => Ok(Fusion::MinMax { alpha: 0.5 }),
            ("minmax", [a]) => Ok(Fusion::MinMax { alpha: alpha(*a)? }),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Fusion; 3] = [
        Fusion::Rrf { k: RRF_K, lexical: 1.0, dense: 1.0 },
        Fusion::ZScore { alpha: 0.5 },
        Fusion::MinMax { alpha: 0.5 },
    ];

    fn leg(scores: &[f64], floor: f64) -> Option<Leg<'_>> {
        Some(Leg { scores, floor: Some(floor) })
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn rrf_by_hand() {
        let fused = Fusion::Rrf { k: 60.0, lexical: 1.0, dense: 0.5 }
            .fuse(leg(&[3.0, 1.0, 2.0], 0.0), leg(&[0.1, 0.9, 0.5], -1.0))
            .unwrap();
        close(&fused, &[1.0 / 61.0 + 0.5 / 63.0, 1.0 / 63.0 + 0.5 / 61.0, 1.0 / 62.0 + 0.5 / 62.0]);
    }

    #[test]
    fn rrf_gives_nothing_to_what_a_leg_did_not_find() {
        // Without this, arrival order would rank the unmatched.
        let fused = ALL[0].fuse(leg(&[0.0, 0.0, 2.0, 0.0], 0.0), None).unwrap();
        close(&fused, &[0.0, 0.0, 1.0 / 61.0, 0.0]);
    }

    #[test]
    fn zscore_by_hand() {
        // mean 2, population deviation sqrt(2/3)
        let z = (1.5f64).sqrt();
        let fused = Fusion::ZScore { alpha: 0.25 }.fuse(leg(&[1.0, 2.0, 3.0], 0.0), leg(&[0.3, 0.3, 0.3], -1.0));
        close(&fused.unwrap(), &[-0.25 * z, 0.0, 0.25 * z]);
    }

    #[test]
    fn minmax_by_hand() {
        let fused = Fusion::MinMax { alpha: 0.5 }.fuse(leg(&[0.0, 2.0, 4.0], 0.0), leg(&[-1.0, 0.0, 0.6], -1.0));
        close(&fused.unwrap(), &[0.0, 0.25 + 0.3125, 1.0]);
    }

    #[test]
    fn a_name_reads_back() {
        for text in ["rrf(60,1,0.5)", "zscore(0.35)", "minmax(1)"] {
            assert_eq!(text.parse::<Fusion>().unwrap().to_string(), text);
        }
        for text in ["rff", "zscore(2)", "zscore(-1)", "zscore(x)", "zscore(0.5", "rrf(0,1,1)", "minmax(NaN)"] {
            assert!(text.parse::<Fusion>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_leg_and_no_candidate_are_not_a_panic() {
        for fusion in ALL {
            assert!(fusion.fuse(None, None).unwrap().is_empty());
            assert!(fusion.fuse(leg(&[], 0.0), leg(&[], -1.0)).unwrap().is_empty());
        }
    }

    #[test]
    fn not_a_number_is_never_hidden() {
        for fusion in ALL {
            let fused = fusion.fuse(leg(&[1.0, f64::NAN], 0.0), None);
            assert!(fused.and_then(|scores| Ranking::of_scores(&scores)).is_err(), "{fusion}");
        }
    }

    proptest! {
        #[test]
        fn a_single_leg_keeps_its_order(scores in prop::collection::vec(0u16..50, 1..40)) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let alone = Ranking::of_scores(&scores).unwrap();
            let alone: Vec<u32> = alone.iter().map(|s| s.candidate).collect();
            for fusion in ALL {
                let fused = fusion.fuse(leg(&scores, 0.0), None).unwrap();
                let fused = Ranking::of_scores(&fused).unwrap();
                prop_assert_eq!(&fused.iter().map(|s| s.candidate).collect::<Vec<_>>(), &alone);
            }
        }
    }
}
