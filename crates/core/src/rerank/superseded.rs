//! What holds now supersedes what held before.

use super::RerankCandidate;

/// How much a candidate that surely is about the matter lowers those that are older, for each point of its logit. This and
/// [`FITS`] were chosen on questions for what holds now (docs/decisions/0024).
const WEIGHT: f64 = 4.0;
/// The logit from which a candidate counts as being about the matter.
const FITS: f64 = 1.0;
/// How steeply a candidate counts as being about it by its first-stage score, for each standard deviation from their mean.
const STEEPNESS: f64 = 4.0;

/// What the score of each candidate that was read loses to newer ones, where the question asks for what holds now; 0 elsewhere.
///
/// Every newer one takes `4 ln(1 + e^(logit - 1)) / (1 + e^(-4 z))` by its own logit and by its first-stage score `z`, in standard
/// deviations from their mean: next to nothing if it is about something else by either. `first_stage` is that of each candidate.
pub(super) fn superseded(logits: &[f64], first_stage: &[f64], candidates: &[RerankCandidate]) -> Vec<f64> {
    let taken = |(logit, z): (&f64, &f64)| WEIGHT * softplus(logit - FITS) / (1.0 + (-STEEPNESS * z).exp());
    let taken: Vec<f64> = logits.iter().zip(first_stage).map(taken).collect();
    let read = || candidates.iter().map(|candidate| candidate.recency).zip(&taken);
    let newer_than = |own: f64| read().filter(move |(recency, _)| recency.is_some_and(|recency| recency > own));
    let lost = |own: f64| newer_than(own).map(|(_, taken)| taken).sum();
    read().map(|(recency, _)| recency.map_or(0.0, lost)).collect()
}

/// `ln(1 + e^x)`, for any `x`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_newer_candidate_lowers_an_older_one_by_its_own_logit() {
        let lost_behind = |of: &[(Option<f64>, f64)], first_stage: &[f64]| {
            let at = |&(recency, _): &(Option<f64>, f64)| RerankCandidate { recency, ..RerankCandidate::default() };
            let logits: Vec<f64> = of.iter().map(|(_, logit)| *logit).collect();
            superseded(&logits, first_stage, &of.iter().map(at).collect::<Vec<_>>())
        };
        let lost = |of: &[(Option<f64>, f64)]| lost_behind(of, &[0.0; 5]);
        // As good as the mean of the first stage: half of what the logit says.
        let by = |logit: f64| 2.0 * (1.0 + (logit - 1.0).exp()).ln();
        let close = |found: &[f64], expected: &[f64]| {
            let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
            assert!(found.len() == expected.len() && near, "{found:?}, expected {expected:?}");
        };
        // The second is about the matter, the third is not, and the last two were said at once.
        let of = [(Some(0.1), 5.0), (Some(0.5), 3.0), (Some(0.9), -30.0), (Some(1.0), 2.0), (Some(1.0), 4.0)];
        let [second, last] = [by(3.0), by(2.0) + by(4.0)];
        close(&lost(&of), &[second + last, last, last, 0.0, 0.0]);
        assert_eq!(lost(&of.map(|(_, logit)| (None, logit))), [0.0; 5], "the question does not ask for what holds now");
        // `exp` of this logit is infinite.
        close(&lost(&[(Some(0.0), 0.0), (Some(1.0), 2001.0)]), &[4000.0, 0.0]);
        assert!(lost(&[]).is_empty());
        // What the first stage finds to be about something else takes nothing, and what it puts first takes all.
        let two = [(Some(0.0), 0.0), (Some(1.0), 5.0)];
        let taken = [-40.0, 40.0].map(|z| lost_behind(&two, &[0.0, z])[0]);
        close(&taken, &[0.0, 2.0 * by(5.0)]);
    }
}
