//! An evidence reranker, with the model that it belongs to.

use std::{path::PathBuf, sync::Arc};

use aforesaid_core::rerank::EvidenceReranker;
use aforesaid_models::{EvidenceModel, ModelError, ModelFiles, Runtime, from_directory};

use super::{ModelChoice, ModelResolver, ModelSettings};
use crate::{error::Error, registry::ModelPolicy};

/// Which evidence reranker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceChoice {
    /// The one that is part of the program.
    Shipped,
    /// The one in a file.
    File(PathBuf),
}

impl EvidenceChoice {
    fn read(&self) -> Result<EvidenceModel, Error> {
        Ok(match self {
            Self::Shipped => EvidenceModel::shipped()?,
            Self::File(file) => EvidenceModel::read(file)?,
        })
    }

    /// The reranker of what was read, over these files.
    pub(super) fn load(
        &self,
        model: &EvidenceModel,
        files: ModelFiles,
        runtime: Runtime,
    ) -> Result<EvidenceReranker, ModelError> {
        let scorer = model.load(files, &self.name(), runtime)?;
        let reranker = model.record().reranker(Arc::new(scorer));
        Ok(match self {
            Self::Shipped => reranker.calibrated(),
            Self::File(_) => reranker,
        })
    }

    /// What it is called in ids, as in `all-MiniLM-L6-v2+evidence`.
    fn name(&self) -> String {
        match self {
            Self::Shipped => "evidence".to_owned(),
            Self::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

impl ModelResolver {
    /// Loads an evidence reranker, merged with its model, which is downloaded where that is allowed.
    ///
    /// The settings' directory is used where it is that model's, or where the model is not registered.
    ///
    /// # Errors
    /// When a file is damaged, of another format or for another model, or the model cannot be had or loaded.
    pub fn evidence_reranker(&self, choice: &EvidenceChoice) -> Result<EvidenceReranker, Error> {
        let model = choice.read()?;
        let files = self.evidence_files(&model, ModelPolicy::Fetch)?;
        Ok(choice.load(&model, files, self.settings().evidence_runtime())?)
    }

    /// The files of the model that an evidence reranker belongs to.
    pub(super) fn evidence_files(&self, model: &EvidenceModel, policy: ModelPolicy) -> Result<ModelFiles, ModelError> {
        let settings = self.settings();
        match (model.entry(), &settings.model) {
            (Ok(entry), chosen) => {
                // A directory has the files of the model that is named with it, whatever adapter goes with that.
                let is_its = |name: &str| name.split('+').next().is_some_and(|of| of.eq_ignore_ascii_case(entry.name));
                let dir = match chosen {
                    ModelChoice::Named { name, dir } if is_its(name) => dir.clone(),
                    _ => None,
                };
                let model = ModelChoice::Named { name: entry.name.to_owned(), dir };
                self.files(&ModelSettings { model, ..settings.clone() }, entry, policy)
            }
            (Err(_), ModelChoice::Directory(dir) | ModelChoice::Adapted { dir: Some(dir), .. }) => {
                from_directory(dir, &settings.cache)
            }
            (Err(unregistered), _) => Err(unregistered),
        }
    }
}
