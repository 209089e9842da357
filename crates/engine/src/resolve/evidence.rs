//! An evidence reranker, with the model that it belongs to.

use std::{path::PathBuf, sync::Arc};

use aforesaid_core::rerank::EvidenceReranker;
use aforesaid_models::{EvidenceModel, from_directory};

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
        let settings = self.settings();
        let files = match (model.entry(), &settings.model) {
            (Ok(entry), named) => {
                let choice = match named {
                    ModelChoice::Named { name, .. } if name.eq_ignore_ascii_case(entry.name) => named.clone(),
                    _ => ModelChoice::Named { name: entry.name.to_owned(), dir: None },
                };
                self.files(&ModelSettings { model: choice, ..settings.clone() }, entry, ModelPolicy::Fetch)?
            }
            (Err(_), ModelChoice::Directory(dir) | ModelChoice::Adapted { dir: Some(dir), .. }) => {
                from_directory(dir, &settings.cache)?
            }
            (Err(unregistered), _) => return Err(unregistered.into()),
        };
        let record = model.record();
        let scorer = model.load(files, &choice.name(), settings.evidence_runtime())?;
        let reranker = EvidenceReranker::new(Arc::new(scorer), record.form, record.first_stage_weight);
        Ok(match choice {
            EvidenceChoice::Shipped => reranker.calibrated(),
            EvidenceChoice::File(_) => reranker,
        })
    }
}
