//! The five splits over the questions.

use aforesaid_eval::datasets::{Benchmark, Split, Splits};

/// Test questions of every split, by place.
pub(crate) struct SplitRows {
    pub(crate) splits: Vec<Side>,
    /// The group of each question.
    pub(crate) clusters: Vec<usize>,
}

pub(crate) struct Side {
    pub(crate) seed: u64,
    /// Groups of the dev side, marked.
    pub(crate) dev: Vec<bool>,
    /// Questions of the test side, by place.
    pub(crate) test: Vec<usize>,
}

impl SplitRows {
    pub(crate) fn of(benchmark: &Benchmark, clusters: &[usize], splits: &Splits) -> Self {
        let marked = |names: &[String]| -> Vec<bool> {
            benchmark.groups.iter().map(|group| names.contains(&group.id)).collect()
        };
        let side = |(seed, split): (&u64, &Split)| {
            let test = marked(&split.test);
            let places = (0..clusters.len()).filter(|&place| test[clusters[place]]).collect();
            Side { seed: *seed, dev: marked(&split.dev), test: places }
        };
        Self { splits: splits.by_seed.iter().map(side).collect(), clusters: clusters.to_vec() }
    }
}
