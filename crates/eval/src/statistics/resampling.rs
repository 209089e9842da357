//! What is resampled: whole groups where there are enough of them, and otherwise questions within their groups.

use std::collections::BTreeMap;

use super::{
    Interval, Paired, RESAMPLES, SEED, StatisticsError, cluster_bootstrap, paired, stratified_bootstrap,
    stratified_paired,
};

/// Groups from which on they are resampled.
///
/// A bootstrap over few clusters is too sure of itself: it rejects too often below some thirty and badly below ten
/// (Cameron, Gelbach and Miller 2008, "Bootstrap-based improvements for inference with clustered errors", Review of
/// Economics and Statistics 90, sections I and IV). And `k` groups have only `C(2k - 1, k)` different resamples: 3 of two
/// groups, 126 of five, so that 4,000 draws are the same few again and again.
pub const MIN_GROUPS: usize = 10;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawn {
    Groups,
    WithinGroups,
    Questions,
}

/// What stands for one draw of a bootstrap, and what its figures do not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resampling {
    drawn: Drawn,
    /// The group of each question; where single questions are drawn from all, each is of its own.
    clusters: Vec<usize>,
    /// What intervals and p-values do not say, where that is less than one would think.
    pub caveat: Option<String>,
}

impl Resampling {
    /// Resamples groups, or questions where there are fewer than [`MIN_GROUPS`]; `groups` has the group of each question.
    ///
    /// Questions are drawn within their groups, so that no resample is of fewer groups than there are. A group of one
    /// question would not vary at all: with one among them, questions are drawn from all.
    pub fn of(groups: &[usize]) -> Self {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        groups.iter().for_each(|group| *sizes.entry(*group).or_default() += 1);
        let (found, questions) = (sizes.len(), groups.len());
        if found >= MIN_GROUPS {
            return Self { drawn: Drawn::Groups, clusters: groups.to_vec(), caveat: None };
        }
        let (drawn, within) = match found > 1 && sizes.values().all(|size| *size > 1) {
            true => (Drawn::WithinGroups, " within their groups"),
            false => (Drawn::Questions, ""),
        };
        let caveat = match (found, questions) {
            (_, 0..MIN_GROUPS) => Some(format!(
                "{questions} questions are too few to resample (fewer than {MIN_GROUPS}): intervals and p-values mean little"
            )),
            (0 | 1, _) => None,
            (groups, _) => Some(format!(
                "{groups} groups are too few to resample (fewer than {MIN_GROUPS}): questions are resampled{within} instead, \
                 and intervals and p-values say nothing of other groups"
            )),
        };
        let clusters = match drawn {
            Drawn::Questions => (0..questions).collect(),
            Drawn::Groups | Drawn::WithinGroups => groups.to_vec(),
        };
        Self { drawn, clusters, caveat }
    }

    /// `groups`, `questions within groups` or `questions`.
    pub fn what(&self) -> &'static str {
        match self.drawn {
            Drawn::Groups => "groups",
            Drawn::WithinGroups => "questions within groups",
            Drawn::Questions => "questions",
        }
    }

    /// The mean of a value of each question, with its interval.
    ///
    /// # Errors
    /// When there are not as many values as questions, or one is not a number.
    pub fn interval(&self, values: &[f64]) -> Result<Interval, StatisticsError> {
        match self.drawn {
            Drawn::WithinGroups => stratified_bootstrap(values, &self.clusters, RESAMPLES, SEED),
            Drawn::Groups | Drawn::Questions => cluster_bootstrap(values, &self.clusters, RESAMPLES, SEED),
        }
    }

    /// How much better the second values are than the first.
    ///
    /// # Errors
    /// As [`Resampling::interval`].
    pub fn paired(&self, a: &[f64], b: &[f64]) -> Result<Paired, StatisticsError> {
        match self.drawn {
            Drawn::WithinGroups => stratified_paired(a, b, &self.clusters, RESAMPLES, SEED),
            Drawn::Groups | Drawn::Questions => paired(a, b, &self.clusters, RESAMPLES, SEED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_groups_are_not_resampled() {
        // The intervals of two groups went from the mean of one to that of the other, and p was below 1/4000 wherever
        // the second system was better in both: all three resamples that there are say so.
        let groups: Vec<usize> = (0..40).map(|i| i / 20).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = (0..40).map(|i| if i % 20 < 11 { (0.0, 1.0) } else { (1.0, 0.0) }).unzip();
        let found = paired(&a, &b, &groups, RESAMPLES, SEED).unwrap();
        assert_eq!((found.low, found.high, found.p_text().as_str()), (found.difference, found.difference, "< 1/4000"));

        let resampling = Resampling::of(&groups);
        assert_eq!(resampling.what(), "questions within groups");
        let caveat = resampling.caveat.clone().unwrap();
        assert!(
            caveat.starts_with("2 groups are too few") && caveat.contains("say nothing of other groups"),
            "{caveat}"
        );
        let found = resampling.paired(&a, &b).unwrap();
        assert!(found.low < 0.0 && found.high > 0.2 && (0.1..0.5).contains(&found.p), "{found:?}");
    }

    #[test]
    fn ten_groups_are_resampled_as_ever() {
        let groups: Vec<usize> = (0..100).map(|i| i % 10).collect();
        assert_eq!(
            Resampling::of(&groups),
            Resampling { drawn: Drawn::Groups, clusters: groups.clone(), caveat: None }
        );
        let nine: Vec<usize> = (0..100).map(|i| i % 9).collect();
        assert_eq!(Resampling::of(&nine).what(), "questions within groups");
        let one = Resampling::of(&[0; 20]);
        assert_eq!((one.what(), one.clusters, one.caveat), ("questions", (0..20).collect(), None));
        assert!(Resampling::of(&[0, 1, 2]).caveat.unwrap().starts_with("3 questions are too few"));
    }

    #[test]
    fn questions_stay_in_their_groups() {
        // One group always right, one always wrong: drawn from all, the mean of a resample went from 0.2 to 0.8.
        let groups: Vec<usize> = (0..20).map(|i| i / 10).collect();
        let values: Vec<f64> = groups.iter().map(|group| *group as f64).collect();
        let found = Resampling::of(&groups).interval(&values).unwrap();
        assert_eq!((found.low, found.mean, found.high), (0.5, 0.5, 0.5));
        // By hand: two groups of two, values 0 and 1 in each; a resample mean is a fourth of a number from 0 to 4.
        let found = stratified_bootstrap(&[0.0, 1.0, 0.0, 1.0], &[0, 0, 1, 1], RESAMPLES, SEED).unwrap();
        assert_eq!((found.low, found.mean, found.high), (0.0, 0.5, 1.0), "one resample in sixteen has all ones");
        let single = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        let resampling = Resampling::of(&single);
        assert_eq!(resampling.what(), "questions", "a group of one would not vary");
        assert!(resampling.caveat.unwrap().contains("questions are resampled instead"));
    }
}
