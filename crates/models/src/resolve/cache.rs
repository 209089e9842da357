//! Aforesaid's own model cache: one directory a model, which appears whole or not at all.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

use super::check::require;
use crate::{Attempt, ModelEntry, ModelError, private};

/// What a directory's name starts with while it is being filled.
const PARTIAL: &str = ".partial-";

/// A partial directory untouched for this long belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

const NEXT: &str = "download the model again";

/// What happens to a model that the cache already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Present {
    /// It stays if it is whole: another process was faster.
    Kept,
    /// The new one takes its place.
    Replaced,
}

/// The directory of a model in the cache.
pub(super) fn home(entry: &ModelEntry, cache: &Path) -> PathBuf {
    cache.join(entry.files_name())
}

/// The model's directory, or why it is not there; a file with a wrong checksum is an error.
pub(super) fn find(entry: &ModelEntry, cache: &Path) -> Result<Result<PathBuf, Attempt>, ModelError> {
    let home = home(entry, cache);
    let absent = |reason| Ok(Err(Attempt { place: home.display().to_string(), reason }));
    if !home.is_dir() {
        return absent("no such directory".to_owned());
    }
    match require(entry, &home, cache, NEXT) {
        Ok(()) => Ok(Ok(home)),
        Err(ModelError::MissingFile { expected, .. }) => absent(format!("lacks {expected}")),
        Err(error) => Err(error),
    }
}

/// A directory beside the models in which a download is put together.
///
/// It is removed when dropped; what a killed process left is removed a day later.
pub(super) struct Staging {
    dir: TempDir,
}

impl Staging {
    /// Makes the cache, if need be, and an empty directory in it.
    pub(super) fn new(cache: &Path) -> Result<Self, ModelError> {
        private::make_folder(cache).map_err(ModelError::io("make the model cache", cache))?;
        sweep(cache);
        let staging = Self { dir: partial(cache)? };
        let model = staging.path();
        private::make_folder(&model).map_err(ModelError::io("make a directory for the download", &model))?;
        Ok(staging)
    }

    /// Where the files go.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("model")
    }

    /// Renames the filled directory to the model's, and checks what is there then.
    pub(super) fn install(self, entry: &ModelEntry, cache: &Path, present: Present) -> Result<PathBuf, ModelError> {
        let home = home(entry, cache);
        let renamed = fs::rename(self.path(), &home);
        let whole = || require(entry, &home, cache, NEXT);
        match (renamed, present) {
            (Ok(()), _) => {}
            (Err(_), Present::Kept) if whole().is_ok() => {}
            (Err(_), _) => self.swap(&home, cache)?,
        }
        whole()?;
        Ok(home)
    }

    /// Moves what is at `home` aside and puts the new directory there.
    ///
    /// Another process may do the same at the same moment: whichever comes last wins, with equal files.
    fn swap(&self, home: &Path, cache: &Path) -> Result<(), ModelError> {
        const ATTEMPTS: usize = 5;
        let aside = partial(cache)?;
        let mut result = Ok(());
        for attempt in 0..ATTEMPTS {
            let _ = fs::rename(home, aside.path().join(attempt.to_string()));
            result = fs::rename(self.path(), home);
            if result.is_ok() {
                break;
            }
        }
        result.map_err(ModelError::io("put the new model in place", home))
    }
}

fn partial(cache: &Path) -> Result<TempDir, ModelError> {
    let made = tempfile::Builder::new().prefix(PARTIAL).tempdir_in(cache);
    made.map_err(ModelError::io("make a directory for the download", cache))
}

/// Removes what downloads left that were killed; nothing depends on its success.
fn sweep(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PARTIAL) && age(&entry).is_ok_and(|age| age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn age(entry: &fs::DirEntry) -> io::Result<Duration> {
    entry.metadata()?.modified()?.elapsed().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::{super::testing::Fake, *};

    fn staged(fake: &Fake) -> Staging {
        let staging = Staging::new(&fake.path("models")).unwrap();
        fake.write_model(&staging.path());
        staging
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn install(fake: &Fake, staging: Staging, present: Present) -> PathBuf {
        let cache = fake.path("models");
        staging.install(&fake.entry, &cache, present).unwrap()
    }

    #[test]
    fn a_model_appears_by_renaming_and_leaves_nothing_behind() {
        let fake = Fake::new();
        let staging = staged(&fake);
        assert!(!fake.cached().exists());
        assert_eq!(install(&fake, staging, Present::Kept), fake.cached());
        assert_eq!(names(&fake.path("models")), ["fake@0123456789ab"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_cache_and_what_is_in_it_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let fake = Fake::new();
        let home = install(&fake, staged(&fake), Present::Kept);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&fake.path("models")), mode(&home)), (0o700, 0o700));
    }

    #[test]
    fn of_two_processes_the_slower_one_uses_what_the_faster_one_installed() {
        let fake = Fake::new();
        let (first, second) = (staged(&fake), staged(&fake));
        install(&fake, first, Present::Kept);
        fs::write(fake.cached().join("mark"), "").unwrap();
        install(&fake, second, Present::Kept);
        assert!(fake.cached().join("mark").exists());
        assert_eq!(names(&fake.path("models")).len(), 1);
    }

    #[test]
    fn a_damaged_or_incomplete_model_is_replaced() {
        let fake = Fake::new();
        fake.write_model(&fake.cached());
        fs::write(fake.cached().join("model.safetensors"), "flipped").unwrap();
        install(&fake, staged(&fake), Present::Replaced);
        fs::remove_file(fake.cached().join("config.json")).unwrap();
        install(&fake, staged(&fake), Present::Kept);
        assert_eq!(names(&fake.path("models")), ["fake@0123456789ab"]);
    }

    #[test]
    fn the_leftover_of_a_killed_download_is_not_used_and_is_removed_a_day_later() {
        let fake = Fake::new();
        let cache = fake.path("models");
        let leftover = cache.join(".partial-dead");
        fake.write_model(&leftover.join("model"));
        let attempt = find(&fake.entry, &cache).unwrap().unwrap_err();
        assert!(attempt.to_string().contains("no such directory"), "{attempt}");
        drop(Staging::new(&cache).unwrap());
        assert!(leftover.exists(), "it may belong to a running process");
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        fs::File::open(&leftover).unwrap().set_modified(long_ago).unwrap();
        drop(Staging::new(&cache).unwrap());
        assert!(!leftover.exists());
    }
}
