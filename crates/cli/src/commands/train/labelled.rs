//! The data sets with labelled questions that a reranker learns from.

use std::path::PathBuf;

use aforesaid_eval::datasets::DataSet;

use super::super::eval::place_of;
use crate::{failure::Failure, settings::Settings};

/// Each data set with its file or folder: the one given at the same place, or where `eval run` looks.
pub(super) fn places(
    datasets: &[DataSet],
    given: &[PathBuf],
    settings: &Settings,
) -> Result<Vec<(DataSet, PathBuf)>, Failure> {
    if given.len() > datasets.len() {
        return Err(Failure::Usage(format!(
            "--data: found {} paths, expected at most one for each of {} data sets",
            given.len(),
            datasets.len()
        )));
    }
    let place = |(at, &dataset): (usize, &DataSet)| {
        Ok((dataset, place_of(dataset, given.get(at).map(PathBuf::as_path), settings)?))
    };
    datasets.iter().enumerate().map(place).collect()
}

/// The data set that says whether vectors may be kept: one private history among them keeps all out of the cache.
pub(super) fn most_private(datasets: &[DataSet]) -> DataSet {
    let private = datasets.iter().copied().find(|dataset| *dataset == DataSet::Jsonl);
    private.unwrap_or(datasets[0])
}
