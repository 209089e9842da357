//! Scores beside what came true.

use crate::statistics::StatisticsError;

/// Scores, or probabilities, of things that turned out true or not; places count from 0 in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecasts {
    /// Highest score first; equal ones in the order given.
    sorted: Vec<Forecast>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Forecast {
    place: usize,
    score: f64,
    truth: bool,
}

/// Forecasts of about the same probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Mean of what was said.
    pub said: f64,
    /// Share that came true.
    pub came_true: f64,
    /// Weight of the forecasts in it.
    pub weight: f64,
}

/// What answering the surest part costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// Share that is answered, the surest first; in (0, 1].
    pub coverage: f64,
    /// Share of those that is wrong.
    pub risk: f64,
}

impl Forecasts {
    /// Scores and what came true, in the same order.
    ///
    /// # Errors
    /// When there are none, the lengths differ, or a score is not finite.
    pub fn new(scores: &[f64], truths: &[bool]) -> Result<Self, StatisticsError> {
        if scores.len() != truths.len() {
            let (found, expected) = (truths.len(), scores.len());
            return Err(StatisticsError::Lengths { what: "truths", found, expected });
        }
        if scores.is_empty() {
            return Err(StatisticsError::NoValues);
        }
        if let Some((place, &found)) = scores.iter().enumerate().find(|(_, score)| !score.is_finite()) {
            return Err(StatisticsError::NotFinite { place, found });
        }
        let forecasts = scores.iter().zip(truths).enumerate();
        let mut sorted: Vec<Forecast> =
            forecasts.map(|(place, (&score, &truth))| Forecast { place, score, truth }).collect();
        sorted.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Self { sorted })
    }

    /// How many there are; at least 1.
    pub fn n(&self) -> usize {
        self.sorted.len()
    }

    /// Each counted once, as a weight for each place.
    pub fn once(&self) -> Vec<f64> {
        vec![1.0; self.n()]
    }

    /// The chance that what came true has a higher score than what did not, ties counting half (Hanley and McNeil
    /// 1982); `None` where all or none came true. `weights` say how often each place counts.
    pub fn auroc(&self, weights: &[f64]) -> Option<f64> {
        let (mut won, mut above, mut below) = (0.0, 0.0, 0.0);
        for tie in self.sorted.chunk_by(|a, b| a.score == b.score) {
            let of =
                |truth: bool| tie.iter().filter(|one| one.truth == truth).map(|one| weights[one.place]).sum::<f64>();
            let (positive, negative) = (of(true), of(false));
            won += negative * (above + positive / 2.0);
            above += positive;
            below += negative;
        }
        (above > 0.0 && below > 0.0).then(|| won / (above * below))
    }

    /// Mean squared distance of a probability to 1 where it came true and to 0 where not (Brier 1950).
    pub fn brier(&self, weights: &[f64]) -> f64 {
        let squared = |one: &Forecast| weights[one.place] * (one.score - f64::from(u8::from(one.truth))).powi(2);
        self.sorted.iter().map(squared).sum::<f64>() / self.weight(weights)
    }

    /// Bins of equal weight, as near as whole forecasts allow, from the least probability to the highest; equal
    /// probabilities are not parted.
    pub fn bins(&self, bins: usize, weights: &[f64]) -> Vec<Bin> {
        let total = self.weight(weights);
        let mut found: Vec<(usize, Bin)> = Vec::new();
        let mut before = 0.0;
        let ascending: Vec<&Forecast> = self.sorted.iter().rev().collect();
        for tie in ascending.chunk_by(|a, b| a.score == b.score) {
            let weight: f64 = tie.iter().map(|one| weights[one.place]).sum();
            if weight == 0.0 {
                continue;
            }
            let came_true: f64 = tie.iter().filter(|one| one.truth).map(|one| weights[one.place]).sum();
            // A tie belongs where its middle lies.
            let bin = ((before + weight / 2.0) / total * bins as f64) as usize;
            before += weight;
            match found.last_mut().filter(|(last, _)| *last == bin) {
                None => found.push((bin, Bin { said: tie[0].score * weight, came_true, weight })),
                Some((_, sums)) => {
                    sums.said += tie[0].score * weight;
                    sums.came_true += came_true;
                    sums.weight += weight;
                }
            }
        }
        let mean = |(_, sums): (usize, Bin)| Bin {
            said: sums.said / sums.weight,
            came_true: sums.came_true / sums.weight,
            weight: sums.weight,
        };
        found.into_iter().map(mean).collect()
    }

    /// Expected calibration error over [`Forecasts::bins`]: mean distance of what was said and what came true.
    pub fn calibration_error(&self, bins: usize, weights: &[f64]) -> f64 {
        let bins = self.bins(bins, weights);
        let total: f64 = bins.iter().map(|bin| bin.weight).sum();
        bins.iter().map(|bin| bin.weight * (bin.said - bin.came_true).abs()).sum::<f64>() / total
    }

    /// The risk at every coverage (El-Yaniv and Wiener 2010), one a forecast; among equal scores it is what a random
    /// order is expected to give.
    pub fn risks(&self) -> Vec<Risk> {
        let mut risks = Vec::with_capacity(self.n());
        let (mut answered, mut wrong) = (0.0, 0.0);
        for tie in self.sorted.chunk_by(|a, b| a.score == b.score) {
            let share = tie.iter().filter(|one| !one.truth).count() as f64 / tie.len() as f64;
            for _ in tie {
                answered += 1.0;
                wrong += share;
                risks.push(Risk { coverage: answered / self.n() as f64, risk: wrong / answered });
            }
        }
        risks
    }

    /// Mean of [`Forecasts::risks`]: the area under the risk-coverage curve; less is better.
    pub fn aurc(&self) -> f64 {
        self.risks().iter().map(|at| at.risk).sum::<f64>() / self.n() as f64
    }

    fn weight(&self, weights: &[f64]) -> f64 {
        self.sorted.iter().map(|one| weights[one.place]).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn forecasts(of: &[(f64, bool)]) -> Forecasts {
        let (scores, truths): (Vec<f64>, Vec<bool>) = of.iter().copied().unzip();
        Forecasts::new(&scores, &truths).unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    const FOUR: [(f64, bool); 4] = [(0.9, true), (0.8, false), (0.6, true), (0.1, false)];

    #[test]
    fn auroc_by_hand() {
        // Pairs: .9>.8, .9>.1, .6<.8, .6>.1: three of four.
        close(forecasts(&FOUR).auroc(&[1.0; 4]).unwrap(), 0.75);
        let tied = forecasts(&[(0.5, true), (0.5, false), (0.5, false), (0.9, true)]);
        close(tied.auroc(&[1.0; 4]).unwrap(), 0.75);
        assert_eq!(forecasts(&[(0.5, true), (0.7, true)]).auroc(&[1.0; 2]), None);
    }

    #[test]
    fn brier_by_hand() {
        close(forecasts(&FOUR).brier(&[1.0; 4]), (0.01 + 0.64 + 0.16 + 0.01) / 4.0);
    }

    #[test]
    fn calibration_by_hand() {
        // Two bins: {.1, .6} says .35, half true; {.8, .9} says .85, half true.
        close(forecasts(&FOUR).calibration_error(2, &[1.0; 4]), (0.15 + 0.35) / 2.0);
        close(forecasts(&[(0.5, true), (0.5, false)]).calibration_error(10, &[1.0; 2]), 0.0);
    }

    #[test]
    fn risk_and_coverage_by_hand() {
        let risks: Vec<f64> = forecasts(&FOUR).risks().iter().map(|at| at.risk).collect();
        for (found, expected) in risks.iter().zip([0.0, 0.5, 1.0 / 3.0, 0.5]) {
            close(*found, expected);
        }
        close(forecasts(&FOUR).aurc(), (0.5 + 1.0 / 3.0 + 0.5) / 4.0);
        close(forecasts(&[(0.5, true), (0.5, false)]).aurc(), 0.5);
    }

    #[test]
    fn what_is_no_forecast_is_refused() {
        assert_eq!(Forecasts::new(&[], &[]), Err(StatisticsError::NoValues));
        assert!(matches!(Forecasts::new(&[0.5], &[]), Err(StatisticsError::Lengths { found: 0, .. })));
        let refused = Forecasts::new(&[0.5, f64::NAN], &[true, false]);
        assert!(matches!(refused, Err(StatisticsError::NotFinite { place: 1, .. })));
    }

    proptest! {
        #[test]
        fn auroc_counts_pairs(of in prop::collection::vec((0u8..8, any::<bool>()), 1..40)) {
            let of: Vec<(f64, bool)> = of.into_iter().map(|(score, truth)| (f64::from(score), truth)).collect();
            let pairs = of.iter().flat_map(|a| of.iter().map(move |b| (a, b))).filter(|(a, b)| a.1 && !b.1);
            let (mut won, mut n) = (0.0, 0.0);
            for (a, b) in pairs {
                n += 1.0;
                won += if a.0 > b.0 { 1.0 } else if a.0 == b.0 { 0.5 } else { 0.0 };
            }
            let found = forecasts(&of).auroc(&vec![1.0; of.len()]);
            prop_assert_eq!(found.is_some(), n > 0.0);
            prop_assert!(found.is_none_or(|found| (found - won / n).abs() < 1e-12));
        }

        #[test]
        fn a_weight_is_a_repeat(of in prop::collection::vec((0u8..8, any::<bool>(), 0u8..3), 2..20)) {
            let repeated: Vec<(f64, bool)> = of
                .iter()
                .flat_map(|&(score, truth, times)| vec![(f64::from(score) / 8.0, truth); usize::from(times)])
                .collect();
            prop_assume!(!repeated.is_empty());
            let once: Vec<(f64, bool)> = of.iter().map(|&(score, truth, _)| (f64::from(score) / 8.0, truth)).collect();
            let weights: Vec<f64> = of.iter().map(|&(_, _, times)| f64::from(times)).collect();
            let (weighted, repeated) = (forecasts(&once), forecasts(&repeated));
            let each = repeated.once();
            prop_assert!((weighted.brier(&weights) - repeated.brier(&each)).abs() < 1e-12);
            prop_assert_eq!(weighted.auroc(&weights).map(|a| (a * 1e9).round()), repeated.auroc(&each).map(|a| (a * 1e9).round()));
            let errors = (weighted.calibration_error(5, &weights), repeated.calibration_error(5, &each));
            prop_assert!((errors.0 - errors.1).abs() < 1e-9);
        }

        #[test]
        fn every_figure_is_a_share(of in prop::collection::vec((0.0..=1.0f64, any::<bool>()), 1..60)) {
            let found = forecasts(&of);
            let each = found.once();
            for figure in [found.brier(&each), found.calibration_error(10, &each), found.aurc()] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&figure));
            }
            let weight: f64 = found.bins(10, &each).iter().map(|bin| bin.weight).sum();
            prop_assert!((weight - of.len() as f64).abs() < 1e-9);
            let wrong = of.iter().filter(|(_, truth)| !truth).count() as f64 / of.len() as f64;
            prop_assert!(found.risks().last().is_some_and(|last| (last.risk - wrong).abs() < 1e-9));
        }
    }
}
