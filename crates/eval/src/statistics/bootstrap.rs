//! Percentile intervals and one-sided p-values by resampling (Efron and Tibshirani 1993, chapter 13).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{StatisticsError, TOLERANCE, check, differences, draws::Draws};

/// Resamples as a rule (fusion study, section 3, "Metrics and uncertainty").
pub const RESAMPLES: usize = 4000;

/// Seed as a rule; the same seed gives the same interval on every machine.
pub const SEED: u64 = 20_240_229;

/// Unmatched left out on each side of a two-sided 95% interval.
const TAIL: f64 = 0.025;

/// A mean and its two-sided 95% percentile interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Mean of the values themselves.
    pub mean: f64,
    /// 2.5th percentile of the resampled means.
    pub low: f64,
    /// 97.5th percentile of the resampled means.
    pub high: f64,
}

/// How much better a second system is than a first, on the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// Mean of second minus first.
    pub difference: f64,
    /// 2.5th percentile of the resampled differences.
    pub low: f64,
    /// 97.5th percentile of the resampled differences.
    pub high: f64,
    /// Share of the resamples in which the second is not better: one-sided, 0 to 1.
    pub p: f64,
    /// Number of resamples.
    pub resamples: usize,
}

impl Paired {
    /// The p-value as a table shows it: `0.0123`, or `< 1/4000` where none of 4,000 resamples counted.
    ///
    /// A share of 0 only says that `p` is below one over the number of resamples.
    pub fn p_text(&self) -> String {
        if self.p > 0.0 {
            // As many decimals as tell one resample from none.
            let decimals = self.resamples.to_string().len();
            format!("{:.decimals$}", self.p)
        } else {
            format!("< 1/{}", self.resamples)
        }
    }
}

