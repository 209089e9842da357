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
    /// Groups that a model may be trained on; they may be on the dev side too, and never on the test side.
    #[serde(default)]
    pub train: Vec<String>,
    /// Groups to choose settings on.
    pub dev: Vec<String>,
    /// Groups to report.
    pub test: Vec<String>,
}

impl Splits {
    /// Reads the file at `path`.
    ///
    /// The file is one object: `{"7": {"dev": ["conv-1"], "test": ["conv-2"]}}`; `train` may be there too.
    ///
    /// # Errors
    /// When there is no such file, it is of another shape or has no seed, the dev or test side is empty, a group is named twice
    /// in one division, or `benchmark` has no such group.
    pub fn read(path: &Path, benchmark: &Benchmark) -> Result<Self, DataError> {
        let bytes = read_regular(path, MOST_BYTES).map_err(DataError::io("read the splits", path))?;
        let file = path.display().to_string();
        let splits = Self::parse(&file, &bytes)?;
        splits.check(&benchmark.groups.iter().map(|group| group.id.as_str()).collect(), &file)?;
        Ok(splits)
    }

    /// The document alone; whether its groups exist is for [`Splits::check`].
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self, DataError> {
        serde_json::from_slice(bytes).map_err(|error| DataError::json(&error, file, 0, DOCUMENT))
    }

    /// Refuses divisions that do not fit these groups.
    pub(super) fn check(&self, groups: &HashSet<&str>, file: &str) -> Result<(), DataError> {
        if self.by_seed.is_empty() {
            return Err(wrong(file.to_owned(), "the object", "empty", "at least one seed"));
        }
        self.by_seed.iter().try_for_each(|(seed, split)| split.check(groups, &format!("{file}, seed {seed}")))
    }
}

impl Split {
    fn check(&self, groups: &HashSet<&str>, place: &str) -> Result<(), DataError> {
        for (side, ids) in [("dev", &self.dev), ("test", &self.test)] {
            if ids.is_empty() {
                return Err(wrong(place.to_owned(), side, "empty", "at least one group"));
            }
        }
        check_sides(groups, [("dev", &self.dev), ("test", &self.test)], place)?;
        check_sides(groups, [("train", &self.train), ("test", &self.test)], place)
    }
}

/// Refuses groups that are unknown, or named twice on two sides.
fn check_sides(groups: &HashSet<&str>, sides: [(&str, &Vec<String>); 2], place: &str) -> Result<(), DataError> {
    let mut seen = HashSet::new();
    for (side, ids) in sides {
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

fn wrong(place: String, what: &str, found: &str, expected: &str) -> DataError {
    DataError::Wrong { place, what: what.to_owned(), found: found.to_owned(), expected: expected.to_owned() }
}
