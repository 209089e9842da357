//! The cache that Hugging Face tools share.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::check::require;
use crate::{Attempt, ModelEntry, stamps::Stamps};

/// A snapshot whose files are the pinned ones, or why there is none.
///
/// The pinned revision is looked at first, but any other with the same files will do.
pub(super) fn find(entry: &ModelEntry, hf_home: &Path, stamps: &Stamps) -> Result<PathBuf, Vec<Attempt>> {
    let folder = format!("models--{}", entry.repo.replace('/', "--"));
    let snapshots = hf_home.join("hub").join(folder).join("snapshots");
    let attempt = |place: &Path, reason: String| Attempt { place: place.display().to_string(), reason };
    let Ok(listing) = fs::read_dir(&snapshots) else {
        return Err(vec![attempt(&snapshots, "no such directory".to_owned())]);
    };
    let mut dirs: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    dirs.sort_by_key(|dir| (!dir.ends_with(entry.revision), dir.clone()));
    if dirs.is_empty() {
        return Err(vec![attempt(&snapshots, "no snapshot in it".to_owned())]);
    }
    let mut attempts = Vec::new();
    for dir in dirs {
        match require(entry, &dir, stamps, "another snapshot or source is tried") {
            Ok(()) => return Ok(dir),
            Err(error) => attempts.push(attempt(&dir, error.reason())),
        }
    }
    Err(attempts)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::Fake, *};

    #[test]
    fn takes_any_snapshot_with_the_pinned_files() {
        let fake = Fake::new();
        let (home, stamps) = (fake.path("hf"), Stamps::under(&fake.path("models")));
        let snapshots = fake.path("hf/hub/models--org--fake/snapshots");
        fake.write_model(&snapshots.join("aaaa"));
        fs::write(snapshots.join("aaaa/config.json"), "newer").unwrap();
        let attempts = find(&fake.entry, &home, &stamps).unwrap_err();
        assert!(attempts[0].reason.contains("config.json: found sha256"), "{attempts:?}");

        fake.write_model(&snapshots.join("bbbb"));
        assert_eq!(find(&fake.entry, &home, &stamps), Ok(snapshots.join("bbbb")));
        fake.write_model(&snapshots.join(fake.entry.revision));
        assert_eq!(find(&fake.entry, &home, &stamps), Ok(snapshots.join(fake.entry.revision)));
    }
}
