//! Divisions of a data set into a part to tune on and a part to report.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use aforesaid::models::files::read_regular;
use serde::Deserialize;

use super::{Benchmark, DataError, files::MOST_BYTES};

const DOCUMENT: &str = "an object of seeds, each with the groups of its dev and test sides";

/// Divisions by groups, by the seed that made them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Splits {
    /// The divisions; a group may be on neither side of one.
    pub by_seed: BTreeMap<u64, Split>,
}

/// One division.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// Groups to choose settings on.
    pub dev: Vec<String>,
    /// Groups to report.
    pub test: Vec<String>,
}

impl Splits {
    /// Reads the file at `path`.
    ///
    /// The file is one object: `{"7": {"dev": ["conv-1"], "test": ["conv-2"]}}`.
    ///
    /// # Errors
    /// When there is no such file, it is of another shape or has no seed, a side is empty, a group is named twice
    /// in one division, or `benchmark` has no such group.
    pub fn read(path: &Path, benchmark: &Benchmark) -> Result<Self, DataError> {
        let bytes = read_regular(path, MOST_BYTES).map_err(DataError::io("read the splits", path))?;
        let file = path.display().to_string();
        let splits: Self =
            serde_json::from_slice(&bytes).map_err(|error| DataError::json(&error, &file, 0, DOCUMENT))?;
        let groups: HashSet<&str> = benchmark.groups.iter().map(|group| group.id.as_str()).collect();
        if splits.by_seed.is_empty() {
            return Err(wrong(file, "the object", "empty", "at least one seed"));
        }
        for (seed, split) in &splits.by_seed {
            split.check(&groups, &format!("{file}, seed {seed}"))?;
        }
        Ok(splits)
    }
}

impl Split {
    fn check(&self, groups: &HashSet<&str>, place: &str) -> Result<(), DataError> {
        let mut seen = HashSet::new();
        for (side, ids) in [("dev", &self.dev), ("test", &self.test)] {
            if ids.is_empty() {
                return Err(wrong(place.to_owned(), side, "empty", "at least one group"));
            }
            for id in ids {
                if !groups.contains(id.as_str()) {
                    return Err(wrong(
                        place.to_owned(),
                        side,
                        &format!("{id:?}, which is no group"),
                        "groups of the data set",
                    ));
                }
                if !seen.insert(id) {
                    return Err(DataError::Repeated {
                        place: place.to_owned(),
                        what: "group",
                        id: id.clone(),
                        first: None,
                    });
                }
            }
        }
        Ok(())
    }
}

fn wrong(place: String, what: &str, found: &str, expected: &str) -> DataError {
    DataError::Wrong { place, what: what.to_owned(), found: found.to_owned(), expected: expected.to_owned() }
}
