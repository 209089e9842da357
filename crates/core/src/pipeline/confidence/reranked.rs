//! What the first hits show after the evidence reranker has ordered them.

use super::{Signal, Signals, signals::fit};
use crate::{
    pipeline::{legs::TitleLeg, request::Legs},
    rerank::{CandidateScore, Logits},
};

/// A reranker's score beyond this says no more.
const MOST_SCORE: f64 = 30.0;

impl Signals {
    /// The same of a search whose best hits a reranker ordered: what it says of each, best first, and where the legs put the hit
    /// that is first now.
    ///
    /// Of the signals of the first hit only that of its title is anew: the coefficients are fitted on the others as they were before.
    pub fn reranked(mut self, first_hit: &Legs, scored: &[CandidateScore]) -> Self {
        let scores: Vec<f64> = scored.iter().map_while(|of| of.score).collect();
        let Some((&first, others)) = scores.split_first() else { return self };
        let logits: Vec<Logits> = scored.iter().filter_map(|of| of.logits).collect();
        let bounded = |logit: f64| logit.clamp(-MOST_SCORE, MOST_SCORE);
        let best = |of: fn(&Logits) -> f64| logits.iter().map(of).reduce(f64::max).map_or(0.0, bounded);
        let ahead_of = |score: f64| (first - score).clamp(0.0, MOST_SCORE);
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        for (signal, value) in [
            (Signal::Titled, fit(first_hit.get(TitleLeg::NAME))),
            (Signal::RerankScore, bounded(first)),
            // A single hit has none to be ahead of.
            (Signal::RerankGap, others.first().map_or(0.0, |&next| ahead_of(next))),
            (Signal::RerankLead, if others.is_empty() { 0.0 } else { ahead_of(mean) }),
            (Signal::RerankAnswer, scored[0].logits.map_or(0.0, |of| bounded(of.answers))),
            (Signal::RerankBestAnswer, best(|of| of.answers)),
            (Signal::RerankBestFit, best(|of| of.fits)),
        ] {
            self.values[signal as usize] = value;
        }
        self.basis.reranked = true;
        self
    }

    /// The same without what the reranker says.
    pub fn before_reranking(mut self) -> Self {
        self.values[Signal::RerankScore as usize..].fill(0.0);
        self.basis.reranked = false;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Basis, *};
    use crate::pipeline::request::LegHit;

    const TITLED: f64 = 0.75;

    fn before() -> Signals {
        Signals::none(Basis { dense: true, reranked: false }).with(Signal::Coverage, 0.5).with(Signal::Titled, TITLED)
    }

    /// Where the title leg puts a hit that fits so well.
    fn titled(score: f64) -> Legs {
        Legs(vec![(TitleLeg::NAME, LegHit { rank: 1, score })])
    }

    fn of_scores(scores: &[f64]) -> Vec<CandidateScore> {
        scores.iter().map(|&score| CandidateScore { score: Some(score), ..CandidateScore::default() }).collect()
    }

    #[test]
    fn logits_are_of_the_first_hit_and_of_the_best() {
        let scored = |(fits, answers)| CandidateScore {
            score: Some(0.0),
            logits: Some(Logits { fits, answers }),
            ..CandidateScore::default()
        };
        let of = |logits: &[(f64, f64)]| {
            let after = before().reranked(&titled(TITLED), &logits.iter().copied().map(scored).collect::<Vec<_>>());
            let signals = [Signal::RerankAnswer, Signal::RerankBestAnswer, Signal::RerankBestFit];
            assert!(signals.iter().all(|&signal| after.before_reranking().get(signal) == 0.0));
            signals.map(|signal| after.get(signal))
        };
        assert_eq!(of(&[(1.0, -2.0), (3.0, -1.0), (-4.0, -5.0)]), [-2.0, -1.0, 3.0]);
        assert_eq!(of(&[(f64::INFINITY, -1e9)]), [-MOST_SCORE, -MOST_SCORE, MOST_SCORE]);
    }

    #[test]
    fn scores_are_of_the_hit_that_the_reranker_puts_first() {
        let before = before();
        assert!(before.iter().all(|(signal, _)| !signal.name().starts_with("rerank")));
        let of = |scores: &[f64]| {
            let after = before.reranked(&titled(TITLED), &of_scores(scores));
            assert_eq!(after.get(Signal::Coverage), before.get(Signal::Coverage));
            [Signal::RerankScore, Signal::RerankGap, Signal::RerankLead].map(|signal| after.get(signal))
        };
        assert_eq!(of(&[4.0, 1.0, -2.0, -2.0]), [4.0, 3.0, 5.0]);
        assert_eq!(of(&[4.0]), [4.0, 0.0, 0.0]);
        assert_eq!(of(&[f64::INFINITY, 0.0]), [MOST_SCORE; 3]);
        assert_eq!(before.reranked(&Legs::default(), &[]), before, "nothing was scored");
        assert_eq!(before.reranked(&titled(TITLED), &of_scores(&[4.0, 1.0])).before_reranking(), before);
    }

    #[test]
    fn the_title_is_that_of_the_hit_that_is_first_now() {
        let of = |legs: &Legs| before().reranked(legs, &of_scores(&[1.0])).get(Signal::Titled);
        assert_eq!([of(&titled(0.25)), of(&Legs::default())], [0.25, 0.0]);
    }
}
