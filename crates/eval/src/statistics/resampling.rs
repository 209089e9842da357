//! What is resampled: whole groups where there are enough of them, and otherwise questions.

use std::collections::BTreeSet;

/// Groups from which on they are resampled.
///
/// A bootstrap over few clusters is too sure of itself: it rejects too often below some thirty and badly below ten
/// (Cameron, Gelbach and Miller 2008, "Bootstrap-based improvements for inference with clustered errors", Review of
/// Economics and Statistics 90, sections I and IV). And `k` groups have only `C(2k - 1, k)` different resamples: 3 of two
/// groups, 126 of five, so that 4,000 draws are the same few again and again.
pub const MIN_GROUPS: usize = 10;

/// What stands for one draw of a bootstrap, and what its figures do not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resampling {
    /// The cluster of each question.
    pub clusters: Vec<usize>,
    /// `groups` or `questions`.
    pub what: &'static str,
    /// What intervals and p-values do not say, where that is less than one would think.
    pub caveat: Option<String>,
}

impl Resampling {
    /// Resamples groups, or questions where there are fewer than [`MIN_GROUPS`]; `groups` has the group of each question.
    pub fn of(groups: &[usize]) -> Self {
        let (found, questions) = (groups.iter().collect::<BTreeSet<_>>().len(), groups.len());
        if found >= MIN_GROUPS {
            return Self { clusters: groups.to_vec(), what: "groups", caveat: None };
        }
        let caveat = match (found, questions) {
            (_, 0..MIN_GROUPS) => Some(format!(
                "{questions} questions are too few to resample (fewer than {MIN_GROUPS}): intervals and p-values mean little"
            )),
            (0 | 1, _) => None,
            (groups, _) => Some(format!(
                "{groups} groups are too few to resample (fewer than {MIN_GROUPS}): questions are resampled instead, and \
                 intervals and p-values say nothing of other groups"
            )),
        };
        Self { clusters: (0..questions).collect(), what: "questions", caveat }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{RESAMPLES, SEED, paired};

    #[test]
    fn two_groups_are_not_resampled() {
        // The intervals of two groups went from the mean of one to that of the other, and p was below 1/4000 wherever
        // the second system was better in both: all three resamples that there are say so.
        let groups: Vec<usize> = (0..40).map(|i| i / 20).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = (0..40).map(|i| if i % 20 < 11 { (0.0, 1.0) } else { (1.0, 0.0) }).unzip();
        let found = paired(&a, &b, &groups, RESAMPLES, SEED).unwrap();
        assert_eq!((found.low, found.high, found.p_text().as_str()), (found.difference, found.difference, "< 1/4000"));

        let resampling = Resampling::of(&groups);
        assert_eq!(resampling.what, "questions");
        let caveat = resampling.caveat.unwrap();
        assert!(
            caveat.starts_with("2 groups are too few") && caveat.contains("say nothing of other groups"),
            "{caveat}"
        );
        let found = paired(&a, &b, &resampling.clusters, RESAMPLES, SEED).unwrap();
        assert!(found.low < 0.0 && found.high > 0.2 && (0.1..0.5).contains(&found.p), "{found:?}");
    }

    #[test]
    fn ten_groups_are_resampled_as_ever() {
        let groups: Vec<usize> = (0..100).map(|i| i % 10).collect();
        assert_eq!(Resampling::of(&groups), Resampling { clusters: groups.clone(), what: "groups", caveat: None });
        let nine: Vec<usize> = (0..100).map(|i| i % 9).collect();
        assert_eq!(Resampling::of(&nine).what, "questions");
        let one = Resampling::of(&[0; 20]);
        assert_eq!((one.clusters, one.what, one.caveat), ((0..20).collect(), "questions", None));
        assert!(Resampling::of(&[0, 1, 2]).caveat.unwrap().starts_with("3 questions are too few"));
    }
}
