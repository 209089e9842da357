//! The cache that Hugging Face tools share.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{check::require, lock::Lock};
use crate::{Attempt, ModelEntry, ModelError};

/// A snapshot whose files are the pinned ones, or why there is none; without the record of a model's files, an error.
///
/// The pinned revision is looked at first, but any other with the same files will do. Files of which nothing
/// is known are taken from the pinned revision only.
pub(super) fn find(
    entry: &ModelEntry,
    hf_home: &Path,
    cache: &Path,
) -> Result<Result<PathBuf, Vec<Attempt>>, ModelError> {
    let folder = format!("models--{}", entry.repo.replace('/', "--"));
    let snapshots = hf_home.join("hub").join(folder).join("snapshots");
    let attempt = |place: &Path, reason: String| Attempt { place: place.display().to_string(), reason };
    let Ok(listing) = fs::read_dir(&snapshots) else {
        return Ok(Err(vec![attempt(&snapshots, "no such directory".to_owned())]));
    };
    let mut dirs: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    dirs.sort_by_key(|dir| (!dir.ends_with(entry.revision), dir.clone()));
    if dirs.is_empty() {
        return Ok(Err(vec![attempt(&snapshots, "no snapshot in it".to_owned())]));
    }
    let known = Lock::read(entry, cache)?.covers(entry);
    let mut attempts = Vec::new();
    for dir in dirs {
        if !known && !dir.ends_with(entry.revision) {
            attempts.push(attempt(&dir, format!("another revision than {}", entry.revision)));
            continue;
        }
        match require(entry, &dir, cache, "another snapshot or source is tried") {
            Ok(()) => return Ok(Ok(dir)),
            Err(error) => attempts.push(attempt(&dir, error.reason())),
        }
    }
    Ok(Err(attempts))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::Fake, *};

    #[test]
    fn takes_any_snapshot_with_the_pinned_files() {
        let fake = Fake::new();
        let find = || find(&fake.entry, &fake.path("hf"), &fake.path("models")).unwrap();
        let snapshots = fake.path("hf/hub/models--org--fake/snapshots");
        fake.write_model(&snapshots.join("aaaa"));
        fs::write(snapshots.join("aaaa/config.json"), "newer").unwrap();
        let attempts = find().unwrap_err();
        assert!(attempts[0].reason.contains("config.json: found sha256"), "{attempts:?}");

        fake.write_model(&snapshots.join("bbbb"));
        assert_eq!(find(), Ok(snapshots.join("bbbb")));
        fake.write_model(&snapshots.join(fake.entry.revision));
        assert_eq!(find(), Ok(snapshots.join(fake.entry.revision)));
    }

    #[test]
    fn takes_files_never_seen_from_the_pinned_revision_only() {
        let fake = Fake::unpinned(&["tokenizer.json"]);
        let find = || find(&fake.entry, &fake.path("hf"), &fake.path("models")).unwrap();
        let snapshots = fake.path("hf/hub/models--org--fake/snapshots");
        fake.write_model(&snapshots.join("aaaa"));
        assert_eq!(find().unwrap_err()[0].reason, "another revision than 0123456789abcdef");
        fake.write_model(&snapshots.join(fake.entry.revision));
        assert_eq!(find(), Ok(snapshots.join(fake.entry.revision)));
        fs::remove_dir_all(snapshots.join(fake.entry.revision)).unwrap();
        assert_eq!(find(), Ok(snapshots.join("aaaa")), "now they are known");
    }
}
