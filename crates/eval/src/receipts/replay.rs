//! Measuring again what was published.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use super::{Figures, Receipt, Verdict};
use crate::{EvalError, datasets::DataError, experiments::Observer, recipe::Equipment};

/// A receipt and what came of measuring it again; prints as one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Name of the receipt.
    pub receipt: String,
    /// What came of it.
    pub verdict: Verdict,
}

impl Receipt {
    /// Measures again with this equipment, and compares.
    ///
    /// Data of the repository are where the receipt says; all others are in `root`, in a folder with the data set's
    /// name (`locomo` with its audit, `longmemeval` with the pooled set). Skipped where they, or an encoder that is
    /// needed, are not there. With other data or another encoder nothing is measured: that is a failure already.
    ///
    /// # Errors
    /// When data are there and cannot be read, the repository's own are not there, or the experiment fails.
    pub fn replay(
        &self,
        root: Option<&Path>,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Replayed, EvalError> {
        let verdict = self.verdict(root, equipment, observe)?;
        Ok(Replayed { receipt: self.name.clone(), verdict })
    }

    fn verdict(
        &self,
        root: Option<&Path>,
        equipment: &Equipment,
        observe: &Observer<'_>,
    ) -> Result<Verdict, EvalError> {
        let skipped = |reason| Ok(Verdict::Skipped { reason });
        let Some(path) = self.path(root) else {
            let dataset = self.dataset;
            return skipped(format!("data set {dataset}: no folder with data sets was given"));
        };
        let data_sha256 = match self.dataset.fingerprint(&path) {
            Err(missing @ DataError::NotFound { .. }) if self.data.is_none() => return skipped(missing.to_string()),
            found => found?,
        };
        let encoder = match self.encoder.as_ref().map(|_| equipment.encoder_id()).transpose() {
            Ok(encoder) => encoder,
            Err(reason) => return skipped(format!("no encoder: {reason}")),
        };
        let reranker = self.reranker.as_ref().map(|_| equipment.reranker.as_ref().map(|reranker| reranker.name()));
        if reranker == Some(None) {
            return skipped("no reranker".to_owned());
        }
        let reranker = reranker.flatten();
        let cues = self.recording().map(|cues| cues.read(self.dataset, &path)).transpose();
        let cues_sha256 = match cues {
            // The data can be fetched, the cues not.
            Err(DataError::Io { source, path, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return skipped(format!("cue questions: no folder {}", path.display()));
            }
            cues => cues?.map(|cues| cues.sha256().to_owned()),
        };
        let differences =
            self.other_origin(&data_sha256, [encoder.as_deref(), reranker.as_deref()], cues_sha256.as_deref());
        if !differences.is_empty() {
            return Ok(Verdict::Failed { differences });
        }
        let recipe = self.recipe();
        let outcome = recipe.run(&path, equipment, observe)?;
        Ok(self.check(&Figures::of(&recipe, equipment, data_sha256, &outcome)))
    }

    /// Where the data are; `None` where that was not said.
    fn path(&self, root: Option<&Path>) -> Option<PathBuf> {
        self.data.clone().or_else(|| root.map(|root| root.join(self.dataset.folder())))
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.receipt;
        match &self.verdict {
            Verdict::Ok { measures } => {
                write!(f, "OK    {name} ")?;
                measures.iter().try_for_each(|(measure, value)| write!(f, " {measure} {value:.4}"))
            }
            Verdict::Failed { differences } => {
                let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
                write!(f, "FAIL  {name}: {}", differences.join("; "))
            }
            Verdict::Skipped { reason } => write!(f, "SKIP  {name}: {reason}"),
        }
    }
}