/// Mean of the values, with an interval from resampling whole clusters.
///
/// `clusters[i]` names the cluster of `values[i]`, such as its conversation. Each
/// resample draws as many clusters as there are, with replacement, and takes the
/// mean over all their values pooled, so that a cluster weighs by its size (fusion
/// study, section 3, "Metrics and uncertainty"). For a question-level bootstrap give
/// every value a cluster of its own.
///
/// # Errors
/// When the lengths differ, there are no values or no resamples, a value is not
/// finite, or all values are of one cluster: every resample would be the sample, and an
/// interval without width would claim a certainty that nothing supports.
pub fn cluster_bootstrap(
    values: &[f64],
    clusters: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Interval, StatisticsError> {
    check(values)?;
    let means = resampled_means(values, clusters, resamples, seed)?;
    Ok(Interval { mean: mean(values), low: percentile(&means, TAIL), high: percentile(&means, 1.0 - TAIL) })
}

/// Compares `b` with `a` by [`cluster_bootstrap`] of the differences `b - a`.
///
/// A resample counts towards `p` when its difference is at most [`TOLERANCE`]: a tie is
/// no improvement, and rounding must not make it one.
///
/// # Errors
/// As [`cluster_bootstrap`].
pub fn paired(
    a: &[f64],
    b: &[f64],
    clusters: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Paired, StatisticsError> {
    let differences = differences(a, b)?;
    let means = resampled_means(&differences, clusters, resamples, seed)?;
    Ok(compared(&differences, &means))
}

/// What resampled means of differences say.
fn compared(differences: &[f64], means: &[f64]) -> Paired {
    let not_better = means.partition_point(|difference| *difference <= TOLERANCE);
    Paired {
        difference: mean(differences),
        low: percentile(means, TAIL),
        high: percentile(means, 1.0 - TAIL),
        p: not_better as f64 / means.len() as f64,
        resamples: means.len(),
    }
}

/// Means of resamples within groups, increasing.
fn stratified_means(
    values: &[f64],
    groups: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Vec<f64>, StatisticsError> {
    if groups.len() != values.len() {
        return Err(StatisticsError::Lengths { what: "groups", found: groups.len(), expected: values.len() });
    }
    if resamples == 0 {
        return Err(StatisticsError::NoResamples);
    }
    let mut strata: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    values.iter().zip(groups).for_each(|(value, group)| strata.entry(*group).or_default().push(*value));
    let mut draws = Draws::new(seed);
    let mut drawn = |stratum: &Vec<f64>| stratum.iter().map(|_| stratum[draws.below(stratum.len())]).sum::<f64>();
    let mut means: Vec<f64> =
        (0..resamples).map(|_| strata.values().map(&mut drawn).sum::<f64>() / values.len() as f64).collect();
    means.sort_unstable_by(f64::total_cmp);
    Ok(means)
}

/// Mean of the values, with an interval from resampling questions within their groups: each resample draws of every group
/// as many values as it has, with replacement.
///
/// # Errors
/// As [`cluster_bootstrap`], except that one group will do.
pub fn stratified_bootstrap(
    values: &[f64],
    groups: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Interval, StatisticsError> {
    check(values)?;
    let means = stratified_means(values, groups, resamples, seed)?;
    Ok(Interval { mean: mean(values), low: percentile(&means, TAIL), high: percentile(&means, 1.0 - TAIL) })
}

/// Compares `b` with `a` by [`stratified_bootstrap`] of the differences `b - a`, as [`paired`] does.
///
/// # Errors
/// As [`stratified_bootstrap`].
pub fn stratified_paired(
    a: &[f64],
    b: &[f64],
    groups: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Paired, StatisticsError> {
    let differences = differences(a, b)?;
    Ok(compared(&differences, &stratified_means(&differences, groups, resamples, seed)?))
}

/// A statistic that is no mean, with an interval from resampling whole clusters.
///
/// `statistic` is given how often each value counts, in the order of `clusters`. Resamples in which it is not defined
/// are drawn but not counted.
///
/// # Errors
/// When there are no values or no resamples, all values are of one cluster, or the statistic is not defined for the
/// values themselves.
pub fn weighted_bootstrap(
    clusters: &[usize],
    resamples: usize,
    seed: u64,
    statistic: impl Fn(&[f64]) -> Option<f64>,
) -> Result<Interval, StatisticsError> {
    let once = vec![1.0; clusters.len()];
    check(&once)?;
    let mean = statistic(&once).ok_or(StatisticsError::Undefined)?;
    if resamples == 0 {
        return Err(StatisticsError::NoResamples);
    }
    let names: BTreeSet<usize> = clusters.iter().copied().collect();
    if names.len() == 1 {
        return Err(StatisticsError::OneCluster { questions: clusters.len() });
    }
    let places: BTreeMap<usize, usize> =
        names.into_iter().enumerate().map(|(place, cluster)| (cluster, place)).collect();
    let of: Vec<usize> = clusters.iter().filter_map(|cluster| places.get(cluster).copied()).collect();
    let mut draws = Draws::new(seed);
    let mut found = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        let mut times = vec![0.0; places.len()];
        (0..places.len()).for_each(|_| times[draws.below(places.len())] += 1.0);
        let weights: Vec<f64> = of.iter().map(|&place| times[place]).collect();
        found.extend(statistic(&weights));
    }
    found.sort_unstable_by(f64::total_cmp);
    match found.is_empty() {
        true => Err(StatisticsError::Undefined),
        false => Ok(Interval { mean, low: percentile(&found, TAIL), high: percentile(&found, 1.0 - TAIL) }),
    }
}

/// Pooled means of the resamples, increasing.
fn resampled_means(
    values: &[f64],
    clusters: &[usize],
    resamples: usize,
    seed: u64,
) -> Result<Vec<f64>, StatisticsError> {
    if clusters.len() != values.len() {
        return Err(StatisticsError::Lengths { what: "clusters", found: clusters.len(), expected: values.len() });
    }
    if resamples == 0 {
        return Err(StatisticsError::NoResamples);
    }
    let sums = cluster_sums(values, clusters);
    if sums.len() == 1 {
        return Err(StatisticsError::OneCluster { questions: values.len() });
    }
    let mut draws = Draws::new(seed);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let (sum, count) = (0..sums.len())
                .map(|_| sums[draws.below(sums.len())])
                .fold((0.0, 0.0), |(sum, count), drawn| (sum + drawn.0, count + drawn.1));
            sum / count
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Ok(means)
}

/// Sum and number of the values of each cluster, by the cluster's id.
fn cluster_sums(values: &[f64], clusters: &[usize]) -> Vec<(f64, f64)> {
    let mut sums = BTreeMap::new();
    for (value, cluster) in values.iter().zip(clusters) {
        let (sum, count) = sums.entry(cluster).or_insert((0.0, 0.0));
        *sum += value;
        *count += 1.0;
    }
    sums.into_values().collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Linear between the two values that lie around it, as `numpy.percentile`; `sorted` is not empty.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The values and clusters of tests/statistics/oracle.py.
    fn sample() -> (Vec<f64>, Vec<f64>, Vec<usize>) {
        let a = (0..60).map(|i| f64::from((i * 37 + 11) % 101) / 100.0).collect();
        let b = (0..60).map(|i| f64::from((i * 53 + 29) % 97) / 96.0).collect();
        (a, b, (0..60).map(|i| i * i % 11).collect())
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }

    #[test]
    fn resamples_are_those_of_another_program() {
        let (a, b, clusters) = sample();
        let interval = cluster_bootstrap(&a, &clusters, RESAMPLES, SEED).unwrap();
        close(interval.mean, 0.5041666666666667, 1e-14);
        close(interval.low, 0.31630434782608696, 1e-14);
        close(interval.high, 0.6547692307692308, 1e-14);
        let paired = paired(&a, &b, &clusters, RESAMPLES, SEED).unwrap();
        close(paired.difference, 0.01875, 1e-14);
        close(paired.low, -0.26143055555555555, 1e-14);
        close(paired.high, 0.3300204918032787, 1e-14);
        assert_eq!((paired.p, paired.resamples), (0.46775, 4000));
    }

    #[test]
    fn a_weighted_mean_is_the_mean() {
        let (a, _, clusters) = sample();
        let mean = |weights: &[f64]| {
            let total: f64 = weights.iter().sum();
            Some(a.iter().zip(weights).map(|(a, weight)| a * weight).sum::<f64>() / total)
        };
        let (one, other) = (
            weighted_bootstrap(&clusters, 500, SEED, mean).unwrap(),
            cluster_bootstrap(&a, &clusters, 500, SEED).unwrap(),
        );
        close(one.mean, other.mean, 1e-12);
        close(one.low, other.low, 1e-12);
        close(one.high, other.high, 1e-12);
        assert_eq!(weighted_bootstrap(&[1, 2], 10, SEED, |_| None), Err(StatisticsError::Undefined));
        assert_eq!(weighted_bootstrap(&[1, 1], 10, SEED, mean), Err(StatisticsError::OneCluster { questions: 2 }));
    }

    #[test]
    fn another_generator_gives_about_the_same() {
        // NumPy's, with 200,000 resamples; 0.03 is three standard errors of a share of 4,000, and
        // the percentiles of so few clusters are steps.
        let (a, b, clusters) = sample();
        let interval = cluster_bootstrap(&a, &clusters, RESAMPLES, 7).unwrap();
        close(interval.low, 0.31125, 0.02);
        close(interval.high, 0.65585, 0.02);
        close(paired(&a, &b, &clusters, RESAMPLES, 7).unwrap().p, 0.46412, 0.03);

        let alone: Vec<usize> = (0..60).collect();
        let questions = paired(&a, &b, &alone, RESAMPLES, 7).unwrap();
        close(questions.low, -0.09020, 0.01);
        close(questions.high, 0.12672, 0.01);
        close(questions.p, 0.36667, 0.03);
    }

    #[test]
    fn two_clusters_have_a_distribution_known_in_full() {
        // The mean difference is -1, 0 and 1 in a quarter, half and a quarter of the resamples.
        let found = paired(&[0.0, 0.0], &[1.0, -1.0], &[0, 1], RESAMPLES, SEED).unwrap();
        assert_eq!((found.difference, found.low, found.high), (0.0, -1.0, 1.0));
        close(found.p, 0.75, 4.0 * (0.75f64 * 0.25 / 4000.0).sqrt());
    }

    #[test]
    fn a_cluster_weighs_by_its_size() {
        let means = resampled_means(&[1.0, 1.0, 0.0, 1.0], &[5, 5, 2, 5], 200, SEED).unwrap();
        let mut kinds = means.clone();
        kinds.dedup();
        assert_eq!(kinds, [0.0, 0.75, 1.0]);
    }

    #[test]
    fn clusters_make_the_interval_wider_where_they_agree_inside() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i / 10 % 2)).collect();
        let width = |clusters: Vec<usize>| {
            let interval = cluster_bootstrap(&values, &clusters, RESAMPLES, SEED).unwrap();
            interval.high - interval.low
        };
        assert!(width((0..100).map(|i| i / 10).collect()) > 2.5 * width((0..100).collect()));
    }

    #[test]
    fn a_seed_decides_everything() {
        let (a, _, clusters) = sample();
        let with = |seed| cluster_bootstrap(&a, &clusters, 100, seed).unwrap();
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn values_that_are_all_the_same_leave_no_doubt() {
        let interval = cluster_bootstrap(&[0.25; 6], &[0, 0, 1, 1, 1, 2], 100, SEED).unwrap();
        assert_eq!(interval, Interval { mean: 0.25, low: 0.25, high: 0.25 });
        let better = paired(&[0.25; 4], &[0.5; 4], &[0, 1, 2, 3], 4000, SEED).unwrap();
        assert_eq!((better.p, better.p_text().as_str()), (0.0, "< 1/4000"));
        let worse = paired(&[0.5; 4], &[0.25; 4], &[0, 1, 2, 3], 4000, SEED).unwrap();
        assert_eq!((worse.p, worse.p_text().as_str()), (1.0, "1.0000"));
    }

    #[test]
    fn a_tie_is_no_improvement_even_when_rounding_says_so() {
        // 0.1 + 0.2 is 5.6e-17 above 0.3.
        let found = paired(&[0.3; 3], &[0.1 + 0.2; 3], &[0, 1, 2], 100, SEED).unwrap();
        assert!(found.difference > 0.0);
        assert_eq!(found.p, 1.0);
    }

    #[test]
    fn a_small_p_value_is_never_shown_as_zero() {
        let p_text = |p, resamples| Paired { difference: 0.1, low: 0.0, high: 0.2, p, resamples }.p_text();
        assert_eq!(p_text(1.0 / 100_000.0, 100_000), "0.000010");
        assert_eq!(p_text(1.0 / 9_999.0, 9_999), "0.0001");
        assert_eq!(p_text(0.25, 4000), "0.2500");
    }

    #[test]
    fn percentiles_by_hand() {
        assert_eq!([0.0, 0.1, 0.5, 1.0].map(|share| percentile(&[1.0, 2.0, 4.0], share)), [1.0, 1.2, 2.0, 4.0]);
        assert_eq!(percentile(&[3.0], TAIL), 3.0);
    }

    #[test]
    fn what_cannot_be_resampled_is_refused() {
        let values = [0.5, f64::NAN];
        let refused = |values: &[f64], clusters: &[usize], resamples| {
            cluster_bootstrap(values, clusters, resamples, SEED).unwrap_err()
        };
        assert!(matches!(refused(&values, &[0, 1], 10), StatisticsError::NotFinite { place: 1, .. }));
        assert_eq!(refused(&[], &[], 10), StatisticsError::NoValues);
        assert_eq!(refused(&[0.5], &[0, 1], 10).to_string().split(';').next(), Some("clusters: there are 2"));
        assert_eq!(refused(&[0.5, 0.6], &[3, 3], 10), StatisticsError::OneCluster { questions: 2 });
        assert_eq!(refused(&[0.5, 0.6], &[3, 4], 0), StatisticsError::NoResamples);
        assert!(matches!(paired(&[0.5], &[], &[0], 10, SEED), Err(StatisticsError::Lengths { found: 0, .. })));
    }

    proptest! {
        #[test]
        fn a_symmetric_sample_has_its_mean_inside(
            half in prop::collection::vec(0.0..0.5f64, 2..20),
            seed in any::<u64>(),
        ) {
            let values: Vec<f64> = half.iter().flat_map(|x| [0.5 - x, 0.5 + x]).collect();
            let alone: Vec<usize> = (0..values.len()).collect();
            let interval = cluster_bootstrap(&values, &alone, 400, seed).unwrap();
            prop_assert!(interval.low - 1e-9 <= interval.mean && interval.mean <= interval.high + 1e-9);
        }

        #[test]
        fn names_of_clusters_do_not_matter(seed in any::<u64>(), step in 1usize..1000) {
            let (a, b, clusters) = sample();
            let renamed: Vec<usize> = clusters.iter().map(|cluster| cluster * step + step).collect();
            prop_assert_eq!(paired(&a, &b, &clusters, 50, seed), paired(&a, &b, &renamed, 50, seed));
        }

        #[test]
        fn a_draw_is_below_its_bound(seed in any::<u64>(), n in 1usize..1000) {
            let mut draws = Draws::new(seed);
            prop_assert!((0..20).all(|_| draws.below(n) < n));
        }
    }
}
