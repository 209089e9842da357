//! How much one system is better than another, and whether that can be chance.

use crate::StudyError;
use aforesaid_eval::{
    measures::{Evaluation, Measure},
    reports::points,
    statistics::{Paired, RESAMPLES, SEED, holm, paired},
};

/// Adjusted p-values from here on are no finding.
const LEVEL: f64 = 0.05;

/// What is resampled: conversations, or questions where there is one history.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resampling {
    clusters: Vec<usize>,
    pub(super) what: &'static str,
}

/// A difference with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gain {
    pub(super) paired: Paired,
    /// Two-sided; adjusted once [`adjust`] has been called.
    pub(super) p: f64,
}

impl Resampling {
    /// `clusters` gives the group of each question.
    pub(super) fn of(clusters: Vec<usize>) -> Self {
        match clusters.iter().any(|cluster| Some(cluster) != clusters.first()) {
            true => Self { clusters, what: "conversations" },
            false => Self { clusters: (0..clusters.len()).collect(), what: "questions" },
        }
    }

    /// The cluster of each question.
    pub(super) fn clusters(&self) -> &[usize] {
        &self.clusters
    }

    /// How much better `b` is than `a`.
    pub(super) fn gain(&self, a: &[f64], b: &[f64]) -> Result<Gain, StudyError> {
        let better = paired(a, b, &self.clusters, RESAMPLES, SEED)?;
        // ModelTasks both ways: where nothing differs, neither is better, and p is 1.
        let worse = paired(b, a, &self.clusters, RESAMPLES, SEED)?;
        // No resample counted says only that p is below one over their number.
        let one_sided = better.p.min(worse.p).max(1.0 / RESAMPLES as f64);
        Ok(Gain { paired: better, p: (2.0 * one_sided).min(1.0) })
    }

    /// The same of one measure of two evaluations.
    pub(super) fn gain_in(&self, measure: Measure, a: &Evaluation, b: &Evaluation) -> Result<Gain, StudyError> {
        self.gain(a.values(measure).unwrap_or_default(), b.values(measure).unwrap_or_default())
    }
}

/// Corrects the p-values of a family of comparisons (Holm).
pub(super) fn adjust<'a>(family: impl IntoIterator<Item = &'a mut Gain>) -> Result<(), StudyError> {
    let mut family: Vec<&mut Gain> = family.into_iter().collect();
    let adjusted = holm(&family.iter().map(|gain| gain.p).collect::<Vec<_>>())?;
    family.iter_mut().zip(adjusted).for_each(|(gain, p)| gain.p = p);
    Ok(())
}

impl Gain {
    pub(super) fn significant(&self) -> bool {
        self.p < LEVEL
    }

    fn mark(&self) -> &'static str {
        if self.significant() { " *" } else { "" }
    }

    /// `-0.7 *`, in points.
    pub(super) fn marked(&self) -> String {
        format!("{}{}", points(self.paired.difference), self.mark())
    }

    /// `-0.7 [-1.0, -0.4] *`, in points.
    pub(super) fn with_interval(&self) -> String {
        let Paired { difference, low, high, .. } = self.paired;
        format!("{} [{}, {}]{}", points(difference), points(low), points(high), self.mark())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_differ_is_no_finding() {
        let same = Resampling::of(vec![0, 0, 1, 1]).gain(&[0.5; 4], &[0.5; 4]).unwrap();
        assert_eq!((same.p, same.paired.difference), (1.0, 0.0));
        assert_eq!(same.marked(), "+0.0");
    }

    #[test]
    fn a_difference_counts_either_way_and_less_in_a_family() {
        let conversations = Resampling::of((0..40).map(|i| i / 4).collect());
        let (low, high) = (vec![0.25; 40], vec![0.75; 40]);
        let up = conversations.gain(&low, &high).unwrap();
        let down = conversations.gain(&high, &low).unwrap();
        assert_eq!((up.p, down.p), (2.0 / RESAMPLES as f64, 2.0 / RESAMPLES as f64));
        assert_eq!((up.marked().as_str(), down.with_interval().as_str()), ("+50.0 *", "-50.0 [-50.0, -50.0] *"));
        let mut family = [up; 101];
        adjust(&mut family).unwrap();
        assert!(!family[0].significant(), "101 times 1/2000 is above 0.05");
    }

    #[test]
    fn questions_are_resampled_where_there_is_one_history() {
        assert_eq!(Resampling::of(vec![2, 2, 2]).what, "questions");
        assert_eq!(Resampling::of(vec![0, 1]).what, "conversations");
    }
}
