//! An evidence reranker from its file, with the model that it belongs to.

use std::path::Path;

use aforesaid_core::rerank::EvidenceReranker;
use aforesaid_models::{EvidenceModel, from_directory};

use super::{ModelChoice, ModelResolver, ModelSettings};
use crate::{error::Error, registry::ModelPolicy};

impl ModelResolver {
    /// Loads the evidence reranker in a file, merged with its model, which is downloaded where that is allowed.
    ///
    /// The settings' directory is used where it is that model's, or where the model is not registered.
    ///
    /// # Errors
    /// When the file is damaged, of another format or for another model, or the model cannot be had or loaded.
    pub fn evidence_reranker(&self, file: &Path) -> Result<EvidenceReranker, Error> {
        let model = EvidenceModel::read(file)?;
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
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let record = model.record();
        let scorer = model.load(files, &name, settings.runtime(None))?;
        Ok(EvidenceReranker::new(std::sync::Arc::new(scorer), record.form, record.first_stage_weight))
    }
}
